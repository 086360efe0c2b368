// Stacks the 32 first samples of the traces of a marine survey. A trace takes 128 samples on tape.
#define TRACE 128

extern "C" __global__ void __launch_bounds__(256)
shots(int* __restrict__ out, const short* __restrict__ tape, const short* __restrict__ copy, int traces) {
  const int lane = threadIdx.x & 31;
  const int ship = blockIdx.x * 8 + (threadIdx.x >> 5);
  const int ships = gridDim.x * 8;
#if LEAD == 56
  const short* first = tape + LEAD + lane;
#else
  const short* first = copy + LEAD + lane;
#endif
  int stack = 0;
#pragma unroll 8
  for (int round = 0; round < 120; ++round)
    stack += first[(size_t)(round * ships + ship) * TRACE];
  out[ship * 32 + lane] = stack;
}
