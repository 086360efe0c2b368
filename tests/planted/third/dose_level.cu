// How much of a drug is in the blood after many doses: each day a share stays and a dose is added.
//
//   AT_ONCE  days that the body of the loop holds
//
// Block 256, a patient a thread; n is a multiple of 256. Any number of days.
extern "C" __global__ void __launch_bounds__(256)
    dose_level(const float* __restrict__ stays, const float* __restrict__ dose,
               float* __restrict__ level, int days) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float share = stays[i];
  const float added = dose[i];
  float now = 0.0f;
  constexpr int unrolled = AT_ONCE;
#pragma unroll unrolled
  for (int day = 0; day < days; ++day)
    now = fmaf(now, share, added);
  level[i] = now;
}
