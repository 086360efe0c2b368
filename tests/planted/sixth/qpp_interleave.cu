// A quadratic permutation interleaver of code blocks of 4096 soft symbols, with a scrambling word.
extern "C" __global__ void __launch_bounds__(256) qpp_interleave(unsigned* __restrict__ out, const unsigned* __restrict__ in,
                                                                 unsigned f1, unsigned f2, unsigned scramble) {
  const size_t window = (size_t)blockIdx.x * 4096;
  unsigned v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[window + k * 256 + threadIdx.x] ^ scramble;
#if STAGED == 1
  __shared__ unsigned stage[4096];
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const unsigned q = k * 256 + threadIdx.x;
    stage[(f1 + f2 * q) * q & 4095u] = v[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 16; ++k) out[window + k * 256 + threadIdx.x] = stage[k * 256 + threadIdx.x];
#else
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const unsigned q = k * 256 + threadIdx.x;
    out[window + ((f1 + f2 * q) * q & 4095u)] = v[k];
  }
#endif
}
