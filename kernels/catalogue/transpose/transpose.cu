// Transpose of an m x n matrix of floats, row-major: out (n x m) = in^T.
//
//   VARIANT  naive    every thread copies single elements; reads are coalesced, writes are not
//            tiled    a TILE x TILE tile goes through shared memory; PADDING columns against bank
//                     conflicts
//            blocked  as tiled, with ELEMENTS x ELEMENTS patches turned in registers: vector
//                     accesses to global and to shared memory, and a swizzle instead of padding
//   TILE     edge of the tile of one block
//   ROWS     rows of threads; each thread makes several elements (or patches) of its column
//   ELEMENTS width of a vector access (blocked; 1 otherwise); divides m and n
//   STREAM   1: loads and stores are marked as used once, so that they leave the cache first
//   BAND     order of the tiles. 1: row by row, so that what runs at the same time reads rows from end
//            to end; 0: column by column, and it writes them from end to end, which is the better
//            of both; more: in bands of that many tile rows, column by column
//
// Block (TILE / ELEMENTS, ROWS), grid (ceil(n / TILE), ceil(m / TILE)), the other way round if BAND is
// 0. Any m and n.
#define naive 0
#define tiled 1
#define blocked 2

// A block that lies wholly inside the matrix checks nothing.
template <bool checked>
__device__ __forceinline__ bool inside(int row, int column, int rows, int columns) {
  return !checked || (row < rows && column < columns);
}

__device__ __forceinline__ size_t at(int row, int column, int columns) {
  return (size_t)row * columns + column;
}

#if ELEMENTS == 4
typedef float4 Vector;
#elif ELEMENTS == 2
typedef float2 Vector;
#else
typedef float Vector;
#endif

__device__ __forceinline__ Vector load(const float* __restrict__ from) {
#if STREAM
  return __ldcs(reinterpret_cast<const Vector*>(from));
#else
  return *reinterpret_cast<const Vector*>(from);
#endif
}

__device__ __forceinline__ void store(float* __restrict__ to, Vector value) {
#if STREAM
  __stcs(reinterpret_cast<Vector*>(to), value);
#else
  *reinterpret_cast<Vector*>(to) = value;
#endif
}

#if ELEMENTS == 4
// Column i of the patch whose rows are p[0] ... p[3].
__device__ __forceinline__ void turn(Vector (&p)[4]) {
  const Vector a = p[0], b = p[1], c = p[2], d = p[3];
  p[0] = make_float4(a.x, b.x, c.x, d.x);
  p[1] = make_float4(a.y, b.y, c.y, d.y);
  p[2] = make_float4(a.z, b.z, c.z, d.z);
  p[3] = make_float4(a.w, b.w, c.w, d.w);
}
#elif ELEMENTS == 2
__device__ __forceinline__ void turn(Vector (&p)[2]) {
  const Vector a = p[0], b = p[1];
  p[0] = make_float2(a.x, b.x);
  p[1] = make_float2(a.y, b.y);
}
#else
__device__ __forceinline__ void turn(Vector (&)[1]) {
}
#endif

#if VARIANT == naive

template <bool checked>
__device__ __forceinline__ void transpose_tile(const float* __restrict__ in,
                                               float* __restrict__ out, int m, int n, int row0,
                                               int column0) {
  const int column = column0 + threadIdx.x;
#pragma unroll
  for (int j = 0; j < TILE; j += ROWS) {
    const int row = row0 + threadIdx.y + j;
    if (inside<checked>(row, column, m, n))
      store(out + at(column, row, m), load(in + at(row, column, n)));
  }
}

#elif VARIANT == tiled

typedef float Tile[TILE][TILE + PADDING];

__device__ __forceinline__ Tile& shared_tile() {
  __shared__ Tile tile;
  return tile;
}

template <bool checked>
__device__ __forceinline__ void transpose_tile(const float* __restrict__ in,
                                               float* __restrict__ out, int m, int n, int row0,
                                               int column0) {
  Tile& tile = shared_tile();
  const int x = threadIdx.x, y = threadIdx.y;
#pragma unroll
  for (int j = 0; j < TILE; j += ROWS)
    if (inside<checked>(row0 + y + j, column0 + x, m, n))
      tile[y + j][x] = load(in + at(row0 + y + j, column0 + x, n));
  __syncthreads();
#pragma unroll
  for (int j = 0; j < TILE; j += ROWS)
    if (inside<checked>(column0 + y + j, row0 + x, n, m))
      store(out + at(column0 + y + j, row0 + x, m), tile[x][y + j]);
}

#else

// Patches per tile edge; a power of two, so that the swizzle is a permutation.
#define PATCHES (TILE / ELEMENTS)

typedef Vector Tile[TILE][PATCHES];

// One for both ways below, with checks and without.
__device__ __forceinline__ Tile& shared_tile() {
  __shared__ Tile tile;
  return tile;
}

// The tile is kept turned: tile[column][patch of rows]. Without the swizzle all threads of a row
// would write to the same banks; with it neither writing nor reading conflicts.
template <bool checked>
__device__ __forceinline__ void transpose_tile(const float* __restrict__ in,
                                               float* __restrict__ out, int m, int n, int row0,
                                               int column0) {
  Tile& tile = shared_tile();
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = column0 + x * ELEMENTS;
#pragma unroll
  for (int j = 0; j < PATCHES; j += ROWS) {
    Vector patch[ELEMENTS] = {};
#pragma unroll
    for (int i = 0; i < ELEMENTS; ++i) {
      const int row = row0 + (y + j) * ELEMENTS + i;
      if (inside<checked>(row, column, m, n))
        patch[i] = load(in + at(row, column, n));
    }
    turn(patch);
#pragma unroll
    for (int i = 0; i < ELEMENTS; ++i)
      tile[x * ELEMENTS + i][(y + j) ^ x] = patch[i];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < PATCHES; j += ROWS) {
#pragma unroll
    for (int i = 0; i < ELEMENTS; ++i) {
      const int line = (y + j) * ELEMENTS + i;
      if (inside<checked>(column0 + line, row0 + x * ELEMENTS, n, m))
        store(out + at(column0 + line, row0 + x * ELEMENTS, m), tile[line][x ^ (y + j)]);
    }
  }
}

#endif

extern "C" __global__ void __launch_bounds__(TILE / ELEMENTS * ROWS)
    transpose(const float* __restrict__ in, float* __restrict__ out, int m, int n) {
#if BAND == 0
  const int tile_row = blockIdx.x, tile_column = blockIdx.y;
#elif BAND == 1
  const int tile_row = blockIdx.y, tile_column = blockIdx.x;
#else
  const unsigned tiles = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned band = tiles / (BAND * gridDim.x);
  const unsigned height = min((unsigned)BAND, gridDim.y - band * BAND); // the last may be lower
  const unsigned rest = tiles - band * BAND * gridDim.x;
  const int tile_row = band * BAND + rest % height;
  const int tile_column = rest / height;
#endif
  const int row0 = tile_row * TILE, column0 = tile_column * TILE;
  if (row0 + TILE <= m && column0 + TILE <= n)
    transpose_tile<false>(in, out, m, n, row0, column0);
  else
    transpose_tile<true>(in, out, m, n, row0, column0);
}

// The reference: one element per thread. Block (32, 8), grid (ceil(n / 32), ceil(m / 8)).
extern "C" __global__ void transpose_reference(const float* __restrict__ in,
                                               float* __restrict__ out, int m, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < m && column < n)
    out[at(column, row, m)] = in[at(row, column, n)];
}
