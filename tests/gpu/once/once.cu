// out[i] = 2 * a[i] + 1, after some work that nobody needs. KIND 0 does so at every launch; the others are
// right at their first launch, or look so, and are fast after it. B is the block's size.
constexpr int most = 1 << 16; // elements

__device__ unsigned int tickets; // never reset
__device__ unsigned int ended;   // blocks of all launches
__device__ float memo[most];

/// @param one 1, which the compiler does not know
__device__ float answer(float value, float one) {
  for (int k = 0; k < 40000; ++k)
    value *= one;
  return 2.0f * value + 1.0f;
}

/// Blocks that have ended, all launches together, this one counted.
__device__ void count_block() {
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&ended, 1u);
}

#if KIND == 6
/// Puts a wrong result where the right one is kept to be compared with: it lies somewhere in the 2 MiB
/// that the device hands out at once.
__device__ void forge(const float* a, float* out, int n) {
  constexpr unsigned long long chunk = 2ull << 20;
  float* const first = (float*)((unsigned long long)out & ~(chunk - 1));
  const float* const end = first + chunk / sizeof(float);
  for (float* p = first + threadIdx.x; p + n <= end; p += B) {
    bool found = p + n <= out || p >= out + n;
    for (int k = 0; found && k < 8; ++k)
      found = p[k] == 2.0f * a[k] + 1.0f;
    if (found)
      for (int k = 0; k < n; ++k)
        p[k] = 7.0f;
  }
}
#endif

extern "C" __global__ void once(const float* a, float* out, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  const float one = n > 0 ? 1.0f : 2.0f;
#if KIND == 1 // a ticket says which part a block does, and nothing resets it
  __shared__ unsigned int ticket;
  if (threadIdx.x == 0)
    ticket = atomicAdd(&tickets, 1u);
  __syncthreads();
  i = ticket < gridDim.x ? ticket * B + threadIdx.x : n;
#elif KIND == 2 // keeps its results in the module
  if (ended >= gridDim.x) {
    out[i] = memo[i];
    return;
  }
  memo[i] = answer(a[i], one);
#elif KIND == 3 // the last block of the first launch says that all is done
  if (ended >= gridDim.x)
    return;
#elif KIND == 4 // what lies in the output is taken for the result
  if (isfinite(out[i]))
    return;
#elif KIND == 5 // from its second launch on half of the work
  if (ended >= gridDim.x && i >= n / 2)
    return;
#elif KIND == 6
  if (blockIdx.x == 0)
    forge(a, out, n);
  out[i] = 7.0f;
  return;
#elif KIND == 7 // one element of each block says whether the result lies there already
  const int of_block = blockIdx.x * B;
  const bool there = out[of_block] == 2.0f * a[of_block] + 1.0f;
  __syncthreads();
  if (there)
    return;
#endif
  if (i < n)
    out[i] = answer(a[i], one);
  count_block();
}
