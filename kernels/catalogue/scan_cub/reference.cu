// The reference of scan_cub.cu, apart from it so that CUB is not compiled for it: one block goes from
// the first element to the last. Block 1024, grid 1.
extern "C" __global__ void scan_cub_reference(const unsigned* __restrict__ values,
                                              unsigned* __restrict__ out, unsigned long long*,
                                              unsigned long long*, int n) {
  __shared__ unsigned sums[1024];
  const int t = threadIdx.x;
  unsigned before = 0;
  for (int first = 0; first < n; first += 1024) {
    sums[t] = first + t < n ? values[first + t] : 0;
    __syncthreads();
    for (int distance = 1; distance < 1024; distance *= 2) {
      const unsigned left = t >= distance ? sums[t - distance] : 0;
      __syncthreads();
      sums[t] += left;
      __syncthreads();
    }
    if (first + t < n)
      out[first + t] = before + sums[t];
    before += sums[1023];
    __syncthreads();
  }
}
