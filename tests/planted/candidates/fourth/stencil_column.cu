// SPDX-License-Identifier: Apache-2.0
// gridsmith: VARIANT=direct DEPTH=4
// A thread has DEPTH elements below each other: what it loads of their column serves all of them.
// Away from the border nothing is tested. In three dimensions the elements lie along z.
#define direct 0
#define tile 1
#define window 2
#define literal 0
#define from_constant 1
#define from_global 2

#ifndef block_size_z
#define block_size_z 1
#endif

typedef long long Offset;

__constant__ float weights[7];

// One 2-D plane's neighbours or, with three axes, those along x and y; `slow` is the last axis.
template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y* block_size_z)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  constexpr bool flat = axes == 2;
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y_first = (blockIdx.y * block_size_y + threadIdx.y) * (flat ? DEPTH : 1);
  const int z_first = flat ? 0 : (blockIdx.z * block_size_z + threadIdx.z) * DEPTH;
  const int first = flat ? y_first : z_first, length = flat ? ny : nz;
  if (x >= nx || first >= length || y_first >= ny)
    return;
  const Offset stride = flat ? Offset(nx) : Offset(nx) * ny;
  const Offset origin = (Offset(z_first) * ny + y_first) * nx + x;
  const float* const from = before + origin;
  constexpr int slow = flat ? 2 : 4; // the slow axis' weights come behind this one
  float column[DEPTH + 4];
  const bool inside = x >= 2 && x + 2 < nx && first >= 2 && first + DEPTH + 2 <= length &&
                      (flat || (y_first >= 2 && y_first + 2 < ny));
  if (inside) {
#pragma unroll
    for (int j = 0; j < DEPTH + 4; ++j)
      column[j] = from[(j - 2) * stride];
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      const float* const at = from + d * stride;
      float sum = weights[0] * column[d + 2];
      sum += weights[1] * (at[-1] + at[1]) + weights[2] * (at[-2] + at[2]);
      if (!flat)
        sum += weights[3] * (at[-Offset(nx)] + at[nx]) +
               weights[4] * (at[-2 * Offset(nx)] + at[2 * Offset(nx)]);
      sum += weights[slow + 1] * (column[d + 1] + column[d + 3]) +
             weights[slow + 2] * (column[d] + column[d + 4]);
      after[origin + d * stride] = sum;
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < DEPTH + 4; ++j) {
    const int place = first + j - 2;
    column[j] = place >= 0 && place < length ? from[(j - 2) * stride] : 0.0f;
  }
#pragma unroll
  for (int d = 0; d < DEPTH; ++d)
    if (first + d < length) {
      const float* const at = from + d * stride;
      const auto beside = [&](int i) { return x + i >= 0 && x + i < nx ? at[i] : 0.0f; };
      float sum = weights[0] * column[d + 2];
      sum += weights[1] * (beside(-1) + beside(1)) + weights[2] * (beside(-2) + beside(2));
      if (!flat) {
        const auto above = [&](int i) {
          return y_first + i >= 0 && y_first + i < ny ? at[Offset(i) * nx] : 0.0f;
        };
        sum += weights[3] * (above(-1) + above(1)) + weights[4] * (above(-2) + above(2));
      }
      sum += weights[slow + 1] * (column[d + 1] + column[d + 3]) +
             weights[slow + 2] * (column[d] + column[d + 4]);
      after[origin + d * stride] = sum;
    }
}
