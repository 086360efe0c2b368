// Follows the concentration of a plume in every cell for a hundred steps.
extern "C" __global__ void __launch_bounds__(256)
plume(float* __restrict__ out, const float* __restrict__ in, float decay, float source, int n) {
  for (int cell = blockIdx.x * 256 + threadIdx.x; cell < n; cell += gridDim.x * 256) {
    float c = in[cell];
#pragma unroll 10
    for (int step = 0; step < 100; ++step)
      c = c * decay * (2.0f - c) + source;
    out[cell] = c;
  }
}
