// Transpose of an n x n matrix through a tile in shared memory. Rows of the tile are read and rows of
// its transpose are written by 16 bytes: a warp takes four rows of 32 elements in one access. Elements
// 33 apart (PAD) and four rows at a time put all lanes into different banks, both ways.
//
// n is a multiple of TILE, so of 4: all rows are aligned if the arrays are; else one by one.
extern "C" __global__ void __launch_bounds__(TILE * ROWS)
    transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[TILE][TILE + PAD];
  constexpr int pieces = TILE / 4; // of a row
  const int t = threadIdx.y * TILE + threadIdx.x;
  const size_t row0 = size_t(blockIdx.y) * TILE, column0 = size_t(blockIdx.x) * TILE;
  const float* const from = in + row0 * n + column0;
  float* const to = out + column0 * n + row0;
  if ((reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % 16 == 0) {
#pragma unroll
    for (int p = t; p < TILE * pieces; p += TILE * ROWS) {
      const int row = p / pieces, column = p % pieces * 4;
      const float4 piece = *reinterpret_cast<const float4*>(from + size_t(row) * n + column);
      tile[row][column] = piece.x;
      tile[row][column + 1] = piece.y;
      tile[row][column + 2] = piece.z;
      tile[row][column + 3] = piece.w;
    }
    __syncthreads();
#pragma unroll
    for (int p = t; p < TILE * pieces; p += TILE * ROWS) {
      const int row = p / pieces, column = p % pieces * 4;
      *reinterpret_cast<float4*>(to + size_t(row) * n + column) =
          make_float4(tile[column][row], tile[column + 1][row], tile[column + 2][row],
                      tile[column + 3][row]);
    }
  } else {
#pragma unroll
    for (int j = threadIdx.y; j < TILE; j += ROWS)
      tile[j][threadIdx.x] = from[size_t(j) * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int j = threadIdx.y; j < TILE; j += ROWS)
      to[size_t(j) * n + threadIdx.x] = tile[threadIdx.x][j];
  }
}
