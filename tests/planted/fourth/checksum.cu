// *sum += over all n words, a mix of the word and of an entry of `order`, a permutation of 0 ... n
// - 1, modulo 2^32. SHUFFLED: words are visited in the order of the permutation, else as they lie;
// the sum is the same.
// Block 256, any grid whose threads, times 8, divide n.
extern "C" __global__ void __launch_bounds__(256)
    checksum(const unsigned* __restrict__ in, const unsigned* __restrict__ order,
             unsigned* __restrict__ sum, int n) {
  const unsigned threads = gridDim.x * 256;
  unsigned mine = 0;
#pragma unroll 1
  for (unsigned first = blockIdx.x * 256 + threadIdx.x; first < n; first += 8 * threads) {
    unsigned entry[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
      entry[k] = order[first + k * threads];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned word = in[SHUFFLED ? entry[k] : first + k * threads];
      mine += (word ^ word >> 7) + (entry[k] ^ 0x5bd1e995u);
    }
  }
  __shared__ unsigned of_warp[8];
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 8)
    mine = __reduce_add_sync(0xffu, of_warp[threadIdx.x]);
  if (threadIdx.x == 0)
    atomicAdd(sum, mine);
}
