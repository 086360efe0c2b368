// The branches differ by a power of two with which they scale their element, which rounds nothing: they
// are the same code with another constant, and unscaled the same constant. So no lane has to wait.
extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence(const float* __restrict__ source, float* __restrict__ target, int n, int steps) {
#pragma unroll 1
  for (int element = 0; element < ELEMENTS; ++element) {
    const unsigned i = (blockIdx.x * ELEMENTS + element) * BLOCK + threadIdx.x;
    if (i < unsigned(n)) {
      float value = source[i];
#pragma unroll 8
      for (int step = 0; step < steps; ++step)
        value += 1.0f / 1024;
      target[i] = value;
    }
  }
}
