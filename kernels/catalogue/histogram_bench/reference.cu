// The reference of histogram.cu: every thread adds its words, one by one, to the block's bins. Adds
// into hist. Block 256, any grid.
extern "C" __global__ void histogram_reference(const unsigned int* __restrict__ data,
                                               unsigned int* hist, int nwords) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0u;
  __syncthreads();
  const int step = gridDim.x * 256;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < nwords; i += step)
    for (unsigned int byte = 0; byte < 4; ++byte)
      atomicAdd(&bins[data[i] >> (8 * byte) & 255u], 1u);
  __syncthreads();
  atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}
