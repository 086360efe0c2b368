// One leapfrog step of charged dust: half kicks by the old and the new field, drag, and a drift; every component in an array of its own.
extern "C" __global__ void __launch_bounds__(BLOCK)
leapfrog(float* xn, float* yn, float* zn, float* un, float* vn, float* wn,
         const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
         const float* __restrict__ u, const float* __restrict__ v, const float* __restrict__ w,
         const float* __restrict__ ex, const float* __restrict__ ey, const float* __restrict__ ez,
         float kick, float drag, float dt, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float pu = fmaf(kick, ex[i], drag * u[i]);
  float pv = fmaf(kick, ey[i], drag * v[i]);
  float pw = fmaf(kick, ez[i], drag * w[i]);
  xn[i] = fmaf(dt, pu, x[i]);
  yn[i] = fmaf(dt, pv, y[i]);
  zn[i] = fmaf(dt, pw, z[i]);
  un[i] = pu;
  vn[i] = pv;
  wn[i] = pw;
}
