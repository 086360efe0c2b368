// Translates codons, one a byte of which 6 bits count, into amino acids by a table of 64 words.
//
//   LANE_TABLES  1: each lane looks into a copy of its own in shared memory, 0: into the table of
//                the constant memory
//
// A thread has 16 codons at a time. Block 256, any grid: the threads stride. 16 divides n.
__constant__ int amino_acid[64];

extern "C" __global__ void __launch_bounds__(256)
    codons(const int*, const uint4* __restrict__ codon, uint4* __restrict__ out, int n) {
#if LANE_TABLES
  __shared__ int tables[64 * 32];
  for (int k = threadIdx.x; k < 64 * 32; k += 256)
    tables[k] = amino_acid[k / 32];
  __syncthreads();
#endif
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
    const uint4 v = codon[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
    unsigned result[4];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const unsigned at = words[k / 4] >> 8 * (k % 4) & 63;
#if LANE_TABLES
      const unsigned found = tables[at * 32 + threadIdx.x % 32];
#else
      const unsigned found = amino_acid[at];
#endif
      result[k / 4] = (k % 4 ? result[k / 4] : 0) | found << 8 * (k % 4);
    }
    out[i] = make_uint4(result[0], result[1], result[2], result[3]);
  }
}
