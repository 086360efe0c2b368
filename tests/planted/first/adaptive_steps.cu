// Pairs of coupled cells relax over `steps` outer steps, and then take each other's state. How many
// inner steps a warp's cells need in an outer step is given: length[warp * steps + step] + 1.
//
//   TOGETHER  threads that go from step to step together: 512, the block, or 32, the warp
//
// Block 512, any grid; 32 divides the steps.
__device__ __forceinline__ void meet() {
#if TOGETHER == 32
  __syncwarp();
#else
  __syncthreads();
#endif
}

extern "C" __global__ void __launch_bounds__(512)
    adaptive_steps(const unsigned char* __restrict__ length, const float* __restrict__ in,
                   float* __restrict__ out, int steps, float rate, float source) {
  __shared__ float states[512];
  const int t = threadIdx.x, i = blockIdx.x * 512 + t;
  float state = in[i];
  int lengths = 0; // of 32 steps, one in each lane
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    if (step % 32 == 0)
      lengths = length[(size_t)(i / 32) * steps + step + t % 32] + 1;
    const int inner = __shfl_sync(0xffffffff, lengths, step % 32);
#pragma unroll 1
    for (int k = 0; k < inner; ++k)
#pragma unroll
      for (int sub = 0; sub < 16; ++sub)
        state = state * rate + source;
    states[t] = state;
    meet();
    state = 0.5f * (state + states[t ^ 1]);
    meet();
  }
  out[i] = state;
}
