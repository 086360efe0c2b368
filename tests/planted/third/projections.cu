// A matrix of 2048 x 2304 weights applied to 32 frames of 2304 readings each.
//
//   FRAMES  frames that a block takes together
//
// Block 256, a warp for two rows; the grid is 128 x 32 / FRAMES.
#define ROWS 2048
#define QUADS 576

__device__ float dot(float4 a, float4 b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

extern "C" __global__ void __launch_bounds__(256)
    projections(const float4* __restrict__ weights, const float4* __restrict__ readings,
                float* __restrict__ projected) {
  const int lane = threadIdx.x % 32;
  const int row = (blockIdx.x * 8 + threadIdx.x / 32) * 2;
  const int first = blockIdx.y * FRAMES;
  const float4* upper = weights + row * QUADS + lane;
  const float4* frame = readings + first * QUADS + lane;
  float sums[2][FRAMES] = {};
#pragma unroll 3
  for (int q = 0; q < QUADS; q += 32) {
    const float4 a = upper[q];
    const float4 b = upper[q + QUADS];
#pragma unroll
    for (int f = 0; f < FRAMES; ++f) {
      const float4 x = frame[f * QUADS + q];
      sums[0][f] = dot(a, x, sums[0][f]);
      sums[1][f] = dot(b, x, sums[1][f]);
    }
  }
#pragma unroll
  for (int f = 0; f < FRAMES; ++f) {
#pragma unroll
    for (int away = 16; away > 0; away /= 2) {
      sums[0][f] += __shfl_xor_sync(0xffffffff, sums[0][f], away);
      sums[1][f] += __shfl_xor_sync(0xffffffff, sums[1][f], away);
    }
    if (lane < 2)
      projected[(first + f) * ROWS + row + lane] = lane == 0 ? sums[0][f] : sums[1][f];
  }
}
