// A bell around each centre c, weighted at 64 positions: sum of w(k) exp(-(c - k / 32)^2 / 2) with
// w(k) = 1 + k * 5 % 11. Block 256, grid n / 256.
//
//   EXPONENTIALS  of an element: 64, or 2, the others being products: from a position to the next
//                 the bell changes by a factor, and that by a constant one
constexpr int positions = 64;
constexpr float distance = 1.f / 32;

__device__ __forceinline__ constexpr float weight(int k) {
  return 1 + k * 5 % 11;
}

__device__ __forceinline__ float sum_of_all(float c) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < positions; ++k) {
    const float d = c - k * distance;
    sum += weight(k) * __expf(-0.5f * d * d);
  }
  return sum;
}

__device__ __forceinline__ float sum_of_products(float c) {
  constexpr float second = 0.99902391418f; // exp(-distance^2)
  float bell = __expf(-0.5f * c * c), factor = __expf(distance * c - 0.5f * distance * distance);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < positions; ++k) {
    sum += weight(k) * bell;
    bell *= factor;
    factor *= second;
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256)
    bells(const float* __restrict__ centres, float* __restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = EXPONENTIALS == 2 ? sum_of_products(centres[i]) : sum_of_all(centres[i]);
}
