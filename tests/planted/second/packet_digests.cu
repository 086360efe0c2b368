// A 32-bit digest of each packet of 128 words: word k counts 2k + 1 times, modulo 2^32.
//
//   LANES  neighbouring threads that share a packet, 1 or 32
//
// Block 256, any grid: groups of LANES threads stride over the packets.
extern "C" __global__ void __launch_bounds__(256, 8)
    packet_digests(const unsigned* __restrict__ packet, unsigned* __restrict__ digest,
                   int packets) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  const int lane = thread % LANES;
#pragma unroll 1
  for (int p = thread / LANES; p < packets; p += gridDim.x * 256 / LANES) {
    const unsigned* word = packet + p * 128LL + lane;
    unsigned sum = 0;
#pragma unroll 4
    for (int k = 0; k < 128; k += LANES)
      sum += word[k] * (2 * (k + lane) + 1);
    for (int away = LANES / 2; away > 0; away /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, away);
    if (lane == 0)
      digest[p] = sum;
  }
}
