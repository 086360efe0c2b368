// Smooths a terrain model along the meridians.
#define TAPS 17
#define COLUMNS 4096
__constant__ float kernel_weights[TAPS];

extern "C" __global__ void __launch_bounds__(128)
relief(float* __restrict__ out, const float* __restrict__ height) {
  const int strips = COLUMNS / 128;
  const int column = blockIdx.x % strips * 128 + threadIdx.x;
  const int row = blockIdx.x / strips * ROWS;
  const float* top = height + (size_t)row * COLUMNS + column;
  float smooth[ROWS] = {};
#pragma unroll
  for (int step = 0; step < ROWS + TAPS - 1; ++step) {
    const float h = top[(size_t)step * COLUMNS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      if (step >= r && step - r < TAPS)
        smooth[r] = fmaf(kernel_weights[step - r], h, smooth[r]);
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r)
    out[(size_t)(row + r) * COLUMNS + column] = smooth[r];
}
