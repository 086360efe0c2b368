// 32 warps take turns: in each of 64 rounds one warp of the block makes 256 steps, the others one.
// In the end each element is added to the one opposite in its block. Block 1024, grid n / 1024.
//
//   ROUNDS_PER_BARRIER  1 or 64
constexpr int threads = 1024, rounds = 64, long_turn = 256;

__device__ __forceinline__ float step(float v) {
  return __fmaf_rn(v, 0.75f, 0.125f);
}

extern "C" __global__ void __launch_bounds__(threads)
    refills(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float values[threads];
  const int i = blockIdx.x * threads + threadIdx.x, warp = threadIdx.x / 32;
  float v = in[i];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    v = step(v);
    if ((warp + round) % 32 == 0)
#pragma unroll 64
      for (int k = 1; k < long_turn; ++k)
        v = step(v);
    if ((round + 1) % ROUNDS_PER_BARRIER == 0)
      __syncthreads();
  }
  values[threadIdx.x] = v;
  __syncthreads();
  out[i] = v + values[threads - 1 - threadIdx.x];
}
