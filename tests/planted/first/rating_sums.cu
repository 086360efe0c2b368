// Ratings by genre: a byte is a genre (high half) and a rating (low half); out[genre] is the sum of
// its ratings.
//
//   COPIES  of the 16 sums in the shared memory of a block: 1, or 32, one for each lane
//
// Block 256, any grid: the threads stride over n / 16 pieces of 16 bytes. 16 divides n.
extern "C" __global__ void __launch_bounds__(256)
    rating_sums(const uint4* __restrict__ data, unsigned* __restrict__ out, int n) {
  __shared__ unsigned sums[16 * COPIES];
  for (int k = threadIdx.x; k < 16 * COPIES; k += 256)
    sums[k] = 0;
  __syncthreads();
  const int copy = threadIdx.x % COPIES;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 16; i += gridDim.x * 256) {
    const uint4 v = data[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const unsigned rating = words[k / 4] >> 8 * (k % 4) & 255;
      atomicAdd(&sums[rating / 16 * COPIES + copy], rating % 16);
    }
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int k = 0; k < COPIES; ++k)
      sum += sums[threadIdx.x * COPIES + (k + threadIdx.x) % COPIES];
    atomicAdd(&out[threadIdx.x], sum);
  }
}
