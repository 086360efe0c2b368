// Undo the radial distortion of a lens: find r with r (1 + k1 r^2 + k2 r^4 + k3 r^6) = d by chord steps of slope 1 / gain.
__device__ __forceinline__ float chord(float r, float d, float k1, float k2, float k3, float gain) {
  float s = r * r;
  float p = fmaf(fmaf(fmaf(k3, s, k2), s, k1), s, 1.0f);
  return fmaf(-gain, fmaf(r, p, -d), r);
}

extern "C" __global__ void __launch_bounds__(1024)
undistort(float4* out, const float4* in, float k1, float k2, float k3, float gain, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float4 d = in[i];
    float4 r = d;
#pragma unroll 6
    for (int step = 0; step < 24; ++step) {
      r.x = chord(r.x, d.x, k1, k2, k3, gain);
      r.y = chord(r.y, d.y, k1, k2, k3, gain);
      r.z = chord(r.z, d.z, k1, k2, k3, gain);
      r.w = chord(r.w, d.w, k1, k2, k3, gain);
    }
    out[i] = r;
  }
}
