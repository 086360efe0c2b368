// What calls cost: each has one of 256 tariffs, a price by the minute and a fee.
//
//   NEAR  1: a block copies the tariffs to shared memory first
//         0: it takes them where they are
//
// Block 256, any grid: the threads stride over the calls. Any n.
#define TARIFFS 256

__constant__ float price[TARIFFS];
__constant__ float fee[TARIFFS];

extern "C" __global__ void __launch_bounds__(256)
    tariffs(const int* __restrict__ tariff, const float* __restrict__ minutes,
            float* __restrict__ cost, const float* __restrict__ prices,
            const float* __restrict__ fees, int n) {
#if NEAR
  __shared__ float near_price[TARIFFS];
  __shared__ float near_fee[TARIFFS];
  near_price[threadIdx.x] = prices[threadIdx.x];
  near_fee[threadIdx.x] = fees[threadIdx.x];
  __syncthreads();
#else
  const float* near_price = price;
  const float* near_fee = fee;
#endif
#pragma unroll 4
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const int t = tariff[i];
    cost[i] = fmaf(minutes[i], near_price[t], near_fee[t]);
  }
}
