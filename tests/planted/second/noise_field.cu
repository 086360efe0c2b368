// White noise: each element's index and a seed, mixed by eight rounds of shifts and exclusive ors.
//
//   BLOCKS  blocks of the grid; the source does not need it
//
// Block 1024, any grid: the threads stride over the elements.
extern "C" __global__ void __launch_bounds__(1024)
    noise_field(unsigned* __restrict__ noise, unsigned seed, int n) {
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) {
    unsigned x = i * 2654435769u + seed;
#pragma unroll
    for (int round = 0; round < 8; ++round) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
    }
    noise[i] = x;
  }
}
