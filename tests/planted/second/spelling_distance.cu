// Edit distance of pairs of words of equal length, at most 23 symbols of two bits each.
//
//   PITCH  elements from one thread's row of the table to the next's, at least 24
//
// Block 128, one thread a pair.
extern "C" __global__ void __launch_bounds__(128)
    spelling_distance(const unsigned long long* __restrict__ first,
                      const unsigned long long* __restrict__ second, int* __restrict__ distance,
                      int pairs, int length) {
  __shared__ int rows[128 * PITCH];
  const int pair = blockIdx.x * 128 + threadIdx.x;
  if (pair >= pairs)
    return;
  int* row = rows + threadIdx.x * PITCH;
  unsigned long long a = first[pair];
  const unsigned long long b = second[pair];
  for (int j = 0; j <= length; ++j)
    row[j] = j;
#pragma unroll 1
  for (int i = 0; i < length; ++i, a >>= 2) {
    int diagonal = row[0];
    int left = row[0] = i + 1;
    unsigned long long differs = b ^ (a & 3) * 0x5555555555555555ull;
#pragma unroll 2
    for (int j = 1; j <= length; ++j, differs >>= 2) {
      const int above = row[j];
      left = min(min(above, left) + 1, diagonal + ((differs & 3) != 0));
      row[j] = left;
      diagonal = above;
    }
  }
  distance[pair] = row[length];
}
