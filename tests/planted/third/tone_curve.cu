// Brightness of n points through the curve that passes 12 handles, at 0, 1, … 11.
//
//   ITEMS  points of a thread
//
// Block 256; a block takes 256 * ITEMS points in a row.
#define HANDLES 12

extern "C" __global__ void __launch_bounds__(256)
    tone_curve(const float* __restrict__ before, float* __restrict__ after,
               const float* __restrict__ handle) {
  float slope[HANDLES];
#pragma unroll
  for (int k = 0; k < HANDLES; ++k)
    slope[k] = handle[k];
#pragma unroll
  for (int order = 1; order < HANDLES; ++order)
#pragma unroll
    for (int k = HANDLES - 1; k >= order; --k)
      slope[k] = (slope[k] - slope[k - 1]) * (1.0f / order);
  const int first = blockIdx.x * (256 * ITEMS) + threadIdx.x;
#pragma unroll 4
  for (int item = 0; item < ITEMS; ++item) {
    const int i = first + item * 256;
    const float x = before[i];
    float y = slope[HANDLES - 1];
#pragma unroll
    for (int k = HANDLES - 2; k >= 0; --k)
      y = fmaf(y, x - float(k), slope[k]);
    after[i] = y;
  }
}
