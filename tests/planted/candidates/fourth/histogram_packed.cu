// SPDX-License-Identifier: Apache-2.0
// gridsmith: BLOCK=512 ITEMS=64 REPL=2
// Bins b and b + 128 share a word, 16 bits each: half the shared memory and half the words to clear
// and to add up, so that fewer, longer blocks pay off: a copy takes half of the 2^17 bytes of a block,
// which 16 bits can count.
#define BINS_STRIDE 129
extern "C" __global__ void __launch_bounds__(BLOCK)
histogram(const unsigned int* __restrict__ data, unsigned int* hist, int nwords) {
  __shared__ unsigned int packed[REPL * BINS_STRIDE];
  for (int i = threadIdx.x; i < REPL * BINS_STRIDE; i += BLOCK)
    packed[i] = 0u;
  __syncthreads();
  unsigned int* const mine = packed + (threadIdx.x % REPL) * BINS_STRIDE;
  const size_t base = (size_t)blockIdx.x * BLOCK * ITEMS + threadIdx.x;
#pragma unroll 8
  for (int i = 0; i < ITEMS; ++i) {
    const size_t p = base + (size_t)i * BLOCK;
    if (p < (size_t)nwords) {
      const unsigned int w = __ldcs(data + p);
#pragma unroll
      for (int s = 0; s < 32; s += 8) {
        const unsigned int byte = w >> s & 255u;
        atomicAdd(mine + (byte & 127u), byte & 128u ? 0x10000u : 1u);
      }
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 128; b += BLOCK) {
    unsigned int low = 0u, high = 0u;
#pragma unroll
    for (int r = 0; r < REPL; ++r) {
      const unsigned int both = packed[r * BINS_STRIDE + b];
      low += both & 0xffffu;
      high += both >> 16;
    }
    if (low)
      atomicAdd(hist + b, low);
    if (high)
      atomicAdd(hist + b + 128, high);
  }
}
