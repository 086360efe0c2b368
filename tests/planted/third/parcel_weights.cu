// Parcels of each of 32 districts: their weight in all and the heaviest of them.
//
//   COPIES  tables that the lanes of a warp write to, in turn
//
// Block 1024, any grid: the threads stride over the parcels. Any n.
#define DISTRICTS 32
#define AHEAD 4

extern "C" __global__ void __launch_bounds__(1024)
    parcel_weights(const int* __restrict__ district, const int* __restrict__ grams,
                   int* __restrict__ total, int* __restrict__ heaviest, int n) {
  __shared__ int sums[DISTRICTS * COPIES];
  __shared__ int tops[DISTRICTS * COPIES];
  __shared__ int block_sum[DISTRICTS];
  __shared__ int block_top[DISTRICTS];
  for (int i = threadIdx.x; i < DISTRICTS * COPIES; i += 1024)
    sums[i] = tops[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int copy = lane % COPIES;
  const int stride = gridDim.x * 1024;
#pragma unroll 1
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += AHEAD * stride) {
    int to[AHEAD];
    int weight[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const bool there = i + k * stride < n;
      to[k] = there ? district[i + k * stride] : 0;
      weight[k] = there ? grams[i + k * stride] : 0;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      atomicAdd(&sums[to[k] * COPIES + copy], weight[k]);
      atomicMax(&tops[to[k] * COPIES + copy], weight[k]);
    }
  }
  __syncthreads();
  const int mine = threadIdx.x / 32;
  int sum = lane < COPIES ? sums[mine * COPIES + lane] : 0;
  int top = lane < COPIES ? tops[mine * COPIES + lane] : 0;
  for (int away = 16; away > 0; away /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, away);
    top = max(top, __shfl_down_sync(0xffffffff, top, away));
  }
  if (lane == 0) {
    block_sum[mine] = sum;
    block_top[mine] = top;
  }
  __syncthreads();
  if (threadIdx.x < DISTRICTS) {
    atomicAdd(&total[threadIdx.x], block_sum[threadIdx.x]);
    atomicMax(&heaviest[threadIdx.x], block_top[threadIdx.x]);
  }
}
