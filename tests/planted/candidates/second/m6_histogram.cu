// gridsmith: VARIANT=per_thread SHARED=dynamic_size AGGREGATE=0 WIDTH=4 block_size_x=256 blocks_per_sm=3
// Histogram without atomics in the loop: each thread has 256 counters of a byte in shared memory, in
// banks of its own, and the block adds them up once, at its end.
extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int) {
  extern __shared__ unsigned memory[];
  for (int i = threadIdx.x; i < 64 * block_size_x; i += block_size_x)
    memory[i] = 0;
  __syncthreads();
  unsigned char* const own = reinterpret_cast<unsigned char*>(memory) + threadIdx.x / 128 * 128 +
                             threadIdx.x % 32 * 4 + threadIdx.x / 32 % 4;
  const unsigned words = unsigned(n) / 4, step = gridDim.x * block_size_x;
  const unsigned* const from = reinterpret_cast<const unsigned*>(data);
  const auto count = [&](unsigned word) {
#pragma unroll
    for (int b = 0; b < 4; ++b)
      ++own[(word >> 8 * b & 255) * block_size_x];
  };
  unsigned i = blockIdx.x * block_size_x + threadIdx.x;
  for (; i + 7 * step < words; i += 8 * step) {
    unsigned word[8];
#pragma unroll
    for (int l = 0; l < 8; ++l)
      word[l] = from[i + l * step];
#pragma unroll
    for (int l = 0; l < 8; ++l)
      count(word[l]);
  }
  for (; i < words; i += step)
    count(from[i]);
  const unsigned rest = words * 4 + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    atomicAdd(out + data[rest], 1u);
  __syncthreads();
  constexpr int length = block_size_x / 4;
  for (int bin = threadIdx.x; bin < 256; bin += block_size_x) {
    unsigned even = 0, odd = 0;
#pragma unroll 8
    for (int k = 0; k < length; ++k) {
      const unsigned word = memory[bin * length + (k + bin) % length];
      even += word & 0x00ff00ffu;
      odd += word >> 8 & 0x00ff00ffu;
    }
    const unsigned sum = (even & 0xffff) + (even >> 16) + (odd & 0xffff) + (odd >> 16);
    if (sum > 0)
      atomicAdd(out + bin, sum);
  }
}
