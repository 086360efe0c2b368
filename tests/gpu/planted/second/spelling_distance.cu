// Edit distance of pairs of words of 24 symbols, two bits each.
//
//   PITCH  elements from one thread's row of the table to the next's, at least 24
//
// Block 128, one thread a pair.
extern "C" __global__ void __launch_bounds__(128)
    spelling_distance(const unsigned long long* __restrict__ first, const unsigned long long* __restrict__ second,
                      int* __restrict__ distance, int pairs) {
  __shared__ int rows[128 * PITCH];
  const int pair = blockIdx.x * 128 + threadIdx.x;
  if (pair >= pairs)
    return;
  int* row = rows + threadIdx.x * PITCH;
  unsigned long long a = first[pair];
  const unsigned long long b = second[pair];
#pragma unroll
  for (int j = 0; j < 24; ++j)
    row[j] = j + 1;
  int left = 0;
#pragma unroll 1
  for (int i = 0; i < 24; ++i, a >>= 2) {
    const unsigned symbol = a & 3;
    int diagonal = i;
    left = i + 1;
#pragma unroll
    for (int j = 0; j < 24; ++j) {
      const int above = row[j];
      const int replaced = diagonal + ((b >> 2 * j & 3) != symbol);
      left = min(min(above, left) + 1, replaced);
      row[j] = left;
      diagonal = above;
    }
  }
  distance[pair] = left;
}
