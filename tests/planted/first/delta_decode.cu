// Records of 32 integers that were stored as differences: every record becomes its running sums.
//
//   PITCH  words from one record to the next in shared memory, at least 32
//
// A block has 128 records, a thread one. Block 128, grid records / 128.
extern "C" __global__ void __launch_bounds__(128)
    delta_decode(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int records[128 * PITCH];
  const size_t first = (size_t)blockIdx.x * 128 * 32;
  const int t = threadIdx.x;
#pragma unroll 16
  for (int k = 0; k < 32; ++k)
    records[(k * 4 + t / 32) * PITCH + t % 32] = in[first + k * 128 + t];
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    sum += records[t * PITCH + k];
    records[t * PITCH + k] = sum;
  }
  __syncthreads();
#pragma unroll 16
  for (int k = 0; k < 32; ++k)
    out[first + k * 128 + t] = records[(k * 4 + t / 32) * PITCH + t % 32];
}
