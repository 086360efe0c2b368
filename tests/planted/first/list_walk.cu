// Follows `hops` links from every record of a table and adds up what lies on the way. A record is
// (index of the next one, three values). A start whose last value is negative is damaged: it gets
// the spread of the records around it, and its list is not followed.
//
//   KEEP_WINDOW  1: the records around a damaged one are read once and kept, 0: read for each sum
//
// Block 256, grid n / 256; 256 divides n.
constexpr int window = 144;

__device__ __forceinline__ int around(const int4* __restrict__ table, int i, int k, int n) {
  return table[(unsigned)(i + k) % (unsigned)n].y;
}

__device__ __forceinline__ int spread(const int4* __restrict__ table, int i, int n) {
  int sum = 0, squares = 0;
#if KEEP_WINDOW
  int kept[window];
#pragma unroll
  for (int k = 0; k < window; ++k)
    kept[k] = around(table, i, k, n);
#pragma unroll
  for (int k = 0; k < window; ++k)
    sum += kept[k];
  const int mean = sum / window;
#pragma unroll
  for (int k = 0; k < window; ++k)
    squares += (kept[k] - mean) * (kept[k] - mean);
#else
#pragma unroll 1
  for (int k = 0; k < window; ++k)
    sum += around(table, i, k, n);
  const int mean = sum / window;
#pragma unroll 1
  for (int k = 0; k < window; ++k) {
    const int away = around(table, i, k, n) - mean;
    squares += away * away;
  }
#endif
  return squares;
}

extern "C" __global__ void __launch_bounds__(256)
    list_walk(const int4* __restrict__ table, int* __restrict__ out, int n, int hops) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int4 record = table[i];
  int sum = record.y + record.z;
  if (record.w < 0) {
    sum = spread(table, i, n);
  } else {
#pragma unroll 1
    for (int hop = 0; hop < hops; ++hop) {
      record = table[record.x];
      sum += record.y + record.z - record.w;
    }
  }
  out[i] = sum;
}
