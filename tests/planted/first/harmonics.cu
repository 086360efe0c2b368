// A tone of 32 harmonics at n phases: the sum of sin(k x) / k for k = 1 … 32.
//
//   RECURRENCE  1: by Clenshaw's recurrence, 0: term by term
//
// Block 256, grid ceil(n / 256). Any n.
extern "C" __global__ void __launch_bounds__(256)
    harmonics(const float* __restrict__ phase, float* __restrict__ tone, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  const float x = phase[i];
#if RECURRENCE
  const float turn = 2 * __cosf(x);
  float b1 = 0, b2 = 0;
#pragma unroll
  for (int k = 32; k > 0; --k) {
    const float b = 1.0f / k + (turn * b1 - b2);
    b2 = b1;
    b1 = b;
  }
  tone[i] = b1 * __sinf(x);
#else
  float sum = 0;
#pragma unroll
  for (int k = 1; k <= 32; ++k)
    sum += __sinf(k * x) * (1.0f / k);
  tone[i] = sum;
#endif
}
