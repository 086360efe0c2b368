// Key stretching: every thread rewrites a scratch pad of its own, 16 entries of 16 bytes, in an order that its state decides.
#define WIDTH 128
constexpr int ahead = UNROLL;
__device__ __forceinline__ uint4 mix(uint4 a, uint4 v) {
  a.x = a.x * 2654435761u + v.w;
  a.y = a.y * 2246822519u + v.x;
  a.z = a.z * 3266489917u + v.y;
  a.w = a.w * 668265263u + v.z;
  a.x ^= a.w >> 15;
  return a;
}

extern "C" __global__ void __launch_bounds__(WIDTH)
stretch(uint4* out, const uint4* __restrict__ key, int rounds) {
  __shared__ uint4 pad[16 * WIDTH];
  const int i = blockIdx.x * WIDTH + threadIdx.x;
  uint4* own = pad + threadIdx.x;
  uint4 a = key[i];
#pragma unroll 1
  for (int j = 0; j < 16; ++j) {
    a = mix(a, make_uint4(j, a.x, a.y, a.z));
    own[j * WIDTH] = a;
  }
#pragma unroll ahead
  for (int r = 0; r < rounds; ++r) {
    uint4* entry = own + (a.x >> 28) * WIDTH;
    a = mix(a, *entry);
    *entry = a;
  }
  out[i] = a;
}
