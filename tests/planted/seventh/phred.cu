// Expected errors of four bases, whose quality codes are the bytes of a word.
__constant__ float error_of[256];

extern "C" __global__ void __launch_bounds__(256)
phred(float* __restrict__ out, const unsigned* __restrict__ codes, int n) {
#if COPY == 1
  __shared__ float table[256];
  table[threadIdx.x] = error_of[threadIdx.x];
  __syncthreads();
#else
#define table error_of
#endif
  const int stride = gridDim.x * 256;
#pragma unroll 4
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += stride) {
    const unsigned code = codes[i];
    out[i] = table[code & 255] + table[code >> 8 & 255] + (table[code >> 16 & 255] + table[code >> 24]);
  }
}
