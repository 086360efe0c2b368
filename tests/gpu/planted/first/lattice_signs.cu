// Spins of a lattice of six dimensions, times the sign of their site: -1 where the first, third and
// fifth coordinate and the number of coordinates that are 0 add up to an odd number.
//
//   RECIPROCALS  1: coordinates come from the reciprocals of the extents, 2^32 / d + 1, 0: from the
//                extents
//
// A thread has 4 sites, the lattice fewer than 2^24. Block 256, grid ceil(n / 1024). 4 divides n.
struct Extent {
  unsigned extent, reciprocal;
};

// Takes the last coordinate off an index.
__device__ __forceinline__ unsigned coordinate(unsigned& index, Extent d) {
#if RECIPROCALS
  const unsigned rest = __umulhi(index, d.reciprocal);
#else
  const unsigned rest = index / d.extent;
#endif
  const unsigned result = index - rest * d.extent;
  index = rest;
  return result;
}

extern "C" __global__ void __launch_bounds__(256)
    lattice_signs(const char4* __restrict__ spin, char4* __restrict__ out, int n, int d1, int d2,
                  int d3, int d4, int d5, unsigned r1, unsigned r2, unsigned r3, unsigned r4,
                  unsigned r5) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n / 4)
    return;
  const Extent extents[5] = {
      {unsigned(d5), r5}, {unsigned(d4), r4}, {unsigned(d3), r3}, {unsigned(d2), r2}, {unsigned(d1), r1}};
  const char4 s = spin[i];
  signed char v[4] = {s.x, s.y, s.z, s.w};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    unsigned index = i * 4 + k, parity = 0;
#pragma unroll
    for (int d = 0; d < 5; ++d) {
      const unsigned at = coordinate(index, extents[d]);
      parity += (at == 0) + (d % 2 ? at : 0);
    }
    parity += index == 0;
    v[k] = parity % 2 ? -v[k] : v[k];
  }
  out[i] = make_char4(v[0], v[1], v[2], v[3]);
}
