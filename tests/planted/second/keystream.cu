// Enciphers a text in counter mode: 16 Feistel rounds, each with four lookups in a key table of 256 pairs of words.
//
//   COPIES  copies of the table in shared memory, for lanes of equal remainder
//
// Block 512, any grid: the threads stride over blocks of 128 bits.
extern "C" __global__ void __launch_bounds__(512, 3)
    keystream(const uint4* __restrict__ text, uint4* __restrict__ cipher,
              const uint2* __restrict__ key, int n) {
  __shared__ uint2 table[256 * COPIES];
  for (int i = threadIdx.x; i < 256 * COPIES; i += 512)
    table[i] = key[i / COPIES];
  __syncthreads();
  const unsigned lane = threadIdx.x % COPIES;
#pragma unroll 1
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) {
    uint2 left = make_uint2(i, 0), right = make_uint2(~i, 1);
#pragma unroll 4
    for (int round = 0; round < 16; ++round) {
      const uint2 a = table[(right.x & 255) * COPIES | lane];
      const uint2 b = table[(right.x >> 8 & 255) * COPIES | lane];
      const uint2 c = table[(right.x >> 16 & 255) * COPIES | lane];
      const uint2 d = table[(right.x >> 24) * COPIES | lane];
      const uint2 next =
          make_uint2((a.y ^ b.x ^ c.y) + d.y ^ left.y, (a.x ^ b.y ^ d.x) + c.x ^ left.x);
      left = right;
      right = next;
    }
    const uint4 plain = text[i];
    cipher[i] =
        make_uint4(plain.x ^ left.x, plain.y ^ left.y, plain.z ^ right.x, plain.w ^ right.y);
  }
}
