// Two kernels for the test of the emulation: what it knows, and threads that wait in vain.
template <int lanes>
__global__ void sums(unsigned* out, int n) {
  extern __shared__ unsigned partial[];
  unsigned value = threadIdx.x < n ? SCALE * threadIdx.x : 0;
  for (int by = lanes / 2; by > 0; by /= 2)
    value += __shfl_down_sync(0xFFFFFFFF, value, by);
  if (threadIdx.x % lanes == 0)
    partial[threadIdx.x / lanes] = value;
  const unsigned even = __ballot_sync(0xFFFFFFFF, threadIdx.x % 2 == 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < blockDim.x / lanes; ++i)
      atomicAdd(&out[blockIdx.x], partial[i]);
    if (blockIdx.x == 0)
      out[2] = even;
  }
}

__global__ void waits(unsigned*, int) {
  if (threadIdx.x < 5)
    __syncthreads();
}
