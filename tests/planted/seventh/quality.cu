// Sum of the qualities of the calls of A, C, G and T: 16 bases of two bits in a word, 16 qualities of six bits in four words.
extern "C" __global__ void __launch_bounds__(256)
quality(unsigned* total, const unsigned* __restrict__ bases, const uint4* __restrict__ scores, int words) {
  __shared__ unsigned sum[4 * COPIES];
  for (int t = threadIdx.x; t < 4 * COPIES; t += 256) sum[t] = 0;
  __syncthreads();
  unsigned* own = sum + threadIdx.x % COPIES;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
    unsigned b = bases[i];
    const uint4 s = scores[i];
    const unsigned score[4] = {s.x, s.y, s.z, s.w};
#pragma unroll
    for (int k = 0; k < 16; ++k)
      atomicAdd(own + (b >> (2 * k) & 3u) * COPIES, score[k / 4] >> (8 * (k % 4)) & 63u);
  }
  __syncthreads();
  if (threadIdx.x < 4) {
    unsigned all = 0;
    for (int c = 0; c < COPIES; ++c) all += sum[threadIdx.x * COPIES + c];
    atomicAdd(total + threadIdx.x, all);
  }
}
