// Spins of a lattice of six dimensions, times the sign of their site: -1 where the first, third and
// fifth coordinate and the number of coordinates that are 0 add up to an odd number.
//
//   RECIPROCALS  1: coordinates come from the reciprocals of the extents, 2^32 / d + 1, 0: from the
//                extents
//
// The lattice has fewer than 2^24 sites and no extent but the first more than 256. Block 256, grid
// ceil(n / 256).
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
    lattice_signs(const float* __restrict__ spin, float* __restrict__ out, int n, unsigned d1,
                  unsigned d2, unsigned d3, unsigned d4, unsigned d5, unsigned r1, unsigned r2,
                  unsigned r3, unsigned r4, unsigned r5) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  const Extent extents[5] = {{d5, r5}, {d4, r4}, {d3, r3}, {d2, r2}, {d1, r1}};
  unsigned index = i, parity = 0;
#pragma unroll
  for (int d = 0; d < 5; ++d) {
    const unsigned at = coordinate(index, extents[d]);
    parity += (at == 0) + (d % 2 ? at : 0);
  }
  parity += (index == 0) + index;
  out[i] = parity % 2 ? -spin[i] : spin[i];
}
