// A signal of n bytes, smoothed with the weights 1 4 6 4 1 of 16. Four bytes before and after it
// belong to the input too.
//
//   WIDTH  bytes of one access: 1 or 4
//
// A thread has 16 bytes. Block 256, grid n / 4096; 4096 divides n.
typedef unsigned char byte;

__device__ __forceinline__ byte smooth(const byte* at) {
  return (at[-2] + 4 * at[-1] + 6 * at[0] + 4 * at[1] + at[2] + 8) / 16;
}

// The four smoothed bytes of the word `at`, as a word.
__device__ __forceinline__ unsigned smooth(const unsigned* at) {
  const unsigned before = at[-1], now = at[0], after = at[1];
  const unsigned from[4] = {__byte_perm(before, now, 0x5432), __byte_perm(before, now, 0x6543), now,
                            __byte_perm(now, after, 0x4321)};
  const unsigned last[4] = {now >> 16, now >> 24, after, after >> 8};
  unsigned result = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    result |= __dp4a(last[k], 0x00000001u, __dp4a(from[k], 0x04060401u, 8u)) / 16 << 8 * k;
  return result;
}

#if WIDTH == 4
typedef unsigned Access;
#else
typedef byte Access;
#endif

extern "C" __global__ void __launch_bounds__(256)
    smooth_bytes(const byte* __restrict__ in, byte* __restrict__ out) {
  const Access* from = reinterpret_cast<const Access*>(in + 4);
  Access* to = reinterpret_cast<Access*>(out);
  const size_t first = (size_t)blockIdx.x * (4096 / WIDTH) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 16 / WIDTH; ++k)
    to[first + k * 256] = smooth(from + first + k * 256);
}
