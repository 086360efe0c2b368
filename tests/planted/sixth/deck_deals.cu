// Shuffles a deck of 32 cards again and again and scores what comes to lie on top.
extern "C" __global__ void __launch_bounds__(128) deck_deals(unsigned* __restrict__ score, const unsigned* __restrict__ seeds, int deals) {
#if COLUMNS == 1
  __shared__ unsigned cards[32 * 128];
#define CARD(k) cards[(k) * 128 + threadIdx.x]
#else
  unsigned cards[32];
#define CARD(k) cards[k]
#endif
  const int id = blockIdx.x * 128 + threadIdx.x;
  unsigned s = seeds[id], sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) CARD(k) = k;
#pragma unroll 1
  for (int d = 0; d < deals; ++d) {
#pragma unroll 1
    for (int k = 31; k > 0; --k) {
      s = s * 1664525u + 1013904223u;
      const unsigned j = (s >> 16) * (k + 1) >> 16;
      const unsigned a = CARD(k), b = CARD(j);
      CARD(j) = a;
      CARD(k) = b;
      sum = sum * 3 + b;
    }
  }
  score[id] = sum;
}
