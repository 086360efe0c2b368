// Each of n floats goes `steps` times through v = a * v + b. A thread has four at once, a loop over
// the grid the rest.
// Block 1024, any grid of BLOCKS whose threads, times 4, divide n; steps a multiple of 32.
extern "C" __global__ void __launch_bounds__(1024)
    relax(const float4* __restrict__ in, float4* __restrict__ out, float a, float b, int steps,
          int n) {
#pragma unroll 1
  for (unsigned i = blockIdx.x * 1024 + threadIdx.x; i < n / 4; i += BLOCKS * 1024) {
    float4 v = in[i];
#pragma unroll 1
    for (int step = 0; step < steps; step += 32) {
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        v.x = fmaf(a, v.x, b);
        v.y = fmaf(a, v.y, b);
        v.z = fmaf(a, v.z, b);
        v.w = fmaf(a, v.w, b);
      }
    }
    out[i] = v;
  }
}
