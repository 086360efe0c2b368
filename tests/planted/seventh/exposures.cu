// Merges two exposures of a scene: the dark one where the bright one comes near its white.
__device__ __forceinline__ float merge(float bright, float dark, float ratio) {
  const float weight = __saturatef(fmaf(bright, -4.0f, 4.0f));
  const float scaled = dark * ratio;
  return fmaf(weight, bright - scaled, scaled);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
exposures(float4* __restrict__ out, const float4* __restrict__ bright, const float4* __restrict__ dark, float ratio, int n) {
  const int first = blockIdx.x * (BLOCK * 2) + threadIdx.x;
  float4 b[2], d[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    b[k] = bright[first + k * BLOCK];
    d[k] = dark[first + k * BLOCK];
  }
#pragma unroll
  for (int k = 0; k < 2; ++k)
    out[first + k * BLOCK] = make_float4(merge(b[k].x, d[k].x, ratio), merge(b[k].y, d[k].y, ratio),
                                         merge(b[k].z, d[k].z, ratio), merge(b[k].w, d[k].w, ratio));
}
