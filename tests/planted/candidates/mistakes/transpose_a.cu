// Transpose, out (n x m) = in^T, 16 bytes at a time on both sides. The 256 threads of a block are
// regrouped as 8 x 32: thread t takes four neighbours of row t / 8 of the tile, and on the way out
// gathers four elements of a column from shared memory. Padding keeps the gathers apart.
#define EDGE 32
#define QUADS (EDGE / 4)

extern "C" __global__ void __launch_bounds__(EDGE * QUADS)
    transpose(const float* __restrict__ in, float* __restrict__ out, int m, int n) {
  __shared__ float tile[EDGE][EDGE + 1];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  const int line = t / QUADS, quad = t % QUADS * 4;
  const int row0 = blockIdx.y * EDGE, column0 = blockIdx.x * EDGE;

  const int row = row0 + line, column = column0 + quad;
  if (row < m && column < n) {
    const float4 v = *reinterpret_cast<const float4*>(in + (size_t)row * n + column);
    tile[line][quad] = v.x;
    tile[line][quad + 1] = v.y;
    tile[line][quad + 2] = v.z;
    tile[line][quad + 3] = v.w;
  }
  __syncthreads();

  const int to_row = column0 + line, to_column = row0 + quad;
  if (to_row < n && to_column < m)
    *reinterpret_cast<float4*>(out + (size_t)to_row * m + to_column) = make_float4(
        tile[quad][line], tile[quad + 1][line], tile[quad + 2][line], tile[quad + 3][line]);
}
