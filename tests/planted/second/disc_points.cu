// How many of n points of a strip lie within a circle around the origin.
//
//   BLOCK  threads of a block
//
// Any grid: the threads stride over the points.
extern "C" __global__ void __launch_bounds__(BLOCK)
    disc_points(const int* __restrict__ x, const short* __restrict__ y, int* __restrict__ within,
                int radius, int n) {
  __shared__ int in_block;
  if (threadIdx.x == 0)
    in_block = 0;
  __syncthreads();
  int mine = 0;
#pragma unroll 1
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    mine += x[i] * x[i] + y[i] * y[i] <= radius * radius;
  for (int away = 16; away > 0; away /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, away);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&in_block, mine);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(within, in_block);
}
