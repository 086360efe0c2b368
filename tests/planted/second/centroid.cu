// Sums from which the centroid of a square grey image follows: of v, of x v and of y v.
//
//   LANES_ALONG_Y  1: neighbouring threads take neighbouring rows, 0: neighbouring columns
//
// Block 256. Blocks along x cover one axis, blocks along y stride over the other.
extern "C" __global__ void __launch_bounds__(256)
    centroid(const int* __restrict__ image, unsigned long long* __restrict__ sums, int side) {
  __shared__ unsigned long long total[3];
  if (threadIdx.x < 3)
    total[threadIdx.x] = 0;
  __syncthreads();
  const int across = blockIdx.x * 256 + threadIdx.x;
  unsigned mass = 0, moment = 0;
  if (across < side) {
#pragma unroll 8
    for (int along = blockIdx.y; along < side; along += gridDim.y) {
      const unsigned v =
          LANES_ALONG_Y ? image[across * side + along] : image[along * side + across];
      mass += v;
      moment += along * v;
    }
  }
  const unsigned long long still = (unsigned long long)mass * across;
  unsigned long long mine[3] = {mass, LANES_ALONG_Y ? moment : still,
                                LANES_ALONG_Y ? still : moment};
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    for (int away = 16; away > 0; away /= 2)
      mine[k] += __shfl_down_sync(0xffffffff, mine[k], away);
    if (threadIdx.x % 32 == 0)
      atomicAdd(&total[k], mine[k]);
  }
  __syncthreads();
  if (threadIdx.x < 3)
    atomicAdd(&sums[threadIdx.x], total[threadIdx.x]);
}
