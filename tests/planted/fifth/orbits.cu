// Each element's orbit under v -> v * v - 0.4, 8192 steps. A thread has eight elements, a block's
// width apart. Block 128, grid n / 1024.
//
//   TOGETHER  elements whose orbits a thread follows at a time: 1, one after the other, or 8
constexpr int steps = 8192, elements = 8, threads = 128, unroll = 256 / TOGETHER;

extern "C" __global__ void __launch_bounds__(threads)
    orbits(const float* __restrict__ in, float* __restrict__ out) {
  const int first = blockIdx.x * threads * elements + threadIdx.x;
#pragma unroll 1
  for (int element = 0; element < elements; element += TOGETHER) {
    float v[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
      v[k] = in[first + (element + k) * threads];
#pragma unroll unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k)
        v[k] = __fmaf_rn(v[k], v[k], -0.4f);
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
      out[first + (element + k) * threads] = v[k];
  }
}
