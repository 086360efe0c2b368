// Flags of a map, eight in a byte: each cell gets those of the eight cells below it too.
//
//   CELLS  cells of a row that a thread takes together
//
// Block 32 x 8, four rows a thread; rows of 8192 cells, rows of the result a multiple of 32, eight more of the map.
#define PITCH 8192

#if CELLS == 16
using Cells = uint4;

__device__ Cells both(Cells a, Cells b) {
  return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}
#else
using Cells = unsigned char;

__device__ Cells both(Cells a, Cells b) {
  return a | b;
}
#endif

extern "C" __global__ void __launch_bounds__(256)
    spread_flags(const unsigned char* __restrict__ flags, unsigned char* __restrict__ spread) {
  const int x = (blockIdx.x * 32 + threadIdx.x) * CELLS;
  int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
  for (int k = 0; k < 4; ++k, y += 8) {
    const unsigned char* cell = flags + y * PITCH + x;
    Cells all = *reinterpret_cast<const Cells*>(cell);
#pragma unroll
    for (int below = 1; below <= 8; ++below)
      all = both(all, *reinterpret_cast<const Cells*>(cell + below * PITCH));
    *reinterpret_cast<Cells*>(spread + y * PITCH + x) = all;
  }
}
