// A chain of stages, each of which leaves whole counts: gain and offset of a stage are those of the thread's channel.
extern "C" __global__ void __launch_bounds__(256) counts(float* out, const float* first, const float* gain, const float* offset,
                                                         int stages, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gain[i], o = offset[i];
#if HOLD_AS_INTEGER
  int count = __float2int_rn(first[i]);
#pragma unroll 8
  for (int s = 0; s < stages; ++s) count = __float2int_rn(fmaf((float)count, g, o));
  out[i] = (float)count;
#else
  const float whole = 12582912.0f;
  float count = (first[i] + whole) - whole;
#pragma unroll 8
  for (int s = 0; s < stages; ++s) count = (fmaf(count, g, o) + whole) - whole;
  out[i] = count;
#endif
}
