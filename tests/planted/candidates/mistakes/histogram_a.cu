// Histogram of bytes with compact counters: four bins share a word of shared memory, a byte for each,
// so that the counters of a block are 64 words and leave the banks to other blocks. They are unpacked
// when the block adds them to out.

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int bin_count) {
  __shared__ unsigned packed[64];
  for (int i = threadIdx.x; i < 64; i += block_size_x)
    packed[i] = 0;
  __syncthreads();

  auto count = [&](unsigned byte) { atomicAdd(packed + byte / 4, 1u << byte % 4 * 8); };

  const unsigned words = unsigned(n) / 4;
  const unsigned* from = reinterpret_cast<const unsigned*>(data);
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < words;
       i += gridDim.x * block_size_x) {
    const unsigned word = from[i];
    count(word & 0xff);
    count(word >> 8 & 0xff);
    count(word >> 16 & 0xff);
    count(word >> 24);
  }
  if (blockIdx.x == 0 && words * 4 + threadIdx.x < unsigned(n))
    count(data[words * 4 + threadIdx.x]);
  __syncthreads();

  for (int bin = threadIdx.x; bin < 256; bin += block_size_x) {
    const unsigned found = packed[bin / 4] >> bin % 4 * 8 & 0xff;
    if (found > 0)
      atomicAdd(out + bin, found);
  }
}
