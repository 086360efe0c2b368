// Histogram of bytes with COPIES sets of counters, four counters to a word: a block sees few bytes of
// each kind, and a quarter of the shared memory is to be cleared and joined.
struct alignas(WIDTH) Word {
  unsigned part[WIDTH / 4];
};

__device__ __forceinline__ void count_one(unsigned* set, unsigned byte) {
  atomicAdd(set + (byte & 63) * COPIES, 1u << (byte >> 6 << 3));
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram_replicated(const unsigned char* __restrict__ data, unsigned* out, int n) {
  __shared__ unsigned packed[64 * COPIES];
  const unsigned words = unsigned(n) / WIDTH;
  const Word* const from = reinterpret_cast<const Word*>(data);
  for (int i = threadIdx.x; i < 64 * COPIES; i += block_size_x)
    packed[i] = 0;
  __syncthreads();
  unsigned* const set = packed + threadIdx.x % COPIES;
  for (unsigned i = blockIdx.x * block_size_x * LOADS + threadIdx.x; i < words;
       i += gridDim.x * block_size_x * LOADS) {
    Word word[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        word[l] = from[i + l * block_size_x];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
#pragma unroll
        for (int p = 0; p < WIDTH / 4; ++p)
#pragma unroll
          for (int b = 0; b < 4; ++b)
            count_one(set, word[l].part[p] >> 8 * b & 255);
  }
  const unsigned rest = words * WIDTH + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    count_one(set, data[rest]);
  __syncthreads();
  for (int byte = threadIdx.x; byte < 256; byte += block_size_x) {
    const int word = byte & 63, shift = byte >> 6 << 3;
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; ++copy)
      sum += packed[word * COPIES + (word + copy) % COPIES] >> shift & 255;
    if (sum > 0)
      atomicAdd(out + byte, sum);
  }
}
