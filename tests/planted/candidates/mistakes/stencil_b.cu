// Star stencil of radius 2 in two dimensions. A thread makes DEPTH elements below each other and
// keeps their column in registers; only the neighbours to the left and right are loaded for each.
// The weights are read once: that of the centre, of the ring at distance 1 and of that at distance 2.
// gridsmith: VARIANT=direct DEPTH=4 WEIGHTS=from_constant

__constant__ float weights[7];

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_size_y + threadIdx.y) * DEPTH;
  if (x >= nx || y0 >= ny)
    return;
  const float centre = weights[0], inner = weights[1], outer = weights[2];

  float column[DEPTH + 4];
#pragma unroll
  for (int i = 0; i < DEPTH + 4; ++i) {
    const int y = y0 + i - 2;
    column[i] = y >= 0 && y < ny ? before[(size_t)y * nx + x] : 0.0f;
  }

#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
    const int y = y0 + i;
    if (y < ny) {
      const float* here = before + (size_t)y * nx + x;
      const float left1 = x >= 1 ? here[-1] : 0.0f, left2 = x >= 2 ? here[-2] : 0.0f;
      const float right1 = x + 1 < nx ? here[1] : 0.0f, right2 = x + 2 < nx ? here[2] : 0.0f;
      const float near = (left1 + right1) + (column[i + 1] + column[i + 3]);
      const float far = (left2 + right2) + (column[i] + column[i + 4]);
      after[(size_t)y * nx + x] = fmaf(outer, far, fmaf(inner, near, centre * column[i + 2]));
    }
  }
}
