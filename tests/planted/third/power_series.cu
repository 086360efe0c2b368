// A long power series at many points: n points, TERMS coefficients, the highest first.
//
//   POINTS  points that a thread has in hand at a time
//
// Block 128; a thread takes SHARE points, gridDim.x * 128 apart.
#define TERMS 4096
#define SHARE 16

extern "C" __global__ void __launch_bounds__(128)
    power_series(const float4* __restrict__ coefficients, const float* __restrict__ points,
                 float* __restrict__ values) {
  __shared__ float4 series[TERMS / 4];
  for (int i = threadIdx.x; i < TERMS / 4; i += 128)
    series[i] = coefficients[i];
  __syncthreads();
  const int stride = gridDim.x * 128;
  const int first = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int taken = 0; taken < SHARE; taken += POINTS) {
    float x[POINTS];
    float y[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
      x[k] = points[first + (taken + k) * stride];
      y[k] = 0.0f;
    }
#pragma unroll 8
    for (int i = 0; i < TERMS / 4; ++i) {
      const float4 c = series[i];
#pragma unroll
      for (int k = 0; k < POINTS; ++k)
        y[k] = fmaf(y[k], x[k], c.x);
#pragma unroll
      for (int k = 0; k < POINTS; ++k)
        y[k] = fmaf(y[k], x[k], c.y);
#pragma unroll
      for (int k = 0; k < POINTS; ++k)
        y[k] = fmaf(y[k], x[k], c.z);
#pragma unroll
      for (int k = 0; k < POINTS; ++k)
        y[k] = fmaf(y[k], x[k], c.w);
    }
#pragma unroll
    for (int k = 0; k < POINTS; ++k)
      values[first + (taken + k) * stride] = y[k];
  }
}
