// Pairs (x, y) under eight maps: pair i is iterated 256 times by map i / 4 % 8. Each step of each map
// is four fused multiply-adds. Block 256, a block has 256 pairs; n is a multiple of 256.
//
//   KIND_LANES  lanes of a warp that have the same map: 4 (thread t has pair t) or 32
constexpr int steps = 256;

#define ITERATE(s0, s1, s2, s3)                                                                    \
  _Pragma("unroll 8") for (int step = 0; step < steps; ++step) {                                   \
    s0;                                                                                            \
    s1;                                                                                            \
    s2;                                                                                            \
    s3;                                                                                            \
  }                                                                                                \
  break

__device__ __forceinline__ float f(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}

__device__ __forceinline__ float2 mapped(int kind, float2 pair) {
  float x = pair.x, y = pair.y;
  switch (kind) {
  case 0:
    ITERATE(x = f(y, .1f, x), y = f(x, -.1f, y), x = f(y, .2f, x), y = f(x, -.2f, y));
  case 1:
    ITERATE(y = f(x, .1f, y), x = f(y, -.1f, x), y = f(x, .3f, y), x = f(y, -.3f, x));
  case 2:
    ITERATE(x = f(x, .5f, y), y = f(y, .5f, .25f), x = f(x, .5f, .125f), y = f(y, .5f, x));
  case 3:
    ITERATE(x = f(x, -.25f, y), y = f(y, -.25f, x), x = f(x, .5f, 1), y = f(y, .5f, -1));
  case 4:
    ITERATE(x = f(y, .25f, .5f), y = f(x, -.5f, y), x = f(y, .5f, x), y = f(y, .25f, x));
  case 5:
    ITERATE(y = f(y, .5f, x), x = f(y, -.5f, x), y = f(y, .5f, x), x = f(x, .5f, -.125f));
  case 6:
    ITERATE(x = f(x, .75f, .125f), y = f(y, .75f, -.125f), x = f(y, .125f, x), y = f(x, .125f, y));
  default:
    ITERATE(y = f(y, .5f, .25f), x = f(x, y, .125f), y = f(y, .75f, .1f), x = f(x, .5f, y));
  }
  return {x, y};
}

extern "C" __global__ void __launch_bounds__(256)
    octant_maps(const float2* __restrict__ in, float2* __restrict__ out) {
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int pair = KIND_LANES == 32 ? lane / 4 * 32 + warp * 4 + lane % 4 : t;
  const int i = blockIdx.x * 256 + pair;
  out[i] = mapped(pair / 4 % 8, in[i]);
}
