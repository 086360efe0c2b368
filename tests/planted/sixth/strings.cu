// Every warp keeps a closed string of 32 beads in shared memory. Beads follow their neighbours; in turn, the strings are tuned anew.
#if SCOPE == 1
#define TOGETHER() __syncwarp()
#else
#define TOGETHER() __syncthreads()
#endif
extern "C" __global__ void __launch_bounds__(1024) strings(float* out, const float* in, int steps) {
  __shared__ float bead[1024];
  const int lane = threadIdx.x & 31, string = threadIdx.x >> 5, base = string * 32;
  const int i = blockIdx.x * 1024 + threadIdx.x;
  float mine = in[i], pull = 0.25f;
  for (int s = 0; s < steps; ++s) {
    bead[threadIdx.x] = mine;
    TOGETHER();
    const float left = bead[base + ((lane + 31) & 31)], right = bead[base + ((lane + 1) & 31)];
    mine = fmaf(pull, left + right - 2.0f * mine, mine);
    if ((s & 31) == string) {
      float tune = 0.3f;
#pragma unroll 4
      for (int r = 0; r < 160; ++r) tune = fmaf(tune, tune * -0.4f, 0.35f);
      pull = tune;
    }
    TOGETHER();
  }
  out[i] = mine;
}
