// y = A x, A in compressed sparse rows: LANES threads for a row.
extern "C" __global__ void spmv_reference(const int* offsets, const int* columns,
                                          const double* values, const double* x, double* y, int m) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m)
    return;
  double sum = 0;
  for (int k = offsets[row]; k < offsets[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}

extern "C" __global__ void spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
                                const double* __restrict__ values, const double* __restrict__ x,
                                double* y, int m) {
  const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  double sum = 0;
  if (row < m)
    for (int k = offsets[row] + lane; k < offsets[row + 1]; k += LANES)
      sum += values[k] * x[columns[k]];
  for (int step = LANES / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step, LANES);
  if (row < m && lane == 0)
    y[row] = sum;
}
