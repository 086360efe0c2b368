// A matrix in rows, copied. Where rows lie one behind the other in both, it is one long row: all
// threads of the grid stride over it by 16 bytes, between what lies before the first boundary and
// behind the last. Any other pitch: row by row, by elements.
// gridsmith: ITEMS=4
extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    copy_pitched(const float* __restrict__ source, float* __restrict__ target, int columns,
                 int rows, int source_pitch, int target_pitch) {
  if (source_pitch == columns && target_pitch == columns) {
    constexpr int threads = block_size_x * block_size_y;
    const size_t block = size_t(blockIdx.y) * gridDim.x + blockIdx.x;
    const size_t first = block * threads + threadIdx.y * block_size_x + threadIdx.x;
    const size_t step = size_t(gridDim.x) * gridDim.y * threads;
    const size_t total = size_t(columns) * rows;
    if ((reinterpret_cast<size_t>(source) ^ reinterpret_cast<size_t>(target)) % 16 == 0) {
      const size_t past = reinterpret_cast<size_t>(target) / 4 % 4;
      size_t head = (4 - past) % 4; // elements before the boundary
      head = head < total ? head : total;
      const size_t vectors = (total - head) / 4;
      const float4* const from = reinterpret_cast<const float4*>(source + head);
      float4* const to = reinterpret_cast<float4*>(target + head);
      for (size_t i = first; i < vectors; i += step)
        __stcs(to + i, __ldcs(from + i));
      if (first < head)
        target[first] = source[first];
      const size_t rest = head + vectors * 4 + first; // of fewer than four
      if (first < 4 && rest < total)
        target[rest] = source[rest];
    } else {
#pragma unroll 4
      for (size_t i = first; i < total; i += step)
        target[i] = source[i];
    }
  } else {
    for (int row = blockIdx.y * block_size_y + threadIdx.y; row < rows;
         row += gridDim.y * block_size_y) {
      const float* const from = source + size_t(row) * source_pitch;
      float* const to = target + size_t(row) * target_pitch;
#pragma unroll 4
      for (int column = blockIdx.x * block_size_x + threadIdx.x; column < columns;
           column += gridDim.x * block_size_x)
        to[column] = from[column];
    }
  }
}
