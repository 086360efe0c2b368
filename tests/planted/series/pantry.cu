// Looks up the ingredients of a menu in a long list; a cook has a shelf of SHELF KiB.
extern "C" __global__ void __launch_bounds__(128)
pantry(unsigned* __restrict__ out, const unsigned* __restrict__ list, const unsigned* __restrict__ menu, int n, int items) {
  extern __shared__ unsigned shelf[];
  const int me = blockIdx.x * 128 + threadIdx.x;
  unsigned at = menu[me];
#pragma unroll 1
  for (int dish = 0; dish < 16; ++dish)
    at = list[at];
  shelf[threadIdx.x] = at;
  __syncthreads();
  out[me] = shelf[threadIdx.x ^ 1];
}
