// Histogram of bytes: blocks count in shared memory and add to totals in global memory; the block
// that is done last hands the totals over to out, so that out is written once.

__device__ unsigned totals[256];
__device__ unsigned blocks_done;

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int bin_count) {
  __shared__ unsigned counts[256];
  __shared__ bool last;
  for (int bin = threadIdx.x; bin < 256; bin += block_size_x)
    counts[bin] = 0;
  __syncthreads();

  const unsigned words = unsigned(n) / 4;
  const uchar4* from = reinterpret_cast<const uchar4*>(data);
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < words;
       i += gridDim.x * block_size_x) {
    const uchar4 word = from[i];
    atomicAdd(counts + word.x, 1u);
    atomicAdd(counts + word.y, 1u);
    atomicAdd(counts + word.z, 1u);
    atomicAdd(counts + word.w, 1u);
  }
  if (blockIdx.x == 0 && words * 4 + threadIdx.x < unsigned(n))
    atomicAdd(counts + data[words * 4 + threadIdx.x], 1u);
  __syncthreads();

  for (int bin = threadIdx.x; bin < 256; bin += block_size_x)
    if (counts[bin] > 0)
      atomicAdd(totals + bin, counts[bin]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    for (int bin = threadIdx.x; bin < 256; bin += block_size_x)
      out[bin] = __ldcg(totals + bin);
  }
}
