// Colonies of 32 cells each that grow for a number of steps a round and share with the next cell between rounds.
//
//   MEET  threads that meet before and after cells share: 512 or 32
//
// Block 512: sixteen colonies, a warp each.
#define ROUNDS 256

__device__ void meet() {
  if (MEET == 32)
    __syncwarp();
  else
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(512)
    colonies(const float* __restrict__ start, const unsigned char* __restrict__ steps,
             float* __restrict__ end) {
  __shared__ unsigned char plan[16 * ROUNDS];
  __shared__ float cells[512];
  for (int i = threadIdx.x; i < 16 * ROUNDS; i += 512)
    plan[i] = steps[blockIdx.x * (16 * ROUNDS) + i];
  __syncthreads();
  const int colony = threadIdx.x / 32;
  const int next = colony * 32 + (threadIdx.x + 1) % 32;
  float size = start[blockIdx.x * 512 + threadIdx.x];
#pragma unroll 1
  for (int round = 0; round < ROUNDS; ++round) {
    const int count = plan[colony * ROUNDS + round] + 1;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      size = fmaf(size, fmaf(-0.25f, size, 1.125f), 0.0625f);
      size = fmaf(size, fmaf(-0.5f, size, 1.25f), 0.03125f);
      size = fmaf(size, fmaf(-0.25f, size, 1.25f), 0.015625f);
      size = fmaf(size, fmaf(-0.5f, size, 1.125f), 0.0625f);
    }
    cells[threadIdx.x] = size;
    meet();
    size = 0.75f * size + 0.25f * cells[next] + 0.001f * colony;
    meet();
  }
  end[blockIdx.x * 512 + threadIdx.x] = size;
}
