// WAYS branches over n floats: element i takes branch i % WAYS, which is `steps` additions long.
//
// What it teaches: a warp whose lanes take different branches takes them one after the other. By
// lane, smsp__thread_inst_executed_per_inst_executed.ratio falls to 32 / WAYS and the time grows
// with WAYS; regrouped, so that a warp has the elements of one branch, the ratio is 32 again for
// the very same work. The price is in the accesses, which lie WAYS elements apart
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum); going
// through shared memory takes it back. With few steps nothing of this is seen behind
// dram__throughput.avg.pct_of_peak_sustained_elapsed.
//
//   VARIANT  by_lane  thread t has element t: neighbours take different branches
//            by_warp  every warp has 32 elements of one branch, WAYS apart
//            staged   as by_warp within a block, its elements loaded and stored side by side
//   WAYS     number of branches, a power of two up to 32
//   BLOCK    threads per block
//   ELEMENTS of one thread, a block apart, one after the other
//
// All branches compute the same, source[i] + steps / 1024, each by code of its own: branch k scaled
// by 2^k, which rounds nothing. Block BLOCK, grid ceil(n / (BLOCK * ELEMENTS)); 32 * WAYS divides
// BLOCK * ELEMENTS (by_warp) or BLOCK (staged). Any n.
#define by_lane 0
#define by_warp 1
#define staged 2

template <int k>
__device__ __forceinline__ float branch(float value, int steps) {
  constexpr float scale = 1u << k;
  value *= scale;
#pragma unroll 4
  for (int step = 0; step < steps; ++step)
    value += scale / 1024;
  return value / scale;
}

// Halving, so that the way to every branch is as short.
template <int first = 0, int count = WAYS>
__device__ __forceinline__ float choose(int way, float value, int steps) {
  constexpr int half = count / 2;
  if constexpr (count == 1)
    return branch<first>(value, steps);
  else if (way < first + half)
    return choose<first, half>(way, value, steps);
  else
    return choose<first + half, half>(way, value, steps);
}

// Of 32 * WAYS consecutive places a permutation in which whole warps have the same remainder modulo
// WAYS.
__device__ __forceinline__ unsigned regrouped(unsigned t) {
  const unsigned lane = t % 32, warp = t / 32 % WAYS, group = t / (32 * WAYS);
  return (group * 32 + lane) * WAYS + warp;
}

#if VARIANT == staged

// One word in 33 is left free: elements WAYS apart lie in different banks.
__device__ __forceinline__ unsigned padded(unsigned t) {
  return t + t / 32;
}

__device__ __forceinline__ void work(const float* __restrict__ source, float* __restrict__ target,
                                     unsigned t, unsigned n, int steps) {
  __shared__ float values[BLOCK + BLOCK / 32];
  const unsigned mine = regrouped(threadIdx.x);
  if (t < n)
    values[padded(threadIdx.x)] = source[t];
  __syncthreads();
  values[padded(mine)] = choose(mine % WAYS, values[padded(mine)], steps);
  __syncthreads();
  if (t < n)
    target[t] = values[padded(threadIdx.x)];
}

#else

__device__ __forceinline__ void work(const float* __restrict__ source, float* __restrict__ target,
                                     unsigned t, unsigned n, int steps) {
  const unsigned i = VARIANT == by_warp ? regrouped(t) : t;
  if (i < n)
    target[i] = choose(i % WAYS, source[i], steps);
}

#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence(const float* __restrict__ source, float* __restrict__ target, int n, int steps) {
#pragma unroll 1 // the branches are long enough once
  for (int element = 0; element < ELEMENTS; ++element)
    work(source, target, (blockIdx.x * ELEMENTS + element) * BLOCK + threadIdx.x, n, steps);
}

// The reference: one branch, one element per thread. Block 256, grid ceil(n / 256).
extern "C" __global__ void divergence_reference(const float* __restrict__ source,
                                                float* __restrict__ target, int n, int steps) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    target[i] = branch<0>(source[i], steps);
}
