// A signal of n bytes, smoothed with the weights 1 6 15 20 15 6 1 of 64. The four bytes before it
// and the four after it belong to the input too.
//
//   WIDTH  bytes of one access: 1 or 4
//
// A thread has 16 bytes. Block 256, grid n / 4096; 4096 divides n.
typedef unsigned char byte;

__device__ __forceinline__ byte smooth(const byte* at) {
  return (at[-3] + 6 * at[-2] + 15 * at[-1] + 20 * at[0] + 15 * at[1] + 6 * at[2] + at[3] + 32) /
         64;
}

// The four smoothed bytes of the word `at`, as a word.
__device__ __forceinline__ unsigned smooth(const unsigned* at) {
  const unsigned before = at[-1], now = at[0], after = at[1];
  const unsigned first[4] = {__byte_perm(before, now, 0x4321), __byte_perm(before, now, 0x5432),
                             __byte_perm(before, now, 0x6543), now};
  const unsigned last[4] = {__byte_perm(now, after, 0x4321), __byte_perm(now, after, 0x5432),
                            __byte_perm(now, after, 0x6543), after};
  unsigned result = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    result |= __dp4a(last[k], 0x0001060fu, __dp4a(first[k], 0x140f0601u, 32u)) / 64 << 8 * k;
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
