// `count` records of 15 words are turned into 15 planes: planes[f][r] = records[r][f]. A block
// turns RECORDS of them by way of shared memory.
// Block 128, grid count / RECORDS, 60 * RECORDS bytes of shared memory; RECORDS a multiple of 128.
extern "C" __global__ void __launch_bounds__(128)
    split_records(const unsigned* __restrict__ records, unsigned* __restrict__ planes, int count) {
  extern __shared__ unsigned tile[];
  const unsigned first = blockIdx.x * RECORDS;
#pragma unroll 5
  for (unsigned k = 0; k < RECORDS * 15 / 128; ++k)
    tile[k * 128 + threadIdx.x] = records[first * 15 + k * 128 + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (unsigned r = threadIdx.x; r < RECORDS; r += 128) {
#pragma unroll
    for (unsigned f = 0; f < 15; ++f)
      planes[f * count + first + r] = tile[r * 15 + f];
  }
}
