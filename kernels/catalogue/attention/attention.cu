// Attention, single precision: for each of n queries of each head the sum of the values of the same
// head, weighted by softmax(query . key / 8). Heads, then rows of 64 floats: q, k, v and out are
// heads x n x 64.
//
// What it teaches: the n x n weights are needed only once each, so that they need never be stored.
// A block for a query keeps its row of them in shared memory and reads all keys and values for that
// one query: the L2 has to deliver n times what there is (lts__t_sectors_op_read.sum), and long rows
// leave room for few blocks. Running softmax (Milakov and Gimelshein, 2018; the flash attention of
// Dao and others, 2022) takes the keys in any number of pieces, with largest weight, sum and
// weighted values in registers: what a key was loaded for is now as many queries as a block has.
// From there on it is a matrix product: loads for each multiplication
// (smsp__inst_executed_op_shared_ld.sum beside sm__inst_executed_pipe_fma.sum), which more queries of
// a thread make fewer, against registers (sm__warps_active.avg.pct_of_peak_sustained_active, and
// spills where RESIDENT asks for too much). Several lanes for a query need fewer registers and join
// every weight by shuffles.
//
//   VARIANT  by_query  a block for a query, its weights in shared memory
//            direct    running softmax, keys and values straight from global memory
//            tile      the same, KEYS keys and values at a time in shared memory
//   LANES    threads of a query, each with 64 / LANES of the 64 columns (1 for by_query)
//   QUERIES  of these threads (1 for by_query)
//   KEYS     of a tile (8 otherwise)
//   RESIDENT blocks per SM the compiler must leave registers for (1 for by_query)
//
// The block is left to Gridsmith (block_size_x, a multiple of 64). Grid (ceil(n / queries of a
// block), heads); dynamic shared memory (by_query) 4 * n bytes. Any n, heads with
// heads * n * 64 < 2^31.
#define by_query 0
#define direct 1
#define tile 2

constexpr int depth = 64;                  // columns of q, k, v
constexpr int pieces = 16;                 // of a row, four floats each
constexpr float scale = 0.180336880111f;   // log2(e) / sqrt(depth): weights are powers of 2
constexpr float lowest = -3.402823466e38f; // not infinity: its difference from itself is 0

// One head: rows of pieces.
struct Head {
  const float4* __restrict__ q;
  const float4* __restrict__ k;
  const float4* __restrict__ v;
  float4* __restrict__ out;
  int n;
};

__device__ __forceinline__ void add(float& sum, const float4& a, const float4& b) {
  sum += a.x * b.x;
  sum += a.y * b.y;
  sum += a.z * b.z;
  sum += a.w * b.w;
}

__device__ __forceinline__ void add(float4& sum, float factor, const float4& a) {
  sum.x += factor * a.x;
  sum.y += factor * a.y;
  sum.z += factor * a.z;
  sum.w += factor * a.w;
}

__device__ __forceinline__ float4 product(const float4& a, float factor) {
  return make_float4(a.x * factor, a.y * factor, a.z * factor, a.w * factor);
}

#if VARIANT == by_query

constexpr int warps = block_size_x / 32;

// Over the block, in all threads. Called once for an operation: each has shared memory of its own.
template <class Operation>
__device__ __forceinline__ float join_block(float value, Operation operation) {
  __shared__ float of_warp[warps];
  const auto join_lanes = [&](int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      value = operation(value, __shfl_xor_sync(0xffffffffu, value, distance));
  };
  join_lanes(32);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[threadIdx.x % warps];
  join_lanes(warps);
  return value;
}

__device__ __forceinline__ void compute(const Head& head) {
  extern __shared__ float weights[];
  __shared__ float4 query[pieces];
  __shared__ float4 found[block_size_x];
  if (threadIdx.x < pieces)
    query[threadIdx.x] = product(head.q[blockIdx.x * pieces + threadIdx.x], scale);
  __syncthreads();
  float largest = lowest, sum = 0.0f;
  for (int key = threadIdx.x; key < head.n; key += block_size_x) {
    float weight = 0.0f;
#pragma unroll
    for (int p = 0; p < pieces; ++p)
      add(weight, query[p], head.k[key * pieces + p]);
    weights[key] = weight;
    largest = fmaxf(largest, weight);
  }
  largest = join_block(largest, [](float a, float b) { return fmaxf(a, b); });
  for (int key = threadIdx.x; key < head.n; key += block_size_x)
    sum += weights[key] = exp2f(weights[key] - largest);
  sum = join_block(sum, [](float a, float b) { return a + b; }); // and all weights are there
  constexpr int groups = block_size_x / pieces;
  const int piece = threadIdx.x % pieces;
  float4 own = {};
  for (int key = threadIdx.x / pieces; key < head.n; key += groups)
    add(own, weights[key], head.v[key * pieces + piece]);
  found[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x < pieces) {
    for (int group = 1; group < groups; ++group)
      add(own, 1.0f, found[group * pieces + piece]);
    head.out[blockIdx.x * pieces + piece] = product(own, 1.0f / sum);
  }
}

#else

constexpr int own_pieces = pieces / LANES; // of a thread: every LANES-th
constexpr int at_once = 8;                 // keys whose weights are in registers together
constexpr int groups = block_size_x / LANES;

// The queries of a thread, and what was found for them.
struct Queries {
  float4 query[QUERIES][own_pieces], found[QUERIES][own_pieces] = {};
  float largest[QUERIES], sum[QUERIES] = {};

  __device__ __forceinline__ void load(const Head& head, int first) {
#pragma unroll
    for (int i = 0; i < QUERIES; ++i) {
      largest[i] = lowest;
#pragma unroll
      for (int p = 0; p < own_pieces; ++p) // past the last query that one again
        query[i][p] = product(
            head.q[min(first + i * groups, head.n - 1) * pieces + p * LANES + threadIdx.x % LANES],
            scale);
    }
  }

  // Of the next keys. key(j, p) is piece p of key j.
  template <class Key>
  __device__ __forceinline__ void weigh(float (&weight)[QUERIES][at_once], Key key) const {
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
#pragma unroll
      for (int i = 0; i < QUERIES; ++i)
        weight[i][j] = 0.0f;
#pragma unroll
      for (int p = 0; p < own_pieces; ++p) {
        const float4 piece = key(j, p * LANES + threadIdx.x % LANES);
#pragma unroll
        for (int i = 0; i < QUERIES; ++i)
          add(weight[i][j], query[i][p], piece);
      }
#pragma unroll
      for (int i = 0; i < QUERIES; ++i)
#pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2)
          weight[i][j] += __shfl_xor_sync(0xffffffffu, weight[i][j], distance);
    }
  }

  // From logarithms to powers of 2, those found so far scaled to the same largest one.
  __device__ __forceinline__ void raise(float (&weight)[QUERIES][at_once]) {
#pragma unroll
    for (int i = 0; i < QUERIES; ++i) {
      float next = largest[i];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        next = fmaxf(next, weight[i][j]);
      const float factor = exp2f(largest[i] - next);
      largest[i] = next;
      sum[i] *= factor;
#pragma unroll
      for (int p = 0; p < own_pieces; ++p)
        found[i][p] = product(found[i][p], factor);
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        sum[i] += weight[i][j] = exp2f(weight[i][j] - next);
    }
  }

  // The next keys, of which `there` exist.
  template <class Key, class Value>
  __device__ __forceinline__ void attend(int there, Key key, Value value) {
    float weight[QUERIES][at_once];
    weigh(weight, key);
#pragma unroll
    for (int j = 0; j < at_once; ++j)
#pragma unroll
      for (int i = 0; i < QUERIES; ++i)
        weight[i][j] = j < there ? weight[i][j] : lowest;
    raise(weight);
#pragma unroll
    for (int j = 0; j < at_once; ++j)
#pragma unroll
      for (int p = 0; p < own_pieces; ++p) {
        const float4 piece = value(j, p * LANES + threadIdx.x % LANES);
#pragma unroll
        for (int i = 0; i < QUERIES; ++i)
          add(found[i][p], weight[i][j], piece);
      }
  }

  __device__ __forceinline__ void store(const Head& head, int first) const {
#pragma unroll
    for (int i = 0; i < QUERIES; ++i)
      if (const int row = first + i * groups; row < head.n)
#pragma unroll
        for (int p = 0; p < own_pieces; ++p)
          head.out[row * pieces + p * LANES + threadIdx.x % LANES] =
              product(found[i][p], 1.0f / sum[i]);
  }
};

#if VARIANT == direct

__device__ __forceinline__ void attend_all(Queries& queries, const Head& head) {
#pragma unroll 1
  for (int first = 0; first < head.n; first += at_once) {
    const auto row = [&](int j) { return min(first + j, head.n - 1) * pieces; };
    queries.attend(
        head.n - first, [&](int j, int p) { return head.k[row(j) + p]; },
        [&](int j, int p) { return head.v[row(j) + p]; });
  }
}

#else

__device__ __forceinline__ void attend_all(Queries& queries, const Head& head) {
  __shared__ float4 keys[KEYS * pieces], values[KEYS * pieces];
#pragma unroll 1
  for (int first = 0; first < head.n; first += KEYS) {
    const int there = min(KEYS, head.n - first) * pieces;
    for (int i = threadIdx.x; i < KEYS * pieces; i += block_size_x) {
      keys[i] = i < there ? head.k[first * pieces + i] : float4{};
      values[i] = i < there ? head.v[first * pieces + i] : float4{}; // weighted by 0: no NaN
    }
    __syncthreads();
#pragma unroll 1
    for (int at = 0; at < min(KEYS, head.n - first); at += at_once)
      queries.attend(
          head.n - first - at, [&](int j, int p) { return keys[(at + j) * pieces + p]; },
          [&](int j, int p) { return values[(at + j) * pieces + p]; });
    __syncthreads(); // before the next tile takes its place
  }
}

#endif

__device__ __forceinline__ void compute(const Head& head) {
  const int first = blockIdx.x * groups * QUERIES + threadIdx.x / LANES;
  Queries queries;
  queries.load(head, first);
  attend_all(queries, head);
  queries.store(head, first);
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x, RESIDENT)
    attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
              float* __restrict__ out, int n) {
  const size_t first = size_t(blockIdx.y) * n * pieces;
  compute({reinterpret_cast<const float4*>(q) + first, reinterpret_cast<const float4*>(k) + first,
           reinterpret_cast<const float4*>(v) + first, reinterpret_cast<float4*>(out) + first, n});
}
