// Most frequent of the eight directions of flow in each strip of a catchment. A word holds eight cells.
#define WORDS 24

extern "C" __global__ void __launch_bounds__(256)
runoff(int* __restrict__ out, const unsigned* __restrict__ cells, int strips) {
  const int strip = blockIdx.x * 256 + threadIdx.x;
#if TALLY == 0
  int count[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#else
  unsigned long long count = 0;
#endif
#pragma unroll 4
  for (int w = 0; w < WORDS; ++w) {
    const unsigned word = cells[(size_t)w * strips + strip];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const unsigned direction = word >> (4 * c) & 7;
#if TALLY == 0
      ++count[direction];
#else
      count += 1ull << (8 * direction);
#endif
    }
  }
  int best = -1, main_direction = 0;
#pragma unroll
  for (int d = 0; d < 8; ++d) {
#if TALLY == 0
    const int cells_of_d = count[d];
#else
    const int cells_of_d = (int)(count >> (8 * d) & 255);
#endif
    if (cells_of_d > best) {
      best = cells_of_d;
      main_direction = d;
    }
  }
  out[strip] = best * 8 + main_direction;
}
