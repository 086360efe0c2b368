// Batches of damped recurrences: each thread of a batch follows 32 of them for 48 steps.
extern "C" __global__ void __launch_bounds__(1024, 1) oscillator_batch(float* __restrict__ out, const float* __restrict__ start,
                                                                       float damping, float drive) {
#pragma unroll 1
  for (int r = 0; r < ROUNDS; ++r) {
    const int id = (blockIdx.x * ROUNDS + r) * 1024 + threadIdx.x;
    const float s = start[id];
    float v[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = s + k * 0.03125f;
#pragma unroll 1
    for (int t = 0; t < 48; ++t) {
#pragma unroll
      for (int k = 0; k < 32; ++k) v[k] = fmaf(v[k], damping, drive);
      // the phase of the drive turns
      drive = -drive;
    }
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < 32; ++k) sum = fmaf(v[k], 1.f + k, sum);
    out[id] = sum;
  }
}
