// Transpose through a swizzled tile: no padding, element (r, c) of the tile lies in column c ^ r, so
// that rows and columns are both free of bank conflicts. Blocks inside the matrix check nothing.
// gridsmith: VARIANT=tiled TILE=32 ROWS=8 PADDING=0

__device__ __forceinline__ int swizzled(int row, int column) {
  return row * TILE + (column ^ row);
}

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
    transpose(const float* __restrict__ in, float* __restrict__ out, int m, int n) {
  __shared__ float tile[TILE * TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
  const float* from = in + (size_t)(row0 + ty) * n + column0 + tx;
  float* to = out + (size_t)(column0 + ty) * m + row0 + tx;

  if (row0 + TILE <= m && column0 + TILE <= n) {
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
      tile[swizzled(ty + j, tx)] = __ldg(from + (size_t)j * n);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
      to[(size_t)j * m] = tile[swizzled(tx, ty + j)];
  } else {
    for (int j = 0; j < TILE; j += ROWS)
      if (row0 + ty + j < m && column0 + tx < n)
        tile[swizzled(ty + j, tx)] = __ldg(from + (size_t)j * n);
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS)
      if (column0 + ty + j < m && row0 + tx < n)
        to[(size_t)j * m] = tile[swizzled(tx, ty + j)];
  }
}
