// *energy += the sum of the squares of n samples of 16 bits, modulo 2^32. The samples are cut into
// lines of 32, a warp for each; all even lines are read, then all odd ones. The first line begins
// at sample SHIFT, and what the last one reads beyond n is a repetition of the first samples.
// Block 256, grid 1056; n a multiple of 1056 * 8 * 16 * 64.
extern "C" __global__ void __launch_bounds__(256)
    interlaced(const unsigned short* __restrict__ samples, unsigned* __restrict__ energy, int n) {
  const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned lines = n / 64; // of each parity
  unsigned mine = 0;
  for (unsigned parity = 0; parity < 2; ++parity) {
#pragma unroll 1
    for (unsigned line = warp * 16; line < lines; line += 1056 * 8 * 16) {
      const unsigned short* from = samples + (line * 2 + parity) * 32 + lane + SHIFT;
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        const unsigned sample = from[k * 64];
        mine += sample * sample;
      }
    }
  }
  __shared__ unsigned of_warp[8];
  mine = __reduce_add_sync(~0u, mine);
  if (lane == 0)
    of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 8)
    mine = __reduce_add_sync(0xffu, of_warp[threadIdx.x]);
  if (threadIdx.x == 0)
    atomicAdd(energy, mine);
}
