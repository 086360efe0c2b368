// Follows chains of pages of 32 words. The first word of a page is the number of the page behind it.
extern "C" __global__ void __launch_bounds__(256) page_chain(unsigned* __restrict__ digest, const unsigned* __restrict__ pages,
                                                             int length) {
  const int lane = threadIdx.x % 32;
  const int warp = blockIdx.x * 8 + threadIdx.x / 32;
#pragma unroll 1
  for (int c = warp * 8; c < warp * 8 + 8; c += TOGETHER) {
    unsigned at[TOGETHER], sum[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
      at[k] = c + k;
      sum[k] = 0;
    }
#pragma unroll 1
    for (int s = 0; s < length; ++s) {
      unsigned v[TOGETHER];
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) v[k] = pages[at[k] * 32 + lane];
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        at[k] = __shfl_sync(0xffffffffu, v[k], 0);
        sum[k] = sum[k] * 5 + v[k];
      }
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) digest[(c + k) * 32 + lane] = sum[k];
  }
}
