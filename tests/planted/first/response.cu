// The response of a sensor at n frequencies: a polynomial of 64 coefficients.
//
//   UNROLL  terms at a time
//
// Block 256, grid ceil(n / 256). Any n.
constexpr int terms_at_once = UNROLL;

__constant__ float coefficient[64];

extern "C" __global__ void __launch_bounds__(256)
    response(const float*, const float* __restrict__ frequency, float* __restrict__ out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  const float x = frequency[i];
  float sum = 0;
#pragma unroll terms_at_once
  for (int k = 63; k >= 0; --k)
    sum = sum * x + coefficient[k];
  out[i] = sum;
}
