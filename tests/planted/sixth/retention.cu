// Water content and relative conductivity of soil at a suction.
#if INTRINSIC
#define POWER(a, b) __powf(a, b)
#else
#define POWER(a, b) powf(a, b)
#endif
__device__ __forceinline__ void soil(float h, float e, float m, float l, float& theta, float& k) {
  const float base = 1.0f + POWER(h, e);
  const float filled = POWER(base, -m);
  theta = 0.05f + 0.38f * filled;
  k = POWER(filled, l);
}
extern "C" __global__ void __launch_bounds__(256) retention(float4* content, float4* conduct, const float4* suction, float e, float m,
                                                            float l, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 h = suction[i];
  float4 t, k;
  soil(h.x, e, m, l, t.x, k.x);
  soil(h.y, e, m, l, t.y, k.y);
  soil(h.z, e, m, l, t.z, k.z);
  soil(h.w, e, m, l, t.w, k.w);
  content[i] = t;
  conduct[i] = k;
}
