// A power series in double precision at many points, four of a thread.
#define TERMS 256
__constant__ double coefficient[TERMS];
extern "C" __global__ void __launch_bounds__(256) series(double* out, const double* in, int quarter) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= quarter) return;
  double x[POINTS], sum[POINTS];
#pragma unroll
  for (int p = 0; p < POINTS; ++p) {
    x[p] = in[i + p * quarter];
    sum[p] = 0.0;
  }
#pragma unroll 32
  for (int k = 0; k < TERMS; ++k)
#pragma unroll
    for (int p = 0; p < POINTS; ++p) sum[p] = fma(sum[p], x[p], coefficient[k]);
#pragma unroll
  for (int p = 0; p < POINTS; ++p) out[i + p * quarter] = sum[p];
}
