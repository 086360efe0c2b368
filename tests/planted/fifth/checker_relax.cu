// A board of cells 16 wide and 1 high in two colours: an element of one colour is relaxed by one
// scheme, of the other by another, 128 steps of six fused multiply-adds each. A block has 32 x 8
// elements; width is a multiple of 32, height of 8. Block 256, grid (width / 32, height / 8).
//
//   ROWS_OF_WARP  1: a warp has 32 neighbours of a row; 2: 16 of each of two rows, of one colour
constexpr int steps = 128;

__device__ __forceinline__ float first_scheme(float v) {
  float u = 0.5f;
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
    u = __fmaf_rn(v, 0.0625f, u);
    v = __fmaf_rn(u, -0.0625f, v);
    u = __fmaf_rn(v, 0.125f, u);
    v = __fmaf_rn(u, -0.125f, v);
    u = __fmaf_rn(u, 0.875f, 0.03f);
    v = __fmaf_rn(v, 0.875f, 0.02f);
  }
  return u + v;
}

__device__ __forceinline__ float second_scheme(float v) {
  float u = v;
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {
    v = __fmaf_rn(v, 0.5f, 0.25f);
    u = __fmaf_rn(u, v, 0.125f);
    v = __fmaf_rn(v, 0.75f, 0.1f);
    u = __fmaf_rn(u, 0.5f, v);
    v = __fmaf_rn(u, -0.25f, v);
    u = __fmaf_rn(u, v, -0.25f);
  }
  return u - v;
}

extern "C" __global__ void __launch_bounds__(256)
    checker_relax(const float* __restrict__ in, float* __restrict__ out, int width) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp, column = lane;
  if (ROWS_OF_WARP == 2) {
    const int half = lane / 16;
    row = warp / 2 * 2 + half;
    column = (warp + half) % 2 * 16 + lane % 16;
  }
  const int i = (blockIdx.y * 8 + row) * width + blockIdx.x * 32 + column;
  const float v = in[i];
  out[i] = (column / 16 + row) % 2 ? second_scheme(v) : first_scheme(v);
}
