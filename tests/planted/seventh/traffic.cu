// Bytes that each of 48 carriers moved, from a log of flows.
#define CARRIERS 48

extern "C" __global__ void __launch_bounds__(1024)
traffic(unsigned* total, const int* __restrict__ carrier, const unsigned* __restrict__ bytes, int n) {
#if STAGED
  __shared__ unsigned part[CARRIERS];
  if (threadIdx.x < CARRIERS) part[threadIdx.x] = 0;
  __syncthreads();
#else
  unsigned* part = total;
#endif
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(part + carrier[i], bytes[i]);
#if STAGED
  __syncthreads();
  if (threadIdx.x < CARRIERS) atomicAdd(total + threadIdx.x, part[threadIdx.x]);
#endif
}
