// Sums of the squared returns in long windows of a price history that is thought to be a circle: moving block bootstrap.
extern "C" __global__ void __launch_bounds__(256)
windows(float* __restrict__ out, const float4* __restrict__ returns, int quads, int shift, int length) {
  int at = (int)(((long long)blockIdx.x * shift + threadIdx.x) % quads);
  float even = 0.0f, odd = 0.0f;
  for (int i = 0; i < length; i += 256 * BATCH) {
    float4 r[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      r[k] = __ldcg(returns + at);
      at += 256;
      at = at < quads ? at : at - quads;
    }
#pragma unroll
    for (int k = 0; k < BATCH; ++k) {
      even = fmaf(r[k].x, r[k].x, fmaf(r[k].z, r[k].z, even));
      odd = fmaf(r[k].y, r[k].y, fmaf(r[k].w, r[k].w, odd));
    }
  }
  out[blockIdx.x * 256 + threadIdx.x] = even + odd;
}
