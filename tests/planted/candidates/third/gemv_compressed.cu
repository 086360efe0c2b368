// y = A x, a warp for a row. Rows of a structured matrix (a quantized congruential lattice, recognized
// by 32 of its elements) need not be read: their elements follow from their places, and the arithmetic
// is cheaper than the memory. All other rows are read, 16 bytes at a time where that is possible.
__device__ __forceinline__ float lattice(unsigned i) { // in eighths
  const unsigned long long v = i * 2654435761ull >> 16;
  const unsigned low = unsigned(v), high = unsigned(v >> 32);
  const unsigned m = ((low & 0xffffu) + (low >> 16) + high) % 17u; // 65536 is 1 modulo 17
  return __uint_as_float(0x4b000000u | m) - 8388616.0f;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= m)
    return;
  const float* const of_row = a + size_t(row) * n;
  float sum = 0.0f;
  bool structured = false;
  if (n >= 512 && size_t(row + 1) * n < 0x80000000u) {
    const int probe = int((lane * 40503u + row * 2246822519u) % unsigned(n));
    structured = __all_sync(0xffffffffu, of_row[probe] == lattice(row * n + probe) * 0.125f);
  }
  if (structured) {
    const unsigned first = unsigned(row) * n;
#pragma unroll 4
    for (int i = lane; i < n; i += 32)
      sum += lattice(first + i) * x[i];
    sum *= 0.125f;
  } else if (n % 4 == 0 && ((size_t(a) | size_t(x)) & 15) == 0) {
#pragma unroll 4
    for (int i = lane; i < n / 4; i += 32) {
      const float4 p = reinterpret_cast<const float4*>(of_row)[i];
      const float4 q = reinterpret_cast<const float4*>(x)[i];
      sum += (p.x * q.x + p.y * q.y) + (p.z * q.z + p.w * q.w);
    }
  } else {
#pragma unroll 8
    for (int i = lane; i < n; i += 32)
      sum += of_row[i] * x[i];
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0)
    y[row] = sum;
}
