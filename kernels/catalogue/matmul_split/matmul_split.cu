// C = A * B in single precision, row-major: A is m x k, B is k x n, C is m x n, with the depth k split
// among blocks. Any m, n, k.
//
// What it teaches: a tile of C for each block is too little work where C is small or narrow. 1024 x
// 1024 makes 64 tiles of 128 x 128, and half of 132 SMs have nothing to do
// (sm__warps_active.avg.pct_of_peak_sustained_active, sm__cycles_active.avg against
// sm__cycles_elapsed.max). SPLIT blocks share a tile, each takes a part of the depth; smaller tiles
// would fill the device too, but load more (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum). What it
// costs is to bring the parts together: through the L2 (lts__t_sectors_op_write.sum), or within a
// cluster.
//
//   BM, BN   rows and columns of C per tile
//   BK       depth of a slice of A and B in shared memory, of which there are two
//   TM, TN   rows and columns of C per thread
//   VECTOR   width of an access to global memory: 4 needs n and k to be multiples of 4
//   SPLIT    blocks that share a tile
//   COMBINE  last_block  each leaves its part in global memory, and who is last adds them all
//            cluster     the blocks of a tile are a cluster and read each other's shared memory, each
//                        a share of the rows: nothing goes through the L2 (compute capability 9.0)
//   RESIDENT blocks per SM the compiler must leave registers for
//
// Block (BM / TM * BN / TN), grid (ceil(n / BN), ceil(m / BM), SPLIT). With last_block `parts` has
// SPLIT * BM * BN floats for each tile, and `finished`, zero before the first launch and after any, a
// counter.
#define last_block 0
#define cluster 1

#define THREADS (BM / TM * (BN / TN))

__device__ __forceinline__ size_t at(int row, int column, int columns) {
  return (size_t)row * columns + column;
}

// Rows of C per thread come in groups of 4 that lie 16 apart (4 lanes), columns in groups of 4 that
// lie 32 apart (8 lanes).
#define WARP_M (4 * TM)
#define WARP_N (8 * TN)
#define WARPS_N (BN / WARP_N)
// Padding keeps the scattered writes of a turned slice of A off each other's banks, and rows
// aligned.
#define LINE_A (BM + 4)
#define PIECES_A (BM * BK / VECTOR / THREADS)
#define PIECES_B (BK * BN / VECTOR / THREADS)

#if VECTOR == 4
typedef float4 Piece;

__device__ __forceinline__ Piece nothing() {
  return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}
#else
typedef float Piece;

__device__ __forceinline__ Piece nothing() {
  return 0.0f;
}
#endif

struct Slices {
  float a[2][BK][LINE_A]; // turned: a column of A is a line here
  float b[2][BK][BN];
};

union Shared {
  Slices slices;
  float4 exchange[SPLIT > 1 && COMBINE == cluster ? SPLIT : 1][THREADS];
};

// Where this thread's pieces of a slice lie, and the pieces on their way from global to shared
// memory.
struct Pieces {
  Piece a[PIECES_A];
  Piece b[PIECES_B];

  // A whole piece is inside or outside: VECTOR divides k and n.
  __device__ __forceinline__ void load(const float* __restrict__ from_a,
                                       const float* __restrict__ from_b, int row0, int column0,
                                       int k0, int m, int n, int k, int end) {
#pragma unroll
    for (int p = 0; p < PIECES_A; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      const int row = row0 + e / BK, i = k0 + e % BK;
      a[p] =
          row < m && i < end ? *reinterpret_cast<const Piece*>(from_a + at(row, i, k)) : nothing();
    }
#pragma unroll
    for (int p = 0; p < PIECES_B; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      const int i = k0 + e / BN, column = column0 + e % BN;
      b[p] = i < end && column < n ? *reinterpret_cast<const Piece*>(from_b + at(i, column, n))
                                   : nothing();
    }
  }

  __device__ __forceinline__ void keep(Slices& slices, int buffer) const {
#pragma unroll
    for (int p = 0; p < PIECES_A; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      float(*to)[LINE_A] = &slices.a[buffer][e % BK];
#if VECTOR == 4
      to[0][e / BK] = a[p].x;
      to[1][e / BK] = a[p].y;
      to[2][e / BK] = a[p].z;
      to[3][e / BK] = a[p].w;
#else
      to[0][e / BK] = a[p];
#endif
    }
#pragma unroll
    for (int p = 0; p < PIECES_B; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      *reinterpret_cast<Piece*>(&slices.b[buffer][e / BN][e % BN]) = b[p];
    }
  }
};

__device__ __forceinline__ void unpack(float* to, float4 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}

__device__ __forceinline__ void accumulate(float (&sum)[TM][TN], const Slices& slices, int buffer,
                                           int row, int column) {
#pragma unroll
  for (int i = 0; i < BK; ++i) {
    float a[TM], b[TN];
#pragma unroll
    for (int g = 0; g < TM; g += 4)
      unpack(a + g, *reinterpret_cast<const float4*>(&slices.a[buffer][i][row + g * 4]));
#pragma unroll
    for (int g = 0; g < TN; g += 4)
      unpack(b + g, *reinterpret_cast<const float4*>(&slices.b[buffer][i][column + g * 8]));
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
      for (int x = 0; x < TN; ++x)
        sum[y][x] += a[y] * b[x];
  }
}

// Whether four columns of a row of a thread are this block's to write.
__device__ __forceinline__ bool own_group(int y, int x) {
  return SPLIT == 1 || COMBINE != cluster || (y * TN + x) / 4 % SPLIT == blockIdx.z;
}

__device__ __forceinline__ void write(const float (&sum)[TM][TN], float* __restrict__ c, int row0,
                                      int column0, int m, int n) {
#pragma unroll
  for (int y = 0; y < TM; ++y) {
    const int row = row0 + y / 4 * 16 + y % 4;
#pragma unroll
    for (int g = 0; g < TN; g += 4) {
      const int column = column0 + g * 8;
      if (!own_group(y, g))
        continue;
#if VECTOR == 4
      if (row < m && column < n)
        *reinterpret_cast<float4*>(c + at(row, column, n)) =
            make_float4(sum[y][g], sum[y][g + 1], sum[y][g + 2], sum[y][g + 3]);
#else
#pragma unroll
      for (int x = 0; x < 4; ++x)
        if (row < m && column + x < n)
          c[at(row, column + x, n)] = sum[y][g + x];
#endif
    }
  }
}

#if SPLIT > 1 && COMBINE == cluster

__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

// Where the same place of block `rank` of this cluster lies.
__device__ __forceinline__ unsigned shared_of(const void* place, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"((unsigned)__cvta_generic_to_shared(place)), "r"(rank));
  return there;
}

__device__ __forceinline__ float4 read_of_cluster(unsigned place) {
  float4 value;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(place)
               : "memory");
  return value;
}

// Four columns of one row of every thread at a time: all blocks lay theirs out, and block r adds
// those whose number is r modulo SPLIT, and keeps the sums.
__device__ __forceinline__ void combine(float (&sum)[TM][TN], float4 (&exchange)[SPLIT][THREADS]) {
#pragma unroll
  for (int group = 0; group < TM * TN / 4; group += SPLIT) {
#pragma unroll
    for (int g = 0; g < SPLIT; ++g)
      if (const int y = (group + g) * 4 / TN, x = (group + g) * 4 % TN; y < TM)
        exchange[g][threadIdx.x] =
            make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
    wait_for_cluster();
#pragma unroll
    for (int g = 0; g < SPLIT; ++g)
      if (const int y = (group + g) * 4 / TN, x = (group + g) * 4 % TN; y < TM && g == blockIdx.z) {
        float4 all = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (unsigned s = 0; s < SPLIT; ++s) {
          const float4 part = read_of_cluster(shared_of(&exchange[g][threadIdx.x], s));
          all = make_float4(all.x + part.x, all.y + part.y, all.z + part.z, all.w + part.w);
        }
        sum[y][x] = all.x;
        sum[y][x + 1] = all.y;
        sum[y][x + 2] = all.z;
        sum[y][x + 3] = all.w;
      }
    wait_for_cluster(); // before others' shared memory is written again, or gone
  }
}

#elif SPLIT > 1

// Each leaves its part, and who is last adds them all, in their order. Whether this is the last.
__device__ __forceinline__ bool combine(float (&sum)[TM][TN], float* __restrict__ parts,
                                        unsigned* __restrict__ finished) {
  __shared__ bool last;
  const unsigned tile = blockIdx.y * gridDim.x + blockIdx.x;
  float4* const of_tile = reinterpret_cast<float4*>(parts) + size_t(tile) * SPLIT * (BM * BN / 4);
  float4* const own = of_tile + blockIdx.z * (BM * BN / 4) + threadIdx.x;
#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; x += 4)
      own[(y * TN + x) / 4 * THREADS] =
          make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicAdd(finished + tile, 1u) == SPLIT - 1;
  __syncthreads();
  if (!last)
    return false;
  __threadfence();
  if (threadIdx.x == 0)
    finished[tile] = 0;
  const volatile float* const part = reinterpret_cast<const volatile float*>(of_tile + threadIdx.x);
#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; ++x) {
      float all = 0.0f;
      for (int s = 0; s < SPLIT; ++s)
        all += part[s * (BM * BN) + (y * TN + x) / 4 * THREADS * 4 + x % 4];
      sum[y][x] = all;
    }
  return true;
}

#endif

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul_split(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                 float* __restrict__ parts, unsigned* __restrict__ finished, int m, int n, int k) {
  __shared__ __align__(16) Shared shared;
  Slices& slices = shared.slices;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / WARPS_N * WARP_M + lane / 8 * 4;
  const int column = warp % WARPS_N * WARP_N + lane % 8 * 4;
  // Whole slices, so that no two blocks share one.
  const int depth = ((k + BK - 1) / BK + SPLIT - 1) / SPLIT * BK;
  const int begin = blockIdx.z * depth, end = min(begin + depth, k);
  float sum[TM][TN] = {};
  Pieces pieces;
  pieces.load(a, b, row0, column0, begin, m, n, k, end);
  pieces.keep(slices, 0);
  __syncthreads();
  int buffer = 0;
  for (int k0 = begin + BK; k0 < end; k0 += BK) {
    pieces.load(a, b, row0, column0, k0, m, n, k, end); // on its way while this slice is used
    accumulate(sum, slices, buffer, row, column);
    buffer ^= 1;
    pieces.keep(slices, buffer);
    __syncthreads();
  }
  accumulate(sum, slices, buffer, row, column);
#if SPLIT > 1 && COMBINE == cluster
  __syncthreads(); // all have read the last slices
  combine(sum, shared.exchange);
#elif SPLIT > 1
  if (!combine(sum, parts, finished))
    return;
#endif
  write(sum, c, row0 + row, column0 + column, m, n);
}

// The reference: one element per thread, summed in double. Block (32, 8), grid (ceil(n / 32),
// ceil(m / 8)).
extern "C" __global__ void matmul_reference(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            float*, unsigned*, int m, int n, int k) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n)
    return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i)
    sum += (double)a[at(row, i, k)] * b[at(i, column, n)];
  c[at(row, column, n)] = (float)sum;
}
