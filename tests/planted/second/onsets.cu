// Where each trace first reaches a level: the index of its first sample that is not below it, -1 without one.
//
//   STEPS  samples that a lane has read when the warp looks for the first
//
// Block 256, one warp a trace. The length of a trace is a multiple of 256.
extern "C" __global__ void __launch_bounds__(256)
    onsets(const int* __restrict__ trace, int* __restrict__ onset, int traces, int length,
           int level) {
  const int lane = threadIdx.x % 32;
  const int mine = blockIdx.x * 8 + threadIdx.x / 32;
  if (mine >= traces)
    return;
  const int* sample = trace + (long long)mine * length;
  int first = -1;
#pragma unroll 1
  for (int from = 0; from < length && first < 0; from += 32 * STEPS) {
    int v[STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; ++k)
      v[k] = sample[from + 32 * k + lane];
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      const unsigned there = __ballot_sync(0xffffffff, v[k] >= level);
      if (there && first < 0)
        first = from + 32 * k + __ffs(there) - 1;
    }
  }
  if (lane == 0)
    onset[mine] = first;
}
