// Element i is scaled by 2^(i % WAYS), takes `steps` additions of as much / 1024 and is scaled back.
// All branches are the same additions with another scale: the scale is a value of the lane, and there
// is one piece of code, which all lanes of a warp go through together.
//
// For the default configuration: VARIANT by_lane.
extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence(const float* __restrict__ source, float* __restrict__ target, int n, int steps) {
#pragma unroll 1
  for (int element = 0; element < ELEMENTS; ++element) {
    const unsigned i = (blockIdx.x * ELEMENTS + element) * BLOCK + threadIdx.x;
    if (i >= unsigned(n))
      return; // so are all that follow
    const float scale = float(1u << (i % WAYS)), step = scale * (1.0f / 1024);
    float value = source[i] * scale;
#pragma unroll 8
    for (int s = 0; s < steps; ++s)
      value += step;
    target[i] = value * (1.0f / scale);
  }
}
