// C = A * B, row-major floats, m x n x k multiples of 128, 128 and 32. Products in single precision or on the tensor
// pipe.
//
//   BITS    32: FP32, one multiply-add at a time; 19: TF32; 16: FP16, sums in FP32 in both
//   BM, BN  rows and columns of C per block
//   BK      depth of a slice
//   THREADS per block: warps in two rows
#define WARPS_N (THREADS / 64)
#define WM (BM / 2)
#define WN (BN / WARPS_N)
#define LANE_ROWS (WM / 16)
#define LANE_COLUMNS (WN / 8)

#if BITS == 16
typedef unsigned short Element;
__device__ __forceinline__ Element element(float value) {
  Element bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
#elif BITS == 19
typedef unsigned int Element;
__device__ __forceinline__ Element element(float value) {
  Element bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}
#else
typedef float Element;
__device__ __forceinline__ Element element(float value) { return value; }
#endif

#define PAD (16 / (int)sizeof(Element))

#if BITS == 16
__device__ __forceinline__ unsigned int pair(const Element* first) {
  return *(const unsigned int*)first;
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
    precision(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
              int n, int k) {
  __shared__ __align__(16) Element slice_a[BM][BK + PAD];
  __shared__ __align__(16) Element slice_b[BN][BK + PAD]; // turned: a column of B lies together
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row1 = warp / WARPS_N * WM, column1 = warp % WARPS_N * WN;
  const int group = lane / 4, quarter = lane % 4;
  float sums[LANE_ROWS][LANE_COLUMNS][4] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int e = threadIdx.x; e < BM * BK; e += THREADS)
      slice_a[e / BK][e % BK] = element(a[(size_t)(row0 + e / BK) * k + k0 + e % BK]);
    for (int e = threadIdx.x; e < BN * BK; e += THREADS)
      slice_b[e % BN][e / BN] = element(b[(size_t)(k0 + e / BN) * n + column0 + e % BN]);
    __syncthreads();
#if BITS == 16
    for (int i = 0; i < BK; i += 16)
#pragma unroll
      for (int y = 0; y < LANE_ROWS; ++y) {
        const int row = row1 + 16 * y + group;
        const unsigned int a0 = pair(&slice_a[row][i + 2 * quarter]);
        const unsigned int a1 = pair(&slice_a[row + 8][i + 2 * quarter]);
        const unsigned int a2 = pair(&slice_a[row][i + 2 * quarter + 8]);
        const unsigned int a3 = pair(&slice_a[row + 8][i + 2 * quarter + 8]);
#pragma unroll
        for (int x = 0; x < LANE_COLUMNS; ++x) {
          const int column = column1 + 8 * x + group;
          const unsigned int b0 = pair(&slice_b[column][i + 2 * quarter]);
          const unsigned int b1 = pair(&slice_b[column][i + 2 * quarter + 8]);
          float* d = sums[y][x];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                       "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        }
      }
#elif BITS == 19
    for (int i = 0; i < BK; i += 8)
#pragma unroll
      for (int y = 0; y < LANE_ROWS; ++y) {
        const int row = row1 + 16 * y + group;
        const unsigned int a0 = slice_a[row][i + quarter], a1 = slice_a[row + 8][i + quarter];
        const unsigned int a2 = slice_a[row][i + quarter + 4], a3 = slice_a[row + 8][i + quarter + 4];
#pragma unroll
        for (int x = 0; x < LANE_COLUMNS; ++x) {
          const int column = column1 + 8 * x + group;
          const unsigned int b0 = slice_b[column][i + quarter], b1 = slice_b[column][i + quarter + 4];
          float* d = sums[y][x];
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                       "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        }
      }
#else
    for (int i = 0; i < BK; ++i)
#pragma unroll
      for (int y = 0; y < LANE_ROWS; ++y) {
        const int row = row1 + 16 * y + group;
        const float upper = slice_a[row][i], lower = slice_a[row + 8][i];
#pragma unroll
        for (int x = 0; x < LANE_COLUMNS; ++x) {
          const int column = column1 + 8 * x + 2 * quarter;
          const float left = slice_b[column][i], right = slice_b[column + 1][i];
          float* d = sums[y][x];
          d[0] += upper * left;
          d[1] += upper * right;
          d[2] += lower * left;
          d[3] += lower * right;
        }
      }
#endif
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < LANE_ROWS; ++y)
#pragma unroll
    for (int x = 0; x < LANE_COLUMNS; ++x) {
      const int row = row0 + row1 + 16 * y + group, column = column0 + column1 + 8 * x + 2 * quarter;
      c[(size_t)row * n + column] = sums[y][x][0];
      c[(size_t)row * n + column + 1] = sums[y][x][1];
      c[(size_t)(row + 8) * n + column] = sums[y][x][2];
      c[(size_t)(row + 8) * n + column + 1] = sums[y][x][3];
    }
}
