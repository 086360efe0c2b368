// Lists in the columns of a table of words: a word's low byte says how many rows below it the next
// word of the list is, the rest is its value. sums[t] = the values of `steps` words of eight lists,
// those that begin in the first row at columns t, t + threads, ... A thread follows TOGETHER of its
// lists at once.
// Block 256, grid width / 8 / 256.
extern "C" __global__ void __launch_bounds__(256)
    linked_rows(const unsigned* __restrict__ table, unsigned* __restrict__ sums, int steps,
                int width) {
  const unsigned thread = blockIdx.x * 256 + threadIdx.x, threads = width / 8;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned list = 0; list < 8; list += TOGETHER) {
    unsigned at[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
      at[k] = (list + k) * threads + thread;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        const unsigned word = table[at[k]];
        sum += word >> 8;
        at[k] += (word & 255) * width;
      }
    }
  }
  sums[thread] = sum;
}
