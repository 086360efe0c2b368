// spread[i] = the sum over j of (x[i] - y[j])^2, for all pairs of n points and 2048 others. A
// thread has four points at once, a loop over the grid of BLOCKS the rest; the others lie in shared
// memory and are read by all lanes together.
// Block 512; n a multiple of 2048 * BLOCKS.
extern "C" __global__ void __launch_bounds__(512)
    pairs(const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ spread,
          int n) {
  __shared__ float4 others[512];
  others[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (unsigned i = blockIdx.x * 512 + threadIdx.x; i < n / 4; i += BLOCKS * 512) {
    const float4 p = x[i];
    const float point[4] = {p.x, p.y, p.z, p.w};
    float sum[4] = {};
#pragma unroll 8
    for (int j = 0; j < 512; ++j) {
      const float4 o = others[j];
      const float other[4] = {o.x, o.y, o.z, o.w};
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        const float distance = point[k % 4] - other[k / 4];
        sum[k % 4] = fmaf(distance, distance, sum[k % 4]);
      }
    }
    spread[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
  }
}
