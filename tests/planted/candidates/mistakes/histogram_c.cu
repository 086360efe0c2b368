// Histogram of bytes, two sets of counters per block for even and odd warps, to halve the collisions.
// A thread looks after one bin of both sets: it clears them and adds them up in the end.

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int bin_count) {
  __shared__ unsigned counts[2][256];
  counts[0][threadIdx.x] = 0;
  counts[1][threadIdx.x] = 0;
  __syncthreads();

  unsigned* const own = counts[threadIdx.x / 32 % 2];
  const unsigned words = unsigned(n) / 4;
  const uchar4* from = reinterpret_cast<const uchar4*>(data);
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < words;
       i += gridDim.x * block_size_x) {
    const uchar4 word = from[i];
    atomicAdd(own + word.x, 1u);
    atomicAdd(own + word.y, 1u);
    atomicAdd(own + word.z, 1u);
    atomicAdd(own + word.w, 1u);
  }
  if (blockIdx.x == 0 && words * 4 + threadIdx.x < unsigned(n))
    atomicAdd(own + data[words * 4 + threadIdx.x], 1u);
  __syncthreads();

  const unsigned sum = counts[0][threadIdx.x] + counts[1][threadIdx.x];
  if (sum > 0)
    atomicAdd(out + threadIdx.x, sum);
}
