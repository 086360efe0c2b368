// The 3-D star of radius 2, straight from memory: away from the borders of y and z, which whole warps
// are, only the neighbours along x are looked at before they are read.
constexpr int radius = 2;

__constant__ float weights[1 + 3 * radius];

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y* block_size_z)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  static_assert(axes == 3);
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y = blockIdx.y * block_size_y + threadIdx.y;
  int z = blockIdx.z * block_size_z * DEPTH + threadIdx.z;
  if (x >= nx || y >= ny)
    return;
  const int plane = nx * ny;
  const bool inner_y = y >= radius && y + radius < ny;
#pragma unroll
  for (int step = 0; step < DEPTH; ++step, z += block_size_z) {
    if (z >= nz)
      return;
    const int i = (z * ny + y) * nx + x;
    const float* const p = before + i;
    float sum = weights[0] * p[0];
#pragma unroll
    for (int d = 1; d <= radius; ++d)
      sum += weights[d] * ((x >= d ? p[-d] : 0.0f) + (x + d < nx ? p[d] : 0.0f));
    if (inner_y && z >= radius && z + radius < nz) {
#pragma unroll
      for (int d = 1; d <= radius; ++d)
        sum += weights[radius + d] * (p[-d * nx] + p[d * nx]);
#pragma unroll
      for (int d = 1; d <= radius; ++d)
        sum += weights[2 * radius + d] * (p[-d * plane] + p[d * plane]);
    } else {
#pragma unroll
      for (int d = 1; d <= radius; ++d)
        sum += weights[radius + d] * ((y >= d ? p[-d * nx] : 0.0f) + (y + d < ny ? p[d * nx] : 0.0f));
#pragma unroll
      for (int d = 1; d <= radius; ++d)
        sum += weights[2 * radius + d] *
               ((z >= d ? p[-d * plane] : 0.0f) + (z + d < nz ? p[d * plane] : 0.0f));
    }
    after[i] = sum;
  }
}
