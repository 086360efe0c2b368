// Adds up the ballots of a district; those of a box are taken out in no order.
extern "C" __global__ void __launch_bounds__(256)
shuffle(unsigned* __restrict__ out, const unsigned* __restrict__ ballots, int n) {
  const unsigned* district = ballots + blockIdx.x * 65536;
  unsigned sum = 0;
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < 65536; i += 256) {
    const unsigned at = (i & ~(BOX - 1u)) | (i * 40503u & (BOX - 1));
    sum += district[at];
  }
  __shared__ unsigned warps[8];
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp)
      sum += warps[warp];
    out[blockIdx.x] = sum;
  }
}
