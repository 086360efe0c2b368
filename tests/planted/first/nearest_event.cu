// For each of q moments the distance in time to the nearest of n events, which are in no order.
//
//   MOMENTS  of a block, which goes through all events once for them
//
// Block 1024, grid q / MOMENTS; MOMENTS divides q and 4096 n.
extern "C" __global__ void __launch_bounds__(1024)
    nearest_event(const float4* __restrict__ event, const float* __restrict__ moment,
                  float* __restrict__ distance, int n) {
  __shared__ int nearest[MOMENTS];
  float mine[MOMENTS], best[MOMENTS];
  if (threadIdx.x < MOMENTS)
    nearest[threadIdx.x] = __float_as_int(1e30f);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < MOMENTS; ++k) {
    mine[k] = moment[blockIdx.x * MOMENTS + k];
    best[k] = 1e30f;
  }
#pragma unroll 2
  for (int i = threadIdx.x; i < n / 4; i += 1024) {
    const float4 e = event[i];
#pragma unroll
    for (int k = 0; k < MOMENTS; ++k) {
      best[k] = fminf(best[k], fabsf(e.x - mine[k]));
      best[k] = fminf(best[k], fabsf(e.y - mine[k]));
      best[k] = fminf(best[k], fabsf(e.z - mine[k]));
      best[k] = fminf(best[k], fabsf(e.w - mine[k]));
    }
  }
  // The bits of floats that are not negative are in the order of their values.
#pragma unroll
  for (int k = 0; k < MOMENTS; ++k) {
    const int least = __reduce_min_sync(0xffffffff, __float_as_int(best[k]));
    if (threadIdx.x % 32 == 0)
      atomicMin(&nearest[k], least);
  }
  __syncthreads();
  if (threadIdx.x < MOMENTS)
    distance[blockIdx.x * MOMENTS + threadIdx.x] = __int_as_float(nearest[threadIdx.x]);
}
