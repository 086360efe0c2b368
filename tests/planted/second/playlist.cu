// The energy of a recording, frame by frame in the order of a list. Frames have 32 samples and lie one after the other;
// eight samples are in none and count too.
//
//   LEAD  how many of these eight come before the first frame, the others after the last
//
// Block 256, any grid: a warp takes 32 entries of the list at a time. The frames are a multiple of 32.
extern "C" __global__ void __launch_bounds__(256)
    playlist(const short* __restrict__ sample, const int* __restrict__ order,
             unsigned long long* __restrict__ energy, int frames) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0)
    of_block = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int warps = gridDim.x * 8;
  unsigned sum = 0;
  if (blockIdx.x == 0 && threadIdx.x < 8) {
    const int v = sample[lane < LEAD ? lane : frames * 32 + lane];
    sum = v * v;
  }
#pragma unroll 1
  for (int at = (blockIdx.x * 8 + threadIdx.x / 32) * 32; at < frames; at += warps * 32) {
    const int mine = order[at + lane];
#pragma unroll 1
    for (int from = 0; from < 32; from += 8) {
      int v[8];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        v[k] = sample[__shfl_sync(0xffffffff, mine, from + k) * 32 + lane + LEAD];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        sum += v[k] * v[k];
    }
  }
  unsigned long long of_warp = sum;
  for (int away = 16; away > 0; away /= 2)
    of_warp += __shfl_down_sync(0xffffffff, of_warp, away);
  if (lane == 0)
    atomicAdd(&of_block, of_warp);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(energy, of_block);
}
