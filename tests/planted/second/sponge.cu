// Fingerprints of messages of 48 words: 24 rounds of additions, turns and exclusive ors over the whole message.
//
//   BLOCKS_PER_SM  blocks that shall fit on a multiprocessor
//
// Block 256, one thread a message. Word k of all messages lies together.
__device__ __forceinline__ unsigned turned(unsigned x, int by) {
  return __funnelshift_l(x, x, by);
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS_PER_SM)
    sponge(const unsigned* __restrict__ message, uint4* __restrict__ fingerprint, int messages) {
  const int m = blockIdx.x * 256 + threadIdx.x;
  if (m >= messages)
    return;
  unsigned s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k)
    s[k] = message[k * messages + m];
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
    s[0] += round;
#pragma unroll
    for (int k = 0; k < 48; ++k)
      s[k] = turned(s[k] + s[(k + 17) % 48], 7 + k % 5 * 3) ^ s[(k + 31) % 48];
  }
  fingerprint[m] = make_uint4(s[0] ^ s[12], s[1] ^ s[25], s[2] ^ s[38], s[3] ^ s[47]);
}
