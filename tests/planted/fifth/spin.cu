// A float turned by 512 small steps against a second one that begins at 1/2: two fused multiply-adds
// a step. Block 256, grid n / 256.
//
//   UNROLL  steps that are written out: 1 or 32
constexpr int steps = 512, unroll = UNROLL;

extern "C" __global__ void __launch_bounds__(256)
    spin(const float* __restrict__ in, float* __restrict__ out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float x = in[i], y = 0.5f;
#pragma unroll unroll
  for (int step = 0; step < steps; ++step) {
    x = __fmaf_rn(y, 0.03f, x);
    y = __fmaf_rn(x, -0.03f, y);
  }
  out[i] = x;
}
