// Seven-point relaxation of a periodic cube of 256^3 cells that is stored along a Z-order curve.
#if WALK == 1
__device__ __forceinline__ unsigned up(unsigned at, unsigned axis) {
  return (((at | ~axis) + 1) & axis) | (at & ~axis);
}
__device__ __forceinline__ unsigned down(unsigned at, unsigned axis) {
  return (((at & axis) - 1) & axis) | (at & ~axis);
}
#else
__device__ __forceinline__ unsigned spread(unsigned v) {
  unsigned code = 0;
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) code |= (v & (1u << bit)) << (2 * bit);
  return code;
}
__device__ __forceinline__ unsigned gather(unsigned code) {
  unsigned v = 0;
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) v |= (code >> (2 * bit)) & (1u << bit);
  return v;
}
__device__ __forceinline__ unsigned place(unsigned x, unsigned y, unsigned z) {
  return spread(x) | (spread(y) << 1) | (spread(z) << 2);
}
#endif

extern "C" __global__ void mortonblur(float* out, const float* in, float rate) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float middle = in[i], sum;
#if WALK == 1
  const unsigned X = 0x249249, Y = 0x492492, Z = 0x924924;
  sum = in[down(i, X)] + in[up(i, X)];
  sum += in[down(i, Y)] + in[up(i, Y)];
  sum += in[down(i, Z)] + in[up(i, Z)];
#else
  unsigned x = gather(i), y = gather(i >> 1), z = gather(i >> 2);
  sum = in[place(x - 1, y, z)] + in[place(x + 1, y, z)];
  sum += in[place(x, y - 1, z)] + in[place(x, y + 1, z)];
  sum += in[place(x, y, z - 1)] + in[place(x, y, z + 1)];
#endif
  out[i] = middle + rate * (sum - 6.0f * middle);
}
