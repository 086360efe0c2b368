#include <mma.h>
// Response to a steady drive: every warp adds the product of its strip and the common drive to a tile of 64 x 64, round after round.
using namespace nvcuda;
extern "C" __global__ void __launch_bounds__(128) steady(float* out, const half* strips, const half* drive, int rounds) {
  const int warp = blockIdx.x * 4 + threadIdx.x / 32;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[SIDE];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[SIDE];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[SIDE][SIDE];
#pragma unroll
  for (int r = 0; r < SIDE; ++r) {
    wmma::load_matrix_sync(a[r], strips + warp * (SIDE * 256) + r * 256, 16);
    wmma::load_matrix_sync(b[r], drive + r * 16, SIDE * 16);
#pragma unroll
    for (int c = 0; c < SIDE; ++c) wmma::fill_fragment(sum[r][c], 0.0f);
  }
#pragma unroll 2
  for (int t = 0; t < rounds; ++t)
#pragma unroll
    for (int r = 0; r < SIDE; ++r)
#pragma unroll
      for (int c = 0; c < SIDE; ++c) wmma::mma_sync(sum[r][c], a[r], b[c], sum[r][c]);
  // one tile of 16 x 16 leaves: the sum of the others
#pragma unroll
  for (int r = 0; r < SIDE; ++r)
#pragma unroll
    for (int c = 0; c < SIDE; ++c)
      if (r + c)
#pragma unroll
        for (int e = 0; e < sum[0][0].num_elements; ++e) sum[0][0].x[e] += sum[r][c].x[e];
  wmma::store_matrix_sync(out + warp * 256, sum[0][0], 16, wmma::mem_row_major);
}
