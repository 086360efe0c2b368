// One step with momentum for the biases of a network.
extern "C" __global__ void __launch_bounds__(BLOCK)
biases(float* __restrict__ bias, float* __restrict__ momentum, const float* __restrict__ gradient, float rate, float memory, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    const float m = fmaf(memory, momentum[i], gradient[i]);
    momentum[i] = m;
    bias[i] = fmaf(-rate, m, bias[i]);
  }
}
