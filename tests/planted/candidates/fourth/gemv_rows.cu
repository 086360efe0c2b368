// SPDX-License-Identifier: Apache-2.0
// y = A x. A warp walks a row with 16-byte loads and four accumulators; rows whose start is not on a
// 16-byte boundary go element by element. Addresses are kept in bytes so that the inner loop is one
// add per load.
#define by_thread 0
#define by_warp 1
#define by_block 2

__device__ __forceinline__ float warp_total(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  if (blockIdx.y > 0)
    return;
  const int warps = block_size_x / 32, lane = threadIdx.x & 31;
  const int pitch = n * int(sizeof(float)); // bytes from row to row
  const char* const base = reinterpret_cast<const char*>(a);
  for (int row = blockIdx.x * warps + threadIdx.x / 32; row < m; row += gridDim.x * warps) {
    const char* const start = base + row * pitch;
    float s0 = 0.f, s1 = 0.f, s2 = 0.f, s3 = 0.f;
    int at = lane;
    if (((reinterpret_cast<size_t>(start) | reinterpret_cast<size_t>(x)) & 15) == 0) {
      const float4* const r4 = reinterpret_cast<const float4*>(start);
      const float4* const x4 = reinterpret_cast<const float4*>(x);
      const int quads = n >> 2;
#pragma unroll 4
      for (int q = lane; q < quads; q += 32) {
        const float4 v = __ldcs(r4 + q), w = x4[q];
        s0 += v.x * w.x;
        s1 += v.y * w.y;
        s2 += v.z * w.z;
        s3 += v.w * w.w;
      }
      at = (quads << 2) + lane;
    }
    const float* const r = reinterpret_cast<const float*>(start);
#pragma unroll 4
    for (int i = at; i < n; i += 32)
      s0 += r[i] * x[i];
    const float total = warp_total((s0 + s1) + (s2 + s3));
    if (lane == 0)
      y[row] = total;
  }
}
