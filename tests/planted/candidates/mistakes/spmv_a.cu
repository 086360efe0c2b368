// y = A x, A in CSR, LANES threads for a row. The first lane of a row reads where it begins and the
// second where it ends; the others get both from them, which saves most loads of the offsets.
// gridsmith: VARIANT=vector LANES=8 LOADS=streamed

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x;
  const int row = thread / LANES, lane = thread % LANES;

  int bound = 0;
  if (row < m && lane < 2)
    bound = offsets[row + lane];
  const int begin = __shfl_sync(0xffffffffu, bound, 0);
  const int end = __shfl_sync(0xffffffffu, bound, 1);

  float sum = 0.0f;
#pragma unroll 2
  for (int j = begin + lane; j < end; j += LANES)
    sum = fmaf(__ldcs(values + j), __ldg(x + __ldcs(columns + j)), sum);

#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance, LANES);
  if (row < m && lane == 0)
    y[row] = sum;
}
