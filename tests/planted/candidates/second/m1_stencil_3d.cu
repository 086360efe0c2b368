// gridsmith: VARIANT=window DEPTH=64 WEIGHTS=from_constant block_size_x=32 block_size_y=8 block_size_z=1
// Star stencil of radius 2 in 3-D. Slides along z with the column in registers; neighbours of the
// plane come from the L1. All neighbours at one distance are added first, which leaves three
// multiplications of seven.
__constant__ float weights[7];

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__, int nx, int ny, int nz) {
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y = blockIdx.y * block_size_y + threadIdx.y;
  const int z0 = blockIdx.z * DEPTH;
  if (x >= nx || y >= ny)
    return;
  const int plane = nx * ny, own = y * nx + x;
  const bool l1 = x >= 1, l2 = x >= 2, r1 = x + 1 < nx, r2 = x + 2 < nx;
  const bool u1 = y >= 1, u2 = y >= 2, d1 = y + 1 < ny, d2 = y + 2 < ny;
  const float w0 = weights[0], w1 = weights[1], w2 = weights[2];
  const auto at = [&](int z) { return unsigned(z) < unsigned(nz) ? before[z * plane + own] : 0.0f; };
  float below2 = at(z0 - 2), below1 = at(z0 - 1), here = at(z0), above1 = at(z0 + 1);
  const int end = min(z0 + DEPTH, nz);
#pragma unroll 4
  for (int z = z0; z < end; ++z) {
    const float above2 = at(z + 2);
    const float* const p = before + z * plane + own;
    float near = below1 + above1, far = below2 + above2;
    near += (l1 ? p[-1] : 0.0f) + (r1 ? p[1] : 0.0f);
    far += (l2 ? p[-2] : 0.0f) + (r2 ? p[2] : 0.0f);
    near += (u1 ? p[-nx] : 0.0f) + (d1 ? p[nx] : 0.0f);
    far += (u2 ? p[-2 * nx] : 0.0f) + (d2 ? p[2 * nx] : 0.0f);
    after[z * plane + own] = w0 * here + w1 * near + w2 * far;
    below2 = below1;
    below1 = here;
    here = above1;
    above1 = above2;
  }
}
