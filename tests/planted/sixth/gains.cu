// Readings of a detector with six axes; every axis has gains of its own, which are multiplied.
// The lengths of the first two axes together are a multiple of a block's threads.
extern "C" __global__ void __launch_bounds__(256) gains(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ g0,
                                                        const float* __restrict__ g1, const float* __restrict__ g2,
                                                        const float* __restrict__ g3, const float* __restrict__ g4,
                                                        const float* __restrict__ g5, int d0, int d1, int d2, int d3, int d4, int d5) {
#if COORDINATES_FROM_GRID
  // blocks follow the first three axes
  const int c0 = blockIdx.x * 256 + threadIdx.x;
  const int c1 = blockIdx.y, c2 = blockIdx.z;
  if (c0 >= d0) return;
  const float near = g0[c0] * g1[c1] * g2[c2];
  const int inner = d0 * d1 * d2;
  int at = (c2 * d1 + c1) * d0 + c0;
  for (int c5 = 0; c5 < d5; ++c5)
    for (int c4 = 0; c4 < d4; ++c4) {
      const float far = g4[c4] * g5[c5];
#pragma unroll 8
      for (int c3 = 0; c3 < d3; ++c3, at += inner) out[at] = in[at] * (near * (g3[c3] * far));
    }
#else
  const int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x * 256 + blockIdx.x * 256 + threadIdx.x;
  const int threads = gridDim.x * gridDim.y * gridDim.z * 256;
  const int total = d0 * d1 * d2 * d3 * d4 * d5;
#pragma unroll 8
  for (int at = i; at < total; at += threads) {
    int rest = at;
    const int c0 = rest % d0;
    rest /= d0;
    const int c1 = rest % d1;
    rest /= d1;
    const int c2 = rest % d2;
    rest /= d2;
    const int c3 = rest % d3;
    rest /= d3;
    const int c4 = rest % d4, c5 = rest / d4;
    out[at] = in[at] * ((g0[c0] * g1[c1] * g2[c2]) * (g3[c3] * (g4[c4] * g5[c5])));
  }
#endif
}
