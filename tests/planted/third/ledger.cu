// Balances of n accounts after the day's changes.
//
//   BLOCK  threads of a block, an account each
//
// n is a multiple of BLOCK.
extern "C" __global__ void __launch_bounds__(BLOCK)
    ledger(const int* __restrict__ before, const int* __restrict__ change,
           int* __restrict__ after) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  after[i] = before[i] + change[i];
}
