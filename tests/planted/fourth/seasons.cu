// Sums by season of `width` series that lie side by side, a row of words for each time, 128 seasons
// a year: sums[s][c] = the sum over all years of series c in season s, modulo 2^32. Where one of
// four words in turn has its highest bit set, a row without data follows them; none has here. A
// thread sums PHASES seasons of one series.
// Block 128, grid (width / 128, 128 / PHASES).
extern "C" __global__ void __launch_bounds__(128)
    seasons(const unsigned* __restrict__ series, unsigned* __restrict__ sums, int years,
            int width) {
  const unsigned column = blockIdx.x * 128 + threadIdx.x, season = blockIdx.y * PHASES;
  unsigned sum[PHASES] = {}, at = season * width + column;
#pragma unroll 1
  for (int year = 0; year < years; ++year) {
#pragma unroll
    for (int s = 0; s < PHASES; s += 4) {
      unsigned word[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        word[k] = series[at + k * width];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sum[s + k] += word[k];
      at += (4 + ((word[0] | word[1] | word[2] | word[3]) >> 31)) * width;
    }
    at += (128 - PHASES) * width;
  }
#pragma unroll
  for (int s = 0; s < PHASES; ++s)
    sums[(season + s) * width + column] = sum[s];
}
