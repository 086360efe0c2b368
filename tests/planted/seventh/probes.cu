// Fewest edits with which a probe of 16 bases fits anywhere into a read of 64 bases; two bits a base, one pair per thread.
extern "C" __global__ void __launch_bounds__(256)
probes(int* edits, const unsigned* __restrict__ probe, const uint4* __restrict__ read) {
  __shared__ int column[256 * PITCH];
  const int i = blockIdx.x * 256 + threadIdx.x;
  int* d = column + threadIdx.x * PITCH;
  const unsigned q = probe[i];
  const uint4 r = read[i];
#pragma unroll 4
  for (int j = 0; j < 16; ++j) d[j] = j + 1;
  int best = 16;
#pragma unroll 1
  for (int word = 0; word < 4; ++word) {
    unsigned bases = word == 0 ? r.x : word == 1 ? r.y : word == 2 ? r.z : r.w;
#pragma unroll 1
    for (int b = 0; b < 16; ++b, bases >>= 2) {
      // each pair of bits of x is 0 where the probe has the read's base
      unsigned x = q ^ ((bases & 3u) * 0x55555555u);
      int left = 0, diagonal = 0;
#pragma unroll 4
      for (int j = 0; j < 16; ++j, x >>= 2) {
        int up = d[j];
        left = min(diagonal + ((x & 3u) != 0), min(up, left) + 1);
        diagonal = up;
        d[j] = left;
      }
      best = min(best, left);
    }
  }
  edits[i] = best;
}
