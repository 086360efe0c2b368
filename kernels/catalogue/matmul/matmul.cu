// C = A * B in single precision, row-major: A is m x k, B is k x n, C is m x n. Any m, n, k.
//
//   VARIANT  naive    one element of C per thread, straight from global memory
//            tiled    BM x BN elements of C per block, one per thread; A and B go through shared
//                     memory in slices of BK
//            blocked  TM x TN elements of C per thread in registers, in groups of four; each warp
//                     makes 4 TM x 8 TN elements, so that its reads of shared memory are few and
//                     wide
//   BM, BN   rows and columns of C per block
//   BK       depth of a slice of A and B
//   TM, TN   rows and columns of C per thread
//   VECTOR   width of an access to global memory: 4 needs n and k to be multiples of 4
//   BUFFERS  2: the next slice is written while this one is used; one barrier per slice, not two
//   RESIDENT blocks per SM the compiler must leave registers for
//
// Block (BM / TM * BN / TN), grid (ceil(n / BN), ceil(m / BM)).
#define naive 0
#define tiled 1
#define blocked 2

#define THREADS (BM / TM * (BN / TN))

__device__ __forceinline__ size_t at(int row, int column, int columns) {
  return (size_t)row * columns + column;
}

#if VARIANT == naive

__device__ __forceinline__ void multiply(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, int m, int n, int k) {
  const int row = blockIdx.y * BM + threadIdx.x / BN;
  const int column = blockIdx.x * BN + threadIdx.x % BN;
  if (row >= m || column >= n)
    return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i)
    sum += a[at(row, i, k)] * b[at(i, column, n)];
  c[at(row, column, n)] = sum;
}

#elif VARIANT == tiled

__device__ __forceinline__ void multiply(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, int m, int n, int k) {
  __shared__ float slice_a[BM][BK];
  __shared__ float slice_b[BK][BN];
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int y = threadIdx.x / BN, x = threadIdx.x % BN;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
      const int row = row0 + e / BK, i = k0 + e % BK;
      slice_a[e / BK][e % BK] = row < m && i < k ? a[at(row, i, k)] : 0.0f;
    }
    for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
      const int i = k0 + e / BN, column = column0 + e % BN;
      slice_b[e / BN][e % BN] = i < k && column < n ? b[at(i, column, n)] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i)
      sum += slice_a[y][i] * slice_b[i][x];
    __syncthreads();
  }
  if (row0 + y < m && column0 + x < n)
    c[at(row0 + y, column0 + x, n)] = sum;
}

#else

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
  float a[BUFFERS][BK][LINE_A]; // turned: a column of A is a line here
  float b[BUFFERS][BK][BN];
};

// This thread's pieces of the next slice: where they lie in global memory, and they themselves on
// their way to shared memory. Rows of A and columns of B that do not exist are read as the last
// ones are: what comes of them is not stored.
struct Pieces {
  const float* from_a[PIECES_A];
  const float* from_b[PIECES_B];
  Piece a[PIECES_A];
  Piece b[PIECES_B];

  __device__ __forceinline__ Pieces(const float* __restrict__ all_a, const float* __restrict__ all_b,
                                    int row0, int column0, int m, int n, int k) {
#pragma unroll
    for (int p = 0; p < PIECES_A; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      from_a[p] = all_a + at(min(row0 + e / BK, m - 1), e % BK, k);
    }
#pragma unroll
    for (int p = 0; p < PIECES_B; ++p) {
      const int e = (threadIdx.x + p * THREADS) * VECTOR;
      from_b[p] = all_b + at(e / BN, min(column0 + e % BN, n - VECTOR), n);
    }
  }

  // A whole piece is inside or outside: VECTOR divides k and n. `left`: of the depth.
  __device__ __forceinline__ void load(int left, int n) {
#pragma unroll
    for (int p = 0; p < PIECES_A; ++p) {
      const int i = (threadIdx.x + p * THREADS) * VECTOR % BK;
      a[p] = i < left ? *reinterpret_cast<const Piece*>(from_a[p]) : nothing();
      from_a[p] += BK;
    }
#pragma unroll
    for (int p = 0; p < PIECES_B; ++p) {
      const int i = (threadIdx.x + p * THREADS) * VECTOR / BN;
      b[p] = i < left ? *reinterpret_cast<const Piece*>(from_b[p]) : nothing();
      from_b[p] += at(BK, 0, n);
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
    // There and back again: each product shares an operand with the one before, which is then not
    // fetched from the register banks once more.
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
      for (int step = 0; step < TN; ++step) {
        const int x = y % 2 == 0 ? step : TN - 1 - step;
        sum[y][x] += a[y] * b[x];
      }
  }
}

__device__ __forceinline__ void write(const float (&sum)[TM][TN], float* __restrict__ c, int row0,
                                      int column0, int m, int n) {
#pragma unroll
  for (int y = 0; y < TM; ++y) {
    const int row = row0 + y / 4 * 16 + y % 4;
#pragma unroll
    for (int g = 0; g < TN; g += 4) {
      const int column = column0 + g * 8;
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

__device__ __forceinline__ void multiply(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) Slices slices;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / WARPS_N * WARP_M + lane / 8 * 4;
  const int column = warp % WARPS_N * WARP_N + lane % 8 * 4;
  float sum[TM][TN] = {};
  Pieces pieces(a, b, row0, column0, m, n, k);
  pieces.load(k, n);
  pieces.keep(slices, 0);
  __syncthreads();
  int buffer = 0;
  for (int k0 = BK; k0 < k; k0 += BK) {
    pieces.load(k - k0, n); // on its way while this slice is used
    accumulate(sum, slices, buffer, row, column);
#if BUFFERS == 2
    buffer ^= 1;
#else
    __syncthreads();
#endif
    pieces.keep(slices, buffer);
    __syncthreads();
  }
  accumulate(sum, slices, buffer, row, column);
  write(sum, c, row0 + row, column0 + column, m, n);
}

#endif

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  multiply(a, b, c, m, n, k);
}

// The reference: one element per thread, summed in double. Block (32, 8), grid (ceil(n / 32),
// ceil(m / 8)).
extern "C" __global__ void matmul_reference(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            int m, int n, int k) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n)
    return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i)
    sum += (double)a[at(row, i, k)] * b[at(i, column, n)];
  c[at(row, column, n)] = (float)sum;
}
