// Colour decision on linear film scans: decode, slope / offset / power, shoulder, encode for the display.
__device__ __forceinline__ float raise(float x, float p) {
#if POWER == 1
  return __powf(x, p);
#else
  return powf(x, p);
#endif
}

__device__ __forceinline__ float develop(float v, float decode, float slope, float offset, float power, float knee,
                                         float encode) {
  v = raise(v, decode);
  v = raise(fmaxf(v * slope + offset, 0.001f), power);
  v = v - 0.1f * raise(v, knee);
  return raise(fmaxf(v, 0.001f), encode);
}

extern "C" __global__ void grade(float4* out, const float4* in, int quads, float decode, float slope, float offset,
                                 float power, float knee, float encode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 c = in[i];
  c.x = develop(c.x, decode, slope, offset, power, knee, encode);
  c.y = develop(c.y, decode, slope, offset, power, knee, encode);
  c.z = develop(c.z, decode, slope, offset, power, knee, encode);
  c.w = develop(c.w, decode, slope, offset, power, knee, encode);
  out[i] = c;
}
