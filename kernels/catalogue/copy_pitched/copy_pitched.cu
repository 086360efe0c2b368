// target = source, a matrix of floats in rows, of any length: pitched in copy_pitched.json, where
// every row begins at an aligned address, packed in copy_packed.json, where it begins where the one
// before ends.
//
// What it teaches: what the empty bytes at the end of a pitched row are for. In packed rows of an odd
// length nearly every row begins inside a sector, so a warp's access touches a sector more
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum is 5, not
// 4), and vectors cannot begin at its start; of the sectors that two warps share, the stores are the
// worse (lts__t_sectors_op_write.sum). ALIGN leaves up to three elements at both ends, and is as fast
// as pitched rows. Pitched rows are read by 16 bytes, whatever their length;
// where that divides 128 bytes, both are the same.
//
//   WIDTH  floats of one access; divides the length of packed rows unless ALIGN. What is left of a row
//          is copied one by one
//   ITEMS  rows of a thread that are under way together
//   ALIGN  1: the words of a row begin at its first aligned element, not at its first; that is
//          the same place of both rows, because they begin alike (0 where it is not given)
//
// Right for any block and grid, which are left to Gridsmith (block_size_x, block_size_y,
// blocks_per_sm). Grid (ceil(columns / (WIDTH * block_size_x)), ceil(rows / (ITEMS * block_size_y))).
// Pitches in elements. Any extents with fewer than 2^31 elements.
#ifndef ALIGN
#define ALIGN 0
#endif

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

struct Row {
  const float* from;
  float* to;
  int head, words; // elements before the words, and words

  __device__ __forceinline__ const Vector* source() const {
    return reinterpret_cast<const Vector*>(from + head);
  }

  __device__ __forceinline__ Vector* target() const { return reinterpret_cast<Vector*>(to + head); }
};

__device__ __forceinline__ int past_boundary(const float* at) {
  return reinterpret_cast<size_t>(at) / sizeof(float) % WIDTH;
}

__device__ __forceinline__ Row row_of(const float* from, float* to, int columns) {
#if ALIGN
  const int head = min((WIDTH - past_boundary(to)) % WIDTH, columns);
  const bool alike = past_boundary(from) == past_boundary(to);
  return {from, to, head, alike ? (columns - head) / WIDTH : 0};
#else
  return {from, to, 0, columns / WIDTH};
#endif
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    copy_pitched(const float* __restrict__ source, float* __restrict__ target, int columns,
                 int rows, int source_pitch, int target_pitch) {
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int across = gridDim.x * block_size_x, down = gridDim.y * block_size_y * ITEMS;
  for (int first = blockIdx.y * ITEMS * block_size_y + threadIdx.y; first < rows; first += down) {
    Row row[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const size_t number = first + j * block_size_y;
      row[j] = row_of(source + number * source_pitch, target + number * target_pitch,
                      number < rows ? columns : 0);
    }
    for (int word = x; word < columns / WIDTH; word += across) {
      Vector vector[ITEMS];
#pragma unroll
      for (int j = 0; j < ITEMS; ++j)
        if (word < row[j].words)
          vector[j] = row[j].source()[word];
#pragma unroll
      for (int j = 0; j < ITEMS; ++j)
        if (word < row[j].words)
          row[j].target()[word] = vector[j];
    }
    for (int j = 0; j < ITEMS; ++j) {
      const int done = row[j].words * WIDTH;
      for (int rest = x; first + j * block_size_y < rows && rest < columns - done; rest += across) {
        const int at = rest < row[j].head ? rest : rest + done;
        row[j].to[at] = row[j].from[at];
      }
    }
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
