// Stacks the first 32 samples of pulses that a digitizer recorded at a distance of 64 samples.
extern "C" __global__ void __launch_bounds__(256) adc_stack(unsigned* __restrict__ stack, const unsigned short* __restrict__ delayed,
                                                            const unsigned short* __restrict__ prompt, int shots) {
#if SKEW == 0
  const unsigned short* record = prompt;
#else
  const unsigned short* record = delayed + SKEW;
#endif
  const int lane = threadIdx.x % 32;
  const int warp = blockIdx.x * 8 + threadIdx.x / 32;
  const unsigned short* p = record + (size_t)warp * shots * 64 + lane;
  unsigned sum = 0;
  for (int s = 0; s < shots; s += 16) {
    unsigned v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = p[(size_t)(s + k) * 64];
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += v[k];
  }
  stack[warp * 32 + lane] = sum;
}
