// target = source, a matrix of floats in rows, of any length: pitched in copy_pitched.json, where
// every row begins at an aligned address, packed in copy_packed.json, where it begins where the one
// before ends.
//
// What it teaches: what the empty bytes at the end of a pitched row are for. In packed rows of an odd
// length nearly every row begins inside a sector, so a warp's access touches a sector more
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum is 5, not
// 4), and vectors cannot begin at its start; of the sectors that two warps share, the stores are the
// worse (lts__t_sectors_op_write.sum). With ALIGN only the elements before the first boundary and behind
// the last are copied one by one. Pitched rows are read by 16 bytes, whatever their length; where that
// divides 128 bytes, both are the same.
//
//   WIDTH  floats of one access; divides the length of packed rows if ALIGN does not help. What of a row
//          does not fill one is copied one by one
//   ITEMS  rows of a thread that are under way together
//   ALIGN  accesses begin at a boundary of so many floats, which has to be one of source and target: 32
//          is a line, so that warps share no sector; 1, also where it is not given, is where the row
//          begins
//
// Right for any block and grid, which are left to Gridsmith (block_size_x, block_size_y,
// blocks_per_sm). Grid (ceil(columns / (WIDTH * block_size_x)), ceil(rows / (ITEMS * block_size_y))).
// Pitches in elements. Any extents with fewer than 2^31 elements.
#ifndef ALIGN
#define ALIGN 1
#endif

#if WIDTH == 4
typedef float4 Vector;
#elif WIDTH == 2
typedef float2 Vector;
#else
typedef float Vector;
#endif

// What one thread copies of a row: the elements of one access, as many of them as are of the row.
// Elements are counted from the boundary where accesses begin: the row's are from `begin` to `end`.
struct Piece {
  const float* from;
  float* to;
  int word, begin, end;
  bool alike; // both rows begin the same way past a boundary

  __device__ __forceinline__ bool whole() const {
    return alike && word * WIDTH >= begin && (word + 1) * WIDTH <= end;
  }

  __device__ __forceinline__ Vector load() const {
    return reinterpret_cast<const Vector*>(from)[word];
  }

  __device__ __forceinline__ void store(Vector vector) const {
    reinterpret_cast<Vector*>(to)[word] = vector;
  }

  __device__ __forceinline__ void copy_one_by_one() const {
#pragma unroll 1
    for (int at = max(word * WIDTH, begin); at < min((word + 1) * WIDTH, end); ++at)
      to[at] = from[at];
  }
};

__device__ __forceinline__ int past_boundary(const float* at) {
  return unsigned(reinterpret_cast<size_t>(at) / sizeof(float)) % ALIGN;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    copy_pitched(const float* __restrict__ source, float* __restrict__ target, int columns,
                 int rows, int source_pitch, int target_pitch) {
  const int across = gridDim.x * block_size_x, down = gridDim.y * block_size_y * ITEMS;
  const int words = (columns + ALIGN - 1 + WIDTH - 1) / WIDTH; // at most
  for (int first = blockIdx.y * ITEMS * block_size_y + threadIdx.y; first < rows; first += down)
    for (int word = blockIdx.x * block_size_x + threadIdx.x; word < words; word += across) {
      Piece piece[ITEMS];
      Vector vector[ITEMS];
#pragma unroll
      for (int j = 0; j < ITEMS; ++j) {
        const int row = first + j * block_size_y;
        float* const to = target + (size_t)row * target_pitch;
        const float* const from = source + (size_t)row * source_pitch;
        const int past = past_boundary(to);
        piece[j] = {from - past, to - past, word, past, row < rows ? past + columns : 0,
                    past == past_boundary(from)};
        if (piece[j].whole())
          vector[j] = piece[j].load();
      }
#pragma unroll
      for (int j = 0; j < ITEMS; ++j)
        if (piece[j].whole())
          piece[j].store(vector[j]);
        else
          piece[j].copy_one_by_one();
    }
}

// The reference: one element per thread. Block (32, 8), grid (ceil(columns / 32), ceil(rows / 8)).
extern "C" __global__ void copy_reference(const float* __restrict__ source,
                                          float* __restrict__ target, int columns, int rows,
                                          int source_pitch, int target_pitch) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (column < columns && row < rows)
    target[(size_t)row * target_pitch + column] = source[(size_t)row * source_pitch + column];
}
