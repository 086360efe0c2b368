// Shift between two geodetic datums: a polynomial of degree 15 in both normalised coordinates, to the millimetre.
extern "C" __global__ void datum(double* shift, const double* east, const double* north, const double* coefficient) {
  __shared__ double2 table[128];
  if (threadIdx.x < 128)
    table[threadIdx.x] = make_double2(coefficient[2 * threadIdx.x], coefficient[2 * threadIdx.x + 1]);
  int first = blockIdx.x * (128 * POINTS) + threadIdx.x;
  double u[POINTS], v[POINTS], sum[POINTS];
#pragma unroll
  for (int j = 0; j < POINTS; ++j) u[j] = east[first + 128 * j], v[j] = north[first + 128 * j], sum[j] = 0.0;
  __syncthreads();
#pragma unroll 1
  for (int a = 0; a < 16; ++a) {
    double y[POINTS] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      double2 c = table[a * 8 + k];
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fma(y[j], v[j], c.x);
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fma(y[j], v[j], c.y);
    }
#pragma unroll
    for (int j = 0; j < POINTS; ++j) sum[j] = fma(sum[j], u[j], y[j]);
  }
#pragma unroll
  for (int j = 0; j < POINTS; ++j) shift[first + 128 * j] = sum[j];
}
