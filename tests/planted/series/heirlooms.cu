// Counts the kinds of heirlooms of a household.
extern "C" __global__ void __launch_bounds__(128)
heirlooms(unsigned* __restrict__ out, const unsigned char* __restrict__ kinds, int n) {
  const int household = blockIdx.x * 128 + threadIdx.x;
#if DRAWERS > 0
  unsigned drawer[DRAWERS];
#define HELD(k) drawer[k]
  constexpr int count = DRAWERS;
#else
  __shared__ unsigned drawer[4 * 128];
#define HELD(k) drawer[(k) * 128 + threadIdx.x]
  constexpr int count = 4;
#endif
#pragma unroll
  for (int k = 0; k < count; ++k)
    HELD(k) = 0;
  for (int i = 0; i < 256; ++i)
    HELD(kinds[(size_t)i * n + household] & (count - 1)) += i;
#pragma unroll
  for (int bin = 0; bin < 4; ++bin) {
    unsigned sum = 0;
#pragma unroll
    for (int k = bin; k < count; k += 4)
      sum += HELD(k);
    out[bin * n + household] = sum;
  }
}
