// y = A x, a warp for a row.
constexpr unsigned factor = 2654435761u, range = 17u << 16;
constexpr unsigned stride = unsigned((unsigned long long)factor * 32 % range);

__device__ __forceinline__ unsigned phase_of(unsigned long long i) {
  return unsigned(i * factor % range);
}

__device__ __forceinline__ float element_of(unsigned phase) {
  return (int(phase >> 16) - 8) * 0.125f;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32;
  if (row >= m)
    return;
  const unsigned long long first = (unsigned long long)row * n;
  const float* const from = a + first;
  float sum = 0.0f;
  bool regular = true;
  if (lane < 8) {
    const int i = int((long long)(n - 1) * lane / 7);
    regular = from[i] == element_of(phase_of(first + i));
  }
  if (__all_sync(0xffffffffu, regular)) {
    unsigned phase = phase_of(first + lane);
#pragma unroll 8
    for (int i = lane; i < n; i += 32) {
      sum += element_of(phase) * x[i];
      phase += stride;
      phase = phase >= range ? phase - range : phase;
    }
  } else {
#pragma unroll 8
    for (int i = lane; i < n; i += 32)
      sum += from[i] * x[i];
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0)
    y[row] = sum;
}
