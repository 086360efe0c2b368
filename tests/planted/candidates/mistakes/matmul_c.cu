// C = A * B with packed arithmetic: two columns of C per instruction. Tiles are kept as __half2, and
// what a slice of BK contributes is added to single-precision sums at its end.
// gridsmith: VARIANT=blocked BM=128 BN=128 BK=8 TM=8 TN=8
#include <cuda_fp16.h>

#define COUNT (BM / TM * (BN / TN))
#define PAIRS (TN / 2)

extern "C" __global__ void __launch_bounds__(COUNT)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  __shared__ __half as[BK][BM + 8];
  __shared__ __half2 bs[BK][BN / 2];
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int tr = t / (BN / TN), tc = t % (BN / TN);

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int e = t; e < BM * BK; e += COUNT) {
      const int row = row0 + e / BK, i = k0 + e % BK;
      as[e % BK][e / BK] = __float2half(row < m && i < k ? a[(size_t)row * k + i] : 0.0f);
    }
    for (int e = t; e < BK * BN / 2; e += COUNT) {
      const int i = k0 + e / (BN / 2), column = column0 + e % (BN / 2) * 2;
      const float* from = b + (size_t)i * n + column;
      const float left = i < k && column < n ? from[0] : 0.0f;
      const float right = i < k && column + 1 < n ? from[1] : 0.0f;
      bs[e / (BN / 2)][e % (BN / 2)] = __floats2half2_rn(left, right);
    }
    __syncthreads();

    __half2 part[TM][PAIRS];
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
      for (int x = 0; x < PAIRS; ++x)
        part[y][x] = __float2half2_rn(0.0f);
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      __half2 rb[PAIRS];
#pragma unroll
      for (int x = 0; x < PAIRS; ++x)
        rb[x] = bs[i][tc + x * (BN / TN)];
#pragma unroll
      for (int y = 0; y < TM; ++y) {
        const __half2 ra = __half2half2(as[i][tr * TM + y]);
#pragma unroll
        for (int x = 0; x < PAIRS; ++x)
          part[y][x] = __hfma2(ra, rb[x], part[y][x]);
      }
    }
#pragma unroll
    for (int y = 0; y < TM; ++y)
#pragma unroll
      for (int x = 0; x < PAIRS; ++x) {
        sum[y][2 * x] += __low2float(part[y][x]);
        sum[y][2 * x + 1] += __high2float(part[y][x]);
      }
    __syncthreads();
  }

#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; ++x) {
      const int row = row0 + tr * TM + y;
      const int column = column0 + (tc + x / 2 * (BN / TN)) * 2 + x % 2;
      if (row < m && column < n)
        c[(size_t)row * n + column] = sum[y][x];
    }
}
