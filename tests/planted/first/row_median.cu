// Median of three neighbours along every row of 512 pixels; the ends of a row stay as they are.
//
//   BUFFER  bytes of dynamic shared memory that hold the row of a block, at least 2048
//
// A thread has 4 pixels. Block 128, grid rows.
__device__ __forceinline__ int median(int a, int b, int c) {
  return max(min(a, b), min(max(a, b), c));
}

extern "C" __global__ void __launch_bounds__(128)
    row_median(const int4* __restrict__ in, int4* __restrict__ out) {
  extern __shared__ int row[];
  const int t = threadIdx.x;
  const int4 p = in[(size_t)blockIdx.x * 128 + t];
  reinterpret_cast<int4*>(row)[t] = p;
  __syncthreads();
  const int left = t > 0 ? row[4 * t - 1] : p.x, right = t < 127 ? row[4 * t + 4] : p.w;
  out[(size_t)blockIdx.x * 128 + t] = make_int4(median(left, p.x, p.y), median(p.x, p.y, p.z),
                                                median(p.y, p.z, p.w), median(p.z, p.w, right));
}
