// target = source, a matrix of floats in rows, of any length: pitched in copy_pitched.json, where
// every row begins at an aligned address, packed in copy_packed.json, where it begins where the one
// before ends.
//
// What it teaches: what the empty bytes at the end of a pitched row are for. In packed rows of an odd
// length nearly every row begins inside a sector, so a warp's access touches a sector more
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum is 5, not
// 4), and vectors cannot be used at all; of the sectors that two warps share, the stores are the
// worse (lts__t_sectors_op_write.sum). Pitched rows are read by 16 bytes, whatever their length;
// where that divides 128 bytes, both are the same.
//
//   WIDTH  floats of one access; has to divide the length of packed rows. The last columns % WIDTH of
//          a row are copied one by one
//   ITEMS  rows of a thread that are under way together
//
// Right for any block and grid, which are left to Gridsmith (block_size_x, block_size_y,
// blocks_per_sm). Grid (ceil(columns / (WIDTH * block_size_x)), ceil(rows / (ITEMS * block_size_y))).
// Pitches in elements. Any extents with fewer than 2^31 elements.
struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

__device__ __forceinline__ const Vector* row_of(const float* matrix, int row, int pitch) {
  return reinterpret_cast<const Vector*>(matrix + (size_t)row * pitch);
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    copy_pitched(const float* __restrict__ source, float* __restrict__ target, int columns,
                 int rows, int source_pitch, int target_pitch) {
  const int x = blockIdx.x * block_size_x + threadIdx.x, words = columns / WIDTH;
  const int across = gridDim.x * block_size_x, down = gridDim.y * block_size_y * ITEMS;
  for (int row = blockIdx.y * ITEMS * block_size_y + threadIdx.y; row < rows; row += down) {
    for (int word = x; word < words; word += across) {
      Vector vector[ITEMS];
#pragma unroll
      for (int j = 0; j < ITEMS; ++j)
        if (row + j * block_size_y < rows)
          vector[j] = row_of(source, row + j * block_size_y, source_pitch)[word];
#pragma unroll
      for (int j = 0; j < ITEMS; ++j)
        if (row + j * block_size_y < rows)
          const_cast<Vector*>(row_of(target, row + j * block_size_y, target_pitch))[word] =
              vector[j];
    }
    const int rest = words * WIDTH + x;
    for (int j = 0; j < ITEMS; ++j)
      if (rest < columns && row + j * block_size_y < rows)
        target[(size_t)(row + j * block_size_y) * target_pitch + rest] =
            source[(size_t)(row + j * block_size_y) * source_pitch + rest];
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
