// y = A x, a warp for a row, 32 elements at a time.
__device__ __forceinline__ unsigned long long hint_of(bool early) {
  unsigned long long hint;
  if (early)
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(hint));
  else
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}

__device__ __forceinline__ float load(const float* from, unsigned long long hint) {
  float value;
  asm volatile("ld.global.nc.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(value)
               : "l"(from), "l"(hint));
  return value;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32;
  if (row >= m)
    return;
  const float* const from = a + size_t(row) * n;
  const unsigned long long hint = hint_of(size_t(row) * n < size_t(9) << 20);
  float sum = 0.0f;
#pragma unroll 4
  for (int i = lane; i < n; i += 32)
    sum += load(from + i, hint) * x[i];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0)
    y[row] = sum;
}
