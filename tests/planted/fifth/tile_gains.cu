// Planes of height x width: a times three gains, plus b. The gains are those of the element's tile,
// of its place in the tile and of its plane's group. Block 256, grid elements / 256.
//
//   LITERAL_EXTENTS  0: extents are the arguments; 1: they are the literals of the same values
struct Extents {
  int width, height, tile_width, tile_height, cell, members;
};

extern "C" __global__ void __launch_bounds__(256)
    tile_gains(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
               const float* __restrict__ tiles, const float* __restrict__ cells,
               const float* __restrict__ groups, int width, int height, int tile_width,
               int tile_height, int cell, int members) {
  const Extents e = LITERAL_EXTENTS
                        ? Extents{1024, 512, 64, 8, 4, 2}
                        : Extents{width, height, tile_width, tile_height, cell, members};
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int line = i / e.width, x = i % e.width;
  const int plane = line / e.height, y = line % e.height;
  const int tile = y / e.tile_height * (e.width / e.tile_width) + x / e.tile_width;
  const int place = y % e.tile_height * (e.tile_width / e.cell) + x % e.tile_width / e.cell;
  out[i] = a[i] * tiles[tile] * cells[place] * groups[plane / e.members] + b[i];
}
