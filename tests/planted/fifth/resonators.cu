// 40 decaying sums of one signal per thread, which is itself a recurrence from the thread's element;
// the result is a weighted sum of them after 64 steps. Block 256, grid n / 256.
//
//   MIN_BLOCKS  that shall fit on a multiprocessor, for the compiler: 8 or 5
constexpr int threads = 256, steps = 64, sums = 40;

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    resonators(const float* __restrict__ in, float* __restrict__ out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float x = in[i], s[sums];
#pragma unroll
  for (int k = 0; k < sums; ++k)
    s[k] = x * k;
#pragma unroll 4
  for (int step = 0; step < steps; ++step) {
    x = __fmaf_rn(x, -0.75f, 0.25f);
#pragma unroll
    for (int k = 0; k < sums; ++k)
      s[k] = __fmaf_rn(s[k], 0.25f + k / 80.f, x);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < sums; ++k)
    sum = __fmaf_rn(s[k], (k * 7 % 13 - 6.5f) / 64, sum);
  out[i] = sum;
}
