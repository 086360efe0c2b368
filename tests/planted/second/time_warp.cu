// Reads rows of 256 samples at other times, the same for all rows, between two samples linearly.
//
//   ROOM  samples that a block has room for, at least 256
//
// Block 64, any grid: the blocks stride over the rows.
extern "C" __global__ void __launch_bounds__(64)
    time_warp(const float* __restrict__ rows, const float* __restrict__ time,
              float* __restrict__ warped, int count) {
  __shared__ float row[ROOM];
  float share[4];
  int before[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float t = time[threadIdx.x + 64 * k];
    before[k] = min((int)t, 254);
    share[k] = t - before[k];
  }
#pragma unroll 1
  for (int r = blockIdx.x; r < count; r += gridDim.x) {
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      v[k] = rows[r * 256 + threadIdx.x + 64 * k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k)
      row[threadIdx.x + 64 * k] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float low = row[before[k]];
      warped[r * 256 + threadIdx.x + 64 * k] = fmaf(share[k], row[before[k] + 1] - low, low);
    }
  }
}
