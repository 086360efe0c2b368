// gridsmith: VARIANT=by_warp ROWS=1 WIDTH=1 LOADS=1 SPLIT=1 block_size_x=256
// y = A x, a warp for a row. Rows whose elements follow the sequence that a few of them show are
// continued in registers instead of being read.
constexpr unsigned long long multiplier = 2654435761ull;
constexpr int step_of_residue = int(32 * multiplier / 65536 % 17);
constexpr float step_of_fraction = float(32 * multiplier % 65536) / 65536.0f;

__device__ __forceinline__ int residue(unsigned long long i) {
  return int((i * multiplier >> 16) % 17);
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32;
  if (row >= m)
    return;
  const size_t first = size_t(row) * n;
  const float* const of_row = a + first;
  bool known = n >= 256;
  if (known) {
    const int probe = int((long long)n * lane / 32);
    known = of_row[probe] == (residue(first + probe) - 8) * 0.125f;
  }
  float sum = 0.0f;
  if (__all_sync(0xffffffffu, known)) {
    const unsigned long long begin = (first + lane) * multiplier;
    float r = residue(first + lane), fraction = float(begin & 65535) / 65536.0f;
    float weighted = 0.0f, plain = 0.0f;
#pragma unroll 8
    for (int i = lane; i < n; i += 32) {
      const float value = x[i];
      weighted += r * value;
      plain += value;
      fraction += step_of_fraction;
      const float carry = fraction >= 1.0f ? 1.0f : 0.0f;
      fraction -= carry;
      r += step_of_residue + carry;
      r -= r >= 17.0f ? 17.0f : 0.0f;
    }
    sum = (weighted - 8.0f * plain) * 0.125f;
  } else {
#pragma unroll 8
    for (int i = lane; i < n; i += 32)
      sum += of_row[i] * x[i];
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0)
    y[row] = sum;
}
