// Sums of records of 32 integers that are visited in a given order.
//
//   SHIFTED  1: of the table that begins one word after the start of its memory, 0: at the start
//
// Both tables hold the same. A warp has 4 records. Block 256, grid n / 32; 32 divides n.
extern "C" __global__ void __launch_bounds__(256)
    record_sums(const int* __restrict__ table, const int* __restrict__ shifted_table,
                const int* __restrict__ order, int* __restrict__ sum) {
  const int* records = SHIFTED ? shifted_table : table;
  const int lane = threadIdx.x % 32, first = (blockIdx.x * 8 + threadIdx.x / 32) * 4;
  int v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    v[k] = records[(size_t)order[first + k] * 32 + lane];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    v[k] = __reduce_add_sync(0xffffffff, v[k]);
  if (lane < 4)
    sum[first + lane] = lane == 0 ? v[0] : lane == 1 ? v[1] : lane == 2 ? v[2] : v[3];
}
