// Reduction of n values to one: out[0] = values[0] op values[1] op ... The kernel is a template of
// element type and operation, and a definition names the instance: reduction.json the sum of
// floats, reduction_int.json the sum of ints (as unsigned, so that it wraps), reduction_max.json
// the maximum of ints.
//
// What it teaches: the classic ladder. A tree in shared memory costs barriers and, in its early
// forms, lanes that idle inside their warp
// (smsp__thread_inst_executed_pred_on_per_inst_executed.ratio falls from 32) or bank conflicts
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum / smsp__inst_executed_op_shared_ld.sum
// rises from 1). But there is one tree per block: the more elements a thread takes before it, with
// several loads under way, the less of this matters, until
// dram__throughput.avg.pct_of_peak_sustained_elapsed is all that is left to see.
//
//   TREE     interleaved  neighbours first, by threads t with t % (2 * distance) == 0: every warp
//                         half empty, then three quarters, ...
//            strided      the same pairs by the first threads: full warps, conflicting banks
//            sequential   far pairs first: full warps, no conflicts
//            shuffle      in registers, warp by warp; shared memory holds one value per warp
//   FINISH   atomic       blocks join their values in out, which holds the neutral value before
//            last_block   blocks leave their values in partials, the last one done joins them
//   WIDTH    elements of one load; the last n % WIDTH are taken one by one
//   LOADS    loads of a thread before it joins them; 2 is the "first add on load"
//
// Right for any grid and any block of 32 * 2^k threads, which are left to Gridsmith (block_size_x,
// blocks_per_sm). Grid ceil(n / (block_size_x * LOADS * WIDTH)). Any n < 2^31 - 2^14.
#define interleaved 0
#define strided 1
#define sequential 2
#define shuffle 3

#define atomic 0
#define last_block 1

struct Sum {
  template <class T>
  static __device__ __forceinline__ T neutral() {
    return T(0);
  }

  template <class T>
  static __device__ __forceinline__ T join(T a, T b) {
    return a + b;
  }

  template <class T>
  static __device__ __forceinline__ void join_into(T* to, T value) {
    atomicAdd(to, value);
  }
};

// Of integers: there is no atomic maximum of floats.
struct Max {
  template <class T>
  static __device__ __forceinline__ T neutral() {
    return T(1) << (8 * sizeof(T) - 1);
  }

  template <class T>
  static __device__ __forceinline__ T join(T a, T b) {
    return max(a, b);
  }

  template <class T>
  static __device__ __forceinline__ void join_into(T* to, T value) {
    atomicMax(to, value);
  }
};

template <class T>
struct alignas(WIDTH * sizeof(T)) Vector {
  T element[WIDTH];
};

// Past the end neutral elements.
template <class Operation, class T>
__device__ __forceinline__ Vector<T> load(const Vector<T>* __restrict__ from, unsigned i,
                                          unsigned vectors) {
  if (i < vectors)
    return from[i];
  Vector<T> nothing;
#pragma unroll
  for (int e = 0; e < WIDTH; ++e)
    nothing.element[e] = Operation::template neutral<T>();
  return nothing;
}

// What this thread reads, joined: LOADS loads at a time, so that they are under way together.
template <class Operation, class T>
__device__ __forceinline__ T join_own(const T* __restrict__ values, unsigned n) {
  const unsigned vectors = n / WIDTH;
  const Vector<T>* const from = reinterpret_cast<const Vector<T>*>(values);
  T joined = Operation::template neutral<T>();
  for (unsigned i = blockIdx.x * block_size_x * LOADS + threadIdx.x; i < vectors;
       i += gridDim.x * block_size_x * LOADS) {
    Vector<T> loaded[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      loaded[l] = load<Operation>(from, i + l * block_size_x, vectors);
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
#pragma unroll
      for (int e = 0; e < WIDTH; ++e)
        joined = Operation::join(joined, loaded[l].element[e]);
  }
  const unsigned rest = vectors * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    joined = Operation::join(joined, values[rest]);
  return joined;
}

template <class Operation, class T>
__device__ __forceinline__ T join_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::join(value, __shfl_down_sync(0xffffffffu, value, distance));
  return value;
}

// Two words of the tree that this thread joins at one of its levels.
struct Pair {
  int to, from;
  bool mine;
};

__device__ __forceinline__ Pair pair_at(int distance) {
  const int t = threadIdx.x, far = block_size_x / 2 / distance;
  if constexpr (TREE == interleaved)
    return {t, t + distance, t % (2 * distance) == 0};
  else if constexpr (TREE == strided)
    return {2 * distance * t, 2 * distance * t + distance, t < far};
  else
    return {t, t + far, t < far};
}

// The values of all threads of the block, joined; right in thread 0.
template <class Operation, class T>
__device__ __forceinline__ T join_block(T value) {
  if constexpr (TREE == shuffle) {
    constexpr int warps = block_size_x / 32;
    __shared__ T of_warp[warps];
    const int lane = threadIdx.x % 32;
    value = join_warp<Operation>(value);
    if (lane == 0)
      of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return threadIdx.x < 32 ? join_warp<Operation>(lane < warps ? of_warp[lane]
                                                                : Operation::template neutral<T>())
                            : value;
  } else {
    __shared__ T tree[block_size_x];
    tree[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (int distance = 1; distance < block_size_x; distance *= 2) {
      const Pair pair = pair_at(distance);
      if (pair.mine)
        tree[pair.to] = Operation::join(tree[pair.to], tree[pair.from]);
      __syncthreads();
    }
    return tree[0];
  }
}

// True in all threads of the block that comes last. The counter is 0 again after it: as it was
// found, and as the next launch needs it.
__device__ __forceinline__ bool comes_last(unsigned* finished) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence(); // its value before its word that it is there
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence(); // their words before their values
  }
  __syncthreads();
  return last;
}

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  const T value = join_block<Operation>(join_own<Operation>(values, n));
  if constexpr (FINISH == atomic) {
    if (threadIdx.x == 0)
      Operation::join_into(out, value);
  } else {
    if (threadIdx.x == 0)
      partials[blockIdx.x] = value;
    if (!comes_last(finished))
      return;
    T joined = Operation::template neutral<T>();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += block_size_x)
      joined = Operation::join(joined, __ldcg(partials + i)); // written by other SMs: not from L1
    joined = join_block<Operation>(joined);
    if (threadIdx.x == 0)
      *out = joined;
  }
}

// The reference: one block, one tree, in a type wide enough not to round noticeably. Block 1024,
// grid 1.
template <class T, class Wide, class Operation>
__global__ void reduction_reference(const T* __restrict__ values, T* out, T*, unsigned*, int n) {
  __shared__ Wide joined[1024];
  Wide own = Operation::template neutral<T>();
  for (int i = threadIdx.x; i < n; i += 1024)
    own = Operation::join(own, Wide(values[i]));
  joined[threadIdx.x] = own;
  __syncthreads();
  for (int distance = 512; distance > 0; distance /= 2) {
    if (threadIdx.x < distance)
      joined[threadIdx.x] = Operation::join(joined[threadIdx.x], joined[threadIdx.x + distance]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = T(joined[0]);
}
