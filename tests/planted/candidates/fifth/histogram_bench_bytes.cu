// SPDX-License-Identifier: Apache-2.0
// gridsmith: BLOCK=128 ITEMS=64
// No atomics in the inner loop: each thread has 256 counters of its own, a byte each, laid out so
// that the lanes of a warp always lie in different banks whatever the data. 64 words are 256 bytes
// per thread, which is what a byte can count. Then the block adds up the columns, two bytes at a
// time in 16 bits each.
extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram(const unsigned int* __restrict__ data, unsigned int* hist, int nwords) {
  __shared__ unsigned int rows[256 * BLOCK / 4];
  unsigned char* const own = reinterpret_cast<unsigned char*>(rows) + (threadIdx.x / 128) * 128 +
                             (threadIdx.x % 32) * 4 + (threadIdx.x / 32) % 4;
  for (int i = threadIdx.x; i < 256 * BLOCK / 4; i += BLOCK)
    rows[i] = 0u;
  __syncthreads();
  const size_t base = size_t(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
#pragma unroll 8
  for (int i = 0; i < ITEMS; ++i) {
    const size_t p = base + size_t(i) * BLOCK;
    if (p < size_t(nwords)) {
      const unsigned int w = __ldcs(data + p);
      ++own[(w & 255u) * BLOCK];
      ++own[((w >> 8) & 255u) * BLOCK];
      ++own[((w >> 16) & 255u) * BLOCK];
      ++own[(w >> 24) * BLOCK];
    }
  }
  __syncthreads();
  constexpr int length = BLOCK / 4;
  for (int b = threadIdx.x; b < 256; b += BLOCK) {
    unsigned int even = 0, odd = 0;
#pragma unroll 8
    for (int i = 0; i < length; ++i) {
      const unsigned int w = rows[b * length + (i + b) % length];
      even += w & 0x00ff00ffu;
      odd += (w >> 8) & 0x00ff00ffu;
    }
    const unsigned int sum = (even & 0xffffu) + (even >> 16) + (odd & 0xffffu) + (odd >> 16);
    if (sum)
      atomicAdd(hist + b, sum);
  }
}
