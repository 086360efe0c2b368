// SPDX-License-Identifier: Apache-2.0
// A field with ghost cells around it: where its interior lies comes as a struct by value.

struct Span {
  int begin, end;
};

struct Grid {
  Span x, y;
  long long row; // after two spans: no gap; the weights behind it end with one
  float weights[3];
};

__device__ float blend(const Grid& grid, const float4* in, long long at) {
  const float4 left = in[at - 1], here = in[at], right = in[at + 1];
  return grid.weights[0] * (left.x + left.w) + grid.weights[1] * (here.y + here.z) + grid.weights[2] * right.x;
}

__device__ void move(Grid grid, const float4* in, float* out, double2 scale, int x, int y) {
  if (x >= grid.x.end || y >= grid.y.end)
    return;
  const long long at = y * grid.row + x;
  out[at] = static_cast<float>(scale.x * blend(grid, in, at) + scale.y);
}

#ifndef BLOCK
#define BLOCK 32
#endif

extern "C" __global__ void ghosts(const float4* in, float* out, Grid grid, double2 scale, unsigned char) {
  move(grid, in, out, scale, grid.x.begin + blockIdx.x * BLOCK + threadIdx.x, grid.y.begin + blockIdx.y);
}

extern "C" __global__ void ghosts_reference(const float4* in, float* out, Grid grid, double2 scale, unsigned char) {
  for (int x = grid.x.begin + threadIdx.x; x < grid.x.end; x += blockDim.x)
    move(grid, in, out, scale, x, grid.y.begin + blockIdx.x);
}
