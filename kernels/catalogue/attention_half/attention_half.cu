// Attention of halves on tensor cores, summed in single precision: for each of n queries of each
// head the sum of the values of the same head, weighted by softmax(query . key / 8). Heads, then
// rows of 64 halves: q, k, v and out are heads x n x 64.
//
// What it teaches: the catalogue's `attention` is two matrix products with a softmax between them,
// and where tensor cores take the products (sm__inst_executed_pipe_tensor.sum) the rest is what
// lasts: powers of 2 (smsp__inst_executed_pipe_xu.sum), keys and values on their way. The weights of
// a tile never leave the registers: as the first product gives them, the second takes them (flash
// attention, Dao and others, 2022). A warp with more QUERIES reads each fragment of keys and values
// for more products (smsp__inst_executed_op_shared_ld.sum), against registers
// (sm__warps_active.avg.pct_of_peak_sustained_active; spills where RESIDENT asks for too much).
// Lines of 128 bytes begin at the same bank, and cost a wavefront for each row of a fragment
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum / smsp__inst_executed_op_shared_ld.sum),
// until they are padded.
//
//   QUERIES   of a warp
//   KEYS      of a tile, with their values
//   STAGES    tiles in shared memory: with 2, one is on its way while the other is used
//   PADDING   1: lines of a tile are 16 bytes longer than they need be
//   RESIDENT  blocks per SM the compiler must leave registers for
//
// The block is left to Gridsmith (block_size_x). Grid (ceil(n / queries of a block), heads); dynamic
// shared memory for the tiles. The layouts of fragments are those of the PTX ISA, "Matrix fragments
// for mma.m16n8k16"; from compute capability 8.0 on. Any n, heads with heads * n * 64 < 2^31.
constexpr int depth = 64;                  // columns of q, k, v
constexpr int line = depth + 8 * PADDING;  // halves of a row in shared memory
constexpr int groups = QUERIES / 16;       // of 16 queries, as many as a product has rows
constexpr float scale = 0.180336880111f;   // log2(e) / sqrt(depth): weights are powers of 2
constexpr float lowest = -3.402823466e38f; // not infinity: its difference from itself is 0

typedef unsigned short Half;

// ---- the machine's words

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return (unsigned)__cvta_generic_to_shared(at);
}

// 16 bytes, zeros where there is nothing.
__device__ __forceinline__ void copy_async(void* to, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(to)), "l"(from), "r"(there ? 16 : 0)
               : "memory");
}

__device__ __forceinline__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until at most that many of the groups are still on their way.
template <int count>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" : : "n"(count) : "memory");
}

// Four squares of 8 lines of 16 bytes; lane l has line l % 8 of square l / 8.
__device__ __forceinline__ void load_squares(unsigned (&to)[4], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from))
               : "memory");
}

// Each turned.
__device__ __forceinline__ void load_squares_turned(unsigned (&to)[4], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from))
               : "memory");
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two halves, rounded to the nearest; the first lies lower.
__device__ __forceinline__ unsigned halves(float first, float second) {
  unsigned packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}

// ---- one head

struct Head {
  const Half* __restrict__ q;
  const Half* __restrict__ k;
  const Half* __restrict__ v;
  Half* __restrict__ out;
  int n;
};

struct Tile {
  Half keys[KEYS][line], values[KEYS][line];

  __device__ __forceinline__ void load(const Head& head, int first) {
    constexpr int pieces = depth / 8; // of a row, 16 bytes each
#pragma unroll
    for (int i = threadIdx.x; i < KEYS * pieces; i += block_size_x) {
      const int row = i / pieces, column = i % pieces * 8;
      const bool there = first + row < head.n;
      const size_t at = there ? size_t(first + row) * depth + column : 0;
      copy_async(&keys[row][column], head.k + at, there);
      copy_async(&values[row][column], head.v + at, there); // weighted by 0: no NaN
    }
  }
};

// Sixteen queries and what was found for them. A lane has two rows, lane / 4 and that + 8, and of
// each 8 columns two, at lane % 4 * 2.
struct Queries {
  unsigned query[depth / 16][4];
  float found[depth / 8][4] = {};
  float largest[2] = {lowest, lowest}, sum[2] = {};

  __device__ __forceinline__ void load(const Head& head, int first) {
    const int lane = threadIdx.x % 32;
    const unsigned* const words = reinterpret_cast<const unsigned*>(head.q);
#pragma unroll
    for (int i = 0; i < 4; ++i) { // past the last query that one again
      const size_t row = min(first + lane / 4 + i % 2 * 8, head.n - 1);
#pragma unroll
      for (int d = 0; d < depth / 16; ++d)
        query[d][i] = words[row * (depth / 2) + d * 8 + i / 2 * 4 + lane % 4];
    }
  }

  // From products to weights, what was found so far scaled to the same largest product.
  __device__ __forceinline__ void raise(float (&weight)[KEYS / 8][4]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float next = largest[half];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        next = fmaxf(next, fmaxf(weight[j][2 * half], weight[j][2 * half + 1]));
#pragma unroll
      for (int distance = 1; distance < 4; distance *= 2) // the lanes of a row
        next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, distance));
      const float factor = exp2f((largest[half] - next) * scale);
      largest[half] = next;
      sum[half] *= factor;
#pragma unroll
      for (int x = 0; x < depth / 8; ++x) {
        found[x][2 * half] *= factor;
        found[x][2 * half + 1] *= factor;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i)
          sum[half] += weight[j][i] = exp2f((weight[j][i] - next) * scale);
    }
  }

  __device__ __forceinline__ void store(const Head& head, int first) {
    const int lane = threadIdx.x % 32;
    unsigned* const words = reinterpret_cast<unsigned*>(head.out);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int distance = 1; distance < 4; distance *= 2)
        sum[half] += __shfl_xor_sync(0xffffffffu, sum[half], distance);
      const int row = first + lane / 4 + half * 8;
      const float factor = 1.0f / sum[half];
      if (row < head.n)
#pragma unroll
        for (int x = 0; x < depth / 8; ++x)
          words[size_t(row) * (depth / 2) + x * 4 + lane % 4] =
              halves(found[x][2 * half] * factor, found[x][2 * half + 1] * factor);
    }
  }
};

// Products of all queries of the warp with the keys of the tile, of which `there` exist.
__device__ __forceinline__ void weigh(float (&weight)[groups][KEYS / 8][4],
                                      const Queries (&queries)[groups], const Tile& tile,
                                      int there) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < KEYS / 8; j += 2)
#pragma unroll
    for (int d = 0; d < depth / 16; ++d) {
      unsigned b[4];
      load_squares(b, &tile.keys[j * 8 + lane / 16 * 8 + lane % 8][d * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        multiply(weight[g][j], queries[g].query[d], b[0], b[1]);
        multiply(weight[g][j + 1], queries[g].query[d], b[2], b[3]);
      }
    }
  if (there >= KEYS)
    return;
#pragma unroll
  for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (j * 8 + lane % 4 * 2 + i % 2 >= there)
#pragma unroll
        for (int g = 0; g < groups; ++g)
          weight[g][j][i] = lowest;
}

__device__ __forceinline__ void attend(Queries (&queries)[groups], const Tile& tile, int there) {
  const int lane = threadIdx.x % 32;
  float weight[groups][KEYS / 8][4] = {};
  weigh(weight, queries, tile, there);
#pragma unroll
  for (int g = 0; g < groups; ++g)
    queries[g].raise(weight[g]);
#pragma unroll
  for (int j = 0; j < KEYS / 8; j += 2) {
    unsigned a[groups][4];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a[g][i] = halves(weight[g][j + i / 2][i % 2 * 2], weight[g][j + i / 2][i % 2 * 2 + 1]);
#pragma unroll
    for (int x = 0; x < depth / 8; x += 2) {
      unsigned b[4];
      load_squares_turned(b, &tile.values[j * 8 + lane % 16][x * 8 + lane / 16 * 8]);
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        multiply(queries[g].found[x], a[g], b[0], b[1]);
        multiply(queries[g].found[x + 1], a[g], b[2], b[3]);
      }
    }
  }
}

__device__ __forceinline__ void compute(const Head& head) {
  extern __shared__ __align__(16) unsigned char memory[];
  Tile* const tiles = reinterpret_cast<Tile*>(memory);
  const int first = (blockIdx.x * (block_size_x / 32) + threadIdx.x / 32) * QUERIES;
  tiles[0].load(head, 0);
  end_group();
  Queries queries[groups];
#pragma unroll
  for (int g = 0; g < groups; ++g)
    queries[g].load(head, first + 16 * g);
#pragma unroll 1
  for (int key = 0, t = 0; key < head.n; key += KEYS, ++t) {
    if (STAGES == 2 && key + KEYS < head.n)
      tiles[(t + 1) % STAGES].load(head, key + KEYS);
    end_group();
    wait_for_groups<1>();
    __syncthreads();
    attend(queries, tiles[t % STAGES], head.n - key);
    __syncthreads(); // before the next tile takes its place
    if (STAGES == 1 && key + KEYS < head.n)
      tiles[0].load(head, key + KEYS);
    if (STAGES == 1)
      end_group();
  }
#pragma unroll
  for (int g = 0; g < groups; ++g)
    queries[g].store(head, first + 16 * g);
}

extern "C" __global__ void __launch_bounds__(block_size_x, RESIDENT)
    attention_half(const Half* __restrict__ q, const Half* __restrict__ k,
                   const Half* __restrict__ v, Half* __restrict__ out, int n) {
  const size_t first = size_t(blockIdx.y) * n * depth;
  compute({q + first, k + first, v + first, out + first, n});
}
