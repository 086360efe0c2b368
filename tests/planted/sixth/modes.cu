// A small tensor of five modes lies in shared memory; lanes follow the last mode. A warp has one index of the first two modes
// together, and each of its threads folds the next two, in order, with a decay of its own. The modes' lengths are powers of two
// that the caller gives as bits (of the first two together: as many as the block has warps); their strides are the caller's too.
extern "C" __global__ void __launch_bounds__(256) modes(float* out, const float* tensor, const float* decay, int bits0, int bits1,
                                                        int bits2, int bits3, int stride0, int stride1, int stride2, int stride3,
                                                        int rounds) {
  extern __shared__ float block[];
  const int cells = 32 << (bits0 + bits1 + bits2 + bits3);
  for (int c = threadIdx.x; c < cells; c += 256) block[c] = tensor[c];
  __syncthreads();
  const int thread = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float keep = decay[thread];
  float sum = 0.0f;
#if NESTED
  const float* begin = block + lane + (warp >> bits1) * stride0 + (warp & ((1 << bits1) - 1)) * stride1;
  for (int r = 0; r < rounds; ++r) {
    const float* row = begin;
    for (int c = 0; c < 1 << bits2; ++c, row += stride2) {
      const float* here = row;
#pragma unroll 8
      for (int d = 0; d < 1 << bits3; ++d, here += stride3) sum = fmaf(sum, keep, *here);
    }
  }
#else
  const int count = 1 << (bits2 + bits3);
  for (int r = 0; r < rounds; ++r)
#pragma unroll 8
    for (int e = warp * count; e < (warp + 1) * count; ++e) {
      const int d = e & ((1 << bits3) - 1);
      const int c = (e >> bits3) & ((1 << bits2) - 1);
      const int b = (e >> (bits3 + bits2)) & ((1 << bits1) - 1);
      const int a = e >> (bits3 + bits2 + bits1);
      sum = fmaf(sum, keep, block[lane + a * stride0 + b * stride1 + c * stride2 + d * stride3]);
    }
#endif
  out[thread] = sum;
}
