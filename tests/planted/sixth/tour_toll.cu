// The toll of all stations of a network, each visited once: a sum and an exclusive or.
extern "C" __global__ void __launch_bounds__(256) tour_toll(unsigned* total, const unsigned* __restrict__ toll,
                                                            const int* __restrict__ tour, const int* __restrict__ street, int n) {
#if ROUTE == 1
  const int* list = tour;
#else
  const int* list = street;
#endif
  unsigned sum = 0, mix = 0;
  for (int base = blockIdx.x * 2048 + threadIdx.x; base < n; base += gridDim.x * 2048) {
    int at[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) at[k] = base + k * 256 < n ? list[base + k * 256] : -1;
    unsigned v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = at[k] >= 0 ? toll[at[k]] : 0u;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      sum += v[k] >> 3;
      mix ^= v[k];
    }
  }
  __shared__ unsigned part[2][8];
  sum = __reduce_add_sync(0xffffffffu, sum);
  mix = __reduce_xor_sync(0xffffffffu, mix);
  if (threadIdx.x % 32 == 0) {
    part[0][threadIdx.x / 32] = sum;
    part[1][threadIdx.x / 32] = mix;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) {
      sum += part[0][w];
      mix ^= part[1][w];
    }
    atomicAdd(total, sum);
    atomicXor(total + 1, mix);
  }
}
