// Levels of n reservoirs after `days`: each day a share stays and the same inflow comes.
//
//   TOGETHER  reservoirs that a thread follows at once; it has 8 in all
//
// Block 128, grid n / 1024; 1024 divides n.
extern "C" __global__ void __launch_bounds__(128)
    reservoirs(const float* __restrict__ share, float* __restrict__ level, int n, int days,
               float inflow) {
  const int threads = n / 8;
  const int t = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int first = 0; first < 8; first += TOGETHER) {
    float keep[TOGETHER], now[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
      keep[k] = 0.9f + 0.05f * share[t + (first + k) * threads];
      now[k] = 1;
    }
#pragma unroll 16
    for (int day = 0; day < days; ++day)
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k)
        now[k] = now[k] * keep[k] + inflow;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
      level[t + (first + k) * threads] = now[k];
  }
}
