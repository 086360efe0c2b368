// Lays clouds over a landscape, with a mask.
extern "C" __global__ void __launch_bounds__(THREADS) cloud_blend(float4* __restrict__ out, const float4* __restrict__ land,
                                                                  const float4* __restrict__ cloud, const float4* __restrict__ mask) {
  const int first = blockIdx.x * (2 * THREADS) + threadIdx.x;
  float4 a[2], b[2], m[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    a[k] = land[first + k * THREADS];
    b[k] = cloud[first + k * THREADS];
    m[k] = mask[first + k * THREADS];
  }
#pragma unroll
  for (int k = 0; k < 2; ++k)
    out[first + k * THREADS] = make_float4(fmaf(b[k].x - a[k].x, m[k].x, a[k].x), fmaf(b[k].y - a[k].y, m[k].y, a[k].y),
                                           fmaf(b[k].z - a[k].z, m[k].z, a[k].z), fmaf(b[k].w - a[k].w, m[k].w, a[k].w));
}
