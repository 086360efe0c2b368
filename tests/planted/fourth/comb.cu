// A comb filter along each of `width` channels that lie side by side, a row for each time: y[t] =
// x[t] + gain * y[t - 32], nothing before the first row. A thread has a channel; its last 32
// results lie in shared memory, PITCH words after its neighbour's.
// Block 128, grid width / 128; rows a multiple of 32.
extern "C" __global__ void __launch_bounds__(128, 13)
    comb(const float* __restrict__ x, float* __restrict__ y, float gain, int rows, int width) {
  __shared__ float past[128 * PITCH];
  float* mine = past + threadIdx.x * PITCH;
#pragma unroll 1
  for (int k = 0; k < 32; ++k)
    mine[k] = 0;
  unsigned at = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int row = 0; row < rows; row += 8, at += 8 * width) {
    float* old = mine + row % 32;
    float value[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
      value[k] = x[at + k * width];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      value[k] = fmaf(gain, old[k], value[k]);
      old[k] = value[k];
      y[at + k * width] = value[k];
    }
  }
}
