// The parity of four disks.
#if UNIT_BYTES == 16
typedef uint4 Unit;
__device__ __forceinline__ uint4 both(uint4 a, uint4 b) { return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w); }
#else
typedef unsigned char Unit;
__device__ __forceinline__ unsigned char both(unsigned char a, unsigned char b) { return a ^ b; }
#endif
extern "C" __global__ void __launch_bounds__(256) raid_parity(unsigned char* __restrict__ parity, const unsigned char* __restrict__ d0,
                                                              const unsigned char* __restrict__ d1, const unsigned char* __restrict__ d2,
                                                              const unsigned char* __restrict__ d3) {
#pragma unroll 1
  for (int k = 0; k < 16 / UNIT_BYTES; ++k) {
    const int i = (blockIdx.x * (16 / UNIT_BYTES) + k) * 256 + threadIdx.x;
    const Unit a = ((const Unit*)d0)[i], b = ((const Unit*)d1)[i], c = ((const Unit*)d2)[i], d = ((const Unit*)d3)[i];
    ((Unit*)parity)[i] = both(both(a, b), both(c, d));
  }
}
