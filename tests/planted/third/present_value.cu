// What a plan of 32 yearly payments is worth today, at each of n rates of interest.
//
//   POWERS  1: a year's discount is a power of its own
//           0: it is the year's before times one year's
//
// Block 256, any grid: the threads stride over the rates. Any n.
#define YEARS 32

__constant__ float plan[YEARS];

extern "C" __global__ void __launch_bounds__(256)
    present_value(const float* __restrict__ rate, float* __restrict__ worth, const float*, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const float slope = -__log2f(1.0f + rate[i]);
    const float year = exp2f(slope);
    float discount = 1.0f;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < YEARS; ++k) {
      discount = POWERS ? exp2f(slope * (k + 1)) : discount * year;
      sum = fmaf(plan[k], discount, sum);
    }
    worth[i] = sum;
  }
}
