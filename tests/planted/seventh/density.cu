// Smoothed density of a fluid at many probes: sum of mass (h^2 - r^2)^3 over the particles nearer than h.
extern "C" __global__ void __launch_bounds__(GROUP)
density(float* rho, const float* px, const float* py, const float* pz, const float4* particles, float h2, int n, int m) {
  __shared__ float4 tile[1024];
  const int quarter = n / 4;
  const int i = blockIdx.x * GROUP + threadIdx.x;
  float x[4], y[4], z[4], sum[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    x[k] = px[i + k * quarter];
    y[k] = py[i + k * quarter];
    z[k] = pz[i + k * quarter];
    sum[k] = 0.0f;
  }
  for (int base = 0; base < m; base += 1024) {
    __syncthreads();
    for (int t = threadIdx.x; t < 1024; t += GROUP) tile[t] = particles[base + t];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 1024; ++j) {
      const float4 p = tile[j];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float dx = p.x - x[k], dy = p.y - y[k], dz = p.z - z[k];
        float q = fmaxf(fmaf(-dx, dx, fmaf(-dy, dy, fmaf(-dz, dz, h2))), 0.0f);
        sum[k] = fmaf(p.w * q, q * q, sum[k]);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) rho[i + k * quarter] = sum[k];
}
