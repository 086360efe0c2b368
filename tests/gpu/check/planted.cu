// A kernel with slow-downs to plant by compiler options: EXTRA, so many of a thousand blocks do the work
// of another block too, one from half the array away, which no cache holds any more; PLANT, 1: stores are not coalesced, 2: registers are spilled, 3: shared memory keeps blocks
// away. ROUNDS decides whether memory or arithmetic limits it.
#ifndef EXTRA
#define EXTRA 0
#endif
#ifndef PLANT
#define PLANT 0
#endif

constexpr int sums = 40; // live at once, so that 32 registers are too few

__device__ float element(float value) {
  float sum[sums];
#pragma unroll
  for (int s = 0; s < sums; ++s)
    sum[s] = value + static_cast<float>(s);
#pragma unroll 1
  for (int round = 1; round < ROUNDS; ++round)
#pragma unroll
    for (int s = 0; s < sums; ++s)
      sum[s] = fmaf(sum[s], 0.5f, sum[s] * 0.5f); // exactly what it was, whatever ROUNDS
  float all = 0;
#pragma unroll
  for (int s = 0; s < sums; ++s)
    all += sum[s];
  return all;
}

extern "C" __global__ void
#if PLANT == 2
__launch_bounds__(128, 16)
#endif
planted(const float* in, float* out, int n) {
#if PLANT == 3
  __shared__ volatile float pad[12 * 1024];
  pad[threadIdx.x] = 0;
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int times = blockIdx.x * 7919u % 1000u < EXTRA ? 2 : 1;
#if PLANT == 1
  // Neighbours write 1024 elements apart.
  const int part = n / 1024;
  const int at = n % 1024 == 0 ? i % 1024 * part + i / 1024 : i;
#else
  const int at = i;
#endif
#pragma unroll 1
  for (int time = 0; time < times; ++time) {
    asm volatile("" ::: "memory");
    const int there = time == 0 ? at : (at + n / 2) % n;
    out[there] = element(in[there]);
  }
}
