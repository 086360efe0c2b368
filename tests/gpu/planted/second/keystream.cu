// Enciphers a text in counter mode: 16 Feistel rounds, each with four lookups in a key table of 256 words.
//
//   COPIES  copies of the table in shared memory, for lanes of equal remainder
//
// Block 512, any grid: the threads stride over blocks of 64 bits.
__device__ __forceinline__ unsigned turned(unsigned x, int by) {
  return __funnelshift_l(x, x, by);
}

extern "C" __global__ void __launch_bounds__(512, 4)
    keystream(const uint2* __restrict__ text, uint2* __restrict__ cipher, const unsigned* __restrict__ key, int n) {
  __shared__ unsigned table[256 * COPIES];
  for (int i = threadIdx.x; i < 256 * COPIES; i += 512)
    table[i] = key[i / COPIES];
  __syncthreads();
  const unsigned* mine = table + threadIdx.x % COPIES;
#pragma unroll 1
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) {
    const uint2 plain = text[i];
    unsigned left = i, right = ~i;
#pragma unroll 4
    for (int round = 0; round < 16; ++round) {
      const unsigned mixed = (mine[(right & 255) * COPIES] ^ turned(mine[(right >> 8 & 255) * COPIES], 8)) +
                             (turned(mine[(right >> 16 & 255) * COPIES], 16) ^ turned(mine[(right >> 24) * COPIES], 24));
      const unsigned old = right;
      right = left ^ mixed;
      left = old;
    }
    cipher[i] = make_uint2(plain.x ^ left, plain.y ^ right);
  }
}
