// The reference of sort_rows_cub.cu, apart from it so that CUB is not compiled for it: a thread for
// each key counts those of its row that come before it, equal ones in their order. Block 256, grid
// (rows, ceil(columns / 256)).
extern "C" __global__ void sort_rows_cub_reference(const unsigned* __restrict__ in,
                                                   unsigned* __restrict__ out, int columns) {
  const int own = blockIdx.y * 256 + threadIdx.x;
  const size_t row = size_t(blockIdx.x) * columns;
  if (own >= columns)
    return;
  const unsigned key = in[row + own];
  int before = 0;
  for (int other = 0; other < columns; ++other)
    before += in[row + other] < key || (in[row + other] == key && other < own);
  out[row + before] = key;
}
