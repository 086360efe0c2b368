// A series of 64 Chebyshev polynomials at n places in [-1, 1], by Clenshaw's recurrence.
//
//   BLOCKS  blocks of the grid; the source does not need it
//
// Block 1024, any grid: a thread has four places at a time.
__constant__ float coefficient[64];

extern "C" __global__ void __launch_bounds__(1024, 2)
    chebyshev(const float* __restrict__ place, float* __restrict__ value, const float*, int n) {
  const int stride = gridDim.x * 1024;
#pragma unroll 1
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += 4 * stride) {
    float x[4], last[4], before[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      x[k] = place[min(i + k * stride, n - 1)];
      last[k] = before[k] = 0;
    }
#pragma unroll
    for (int term = 63; term > 0; --term)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float next = fmaf(2 * x[k], last[k], coefficient[term] - before[k]);
        before[k] = last[k];
        last[k] = next;
      }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (i + k * stride < n)
        value[i + k * stride] = fmaf(x[k], last[k], coefficient[0] - before[k]);
  }
}
