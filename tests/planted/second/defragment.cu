// Puts the fragments of a file, 256 words each, in the order of its table.
//
//   BATCH  fragments that a block reads before it writes them
//
// Block 256, any grid: the blocks stride over the fragments.
extern "C" __global__ void __launch_bounds__(256)
    defragment(const int* __restrict__ volume, const int* __restrict__ place,
               int* __restrict__ file, int fragments) {
#pragma unroll 1
  for (int f = blockIdx.x; f < fragments; f += BATCH * gridDim.x) {
    int at[BATCH], word[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k)
      at[k] = place[min(f + k * (int)gridDim.x, fragments - 1)];
#pragma unroll
    for (int k = 0; k < BATCH; ++k)
      word[k] = volume[at[k] * 256 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < BATCH; ++k)
      if (f + k * (int)gridDim.x < fragments)
        file[(f + k * gridDim.x) * 256 + threadIdx.x] = word[k];
  }
}
