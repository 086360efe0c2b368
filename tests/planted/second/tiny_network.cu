// A network of 4 inputs, 32 hidden units and one answer, for n samples. A unit has 4 weights, a bias and its share.
//
//   KEPT  1: a thread keeps the weights for all of its samples, 0: it takes them where it needs them
//
// Block 128, any grid: the threads stride over the samples.
__constant__ float weight[192];

extern "C" __global__ void __launch_bounds__(128)
    tiny_network(const float* __restrict__ a, const float* __restrict__ b,
                 const float* __restrict__ c, const float* __restrict__ d,
                 float* __restrict__ answer, const float* __restrict__ weights, int n) {
#if KEPT
  float own[192];
#pragma unroll
  for (int i = 0; i < 192; ++i)
    own[i] = weights[i];
#else
  const float* own = weight;
#endif
#pragma unroll 1
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const float in[4] = {a[i], b[i], c[i], d[i]};
    float sum = 0;
#pragma unroll
    for (int unit = 0; unit < 32; ++unit) {
      float h = own[6 * unit + 4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        h = fmaf(own[6 * unit + k], in[k], h);
      sum = fmaf(own[6 * unit + 5], fmaxf(h, 0), sum);
    }
    answer[i] = sum;
  }
}
