// Temperatures of n thermocouple voltages: a polynomial that is refined `passes` times.
//
//   SINGLE  1: its coefficients are single precision, 0: as they are written
//
// Block 256, grid ceil(n / 256). Any n.
#if SINGLE
#define NUMBER(x) x##f
#else
#define NUMBER(x) x
#endif

__device__ __forceinline__ float refined(float v) {
  auto t = NUMBER(0.001);
  t = t * v + NUMBER(-0.002);
  t = t * v + NUMBER(0.003);
  t = t * v + NUMBER(-0.004);
  t = t * v + NUMBER(0.005);
  t = t * v + NUMBER(-0.006);
  t = t * v + NUMBER(0.007);
  t = t * v + NUMBER(-0.009);
  t = t * v + NUMBER(0.011);
  t = t * v + NUMBER(-0.013);
  t = t * v + NUMBER(0.017);
  t = t * v + NUMBER(-0.021);
  t = t * v + NUMBER(0.033);
  t = t * v + NUMBER(-0.071);
  t = t * v + NUMBER(0.75);
  t = t * v + NUMBER(0.01);
  return t;
}

extern "C" __global__ void __launch_bounds__(256)
    thermocouple(const float* __restrict__ voltage, float* __restrict__ temperature, int n,
                 int passes) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  float v = voltage[i];
  for (int pass = 0; pass < passes; ++pass)
    v = refined(v);
  temperature[i] = v;
}
