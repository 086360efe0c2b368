// Residue number system: each 64-bit integer is written as its remainders by a base of 32 moduli.
extern "C" __global__ void residues(unsigned* out, const unsigned long long* numbers, const unsigned* base, int n) {
  __shared__ unsigned modulus[32];
#if REDUCTION == 1
  __shared__ unsigned long long inverse[32];
#endif
  if (threadIdx.x < 32) {
    modulus[threadIdx.x] = base[threadIdx.x];
#if REDUCTION == 1
    inverse[threadIdx.x] = 0xffffffffffffffffull / base[threadIdx.x];
#endif
  }
  __syncthreads();
  unsigned long long x[4];
  int first = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 4; ++j) x[j] = numbers[first + 256 * j];
  for (int k = 0; k < 32; ++k) {
    unsigned m = modulus[k];
#if REDUCTION == 1
    unsigned long long inv = inverse[k];
#endif
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#if REDUCTION == 1
      unsigned r = (unsigned)x[j] - (unsigned)__umul64hi(x[j], inv) * m;
      r = min(r, r - m);
      r = min(r, r - m);
#else
      unsigned r = (unsigned)(x[j] % m);
#endif
      out[(size_t)k * n + first + 256 * j] = r;
    }
  }
}
