// C = A * B, 128 x 128 elements of C per block, 8 x 8 per thread. The next slice is fetched into
// registers while the present one is multiplied, so that its latency is hidden.
// gridsmith: VARIANT=blocked BM=128 BN=128 BK=8 TM=8 TN=8 VECTOR=1 BUFFERS=1

#define COUNT (BM / TM * (BN / TN))
#define SHARE_A (BM * BK / COUNT)
#define SHARE_B (BK * BN / COUNT)

extern "C" __global__ void __launch_bounds__(COUNT)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  __shared__ float as[BK][BM + 4];
  __shared__ float bs[BK][BN];
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int tr = t / (BN / TN), tc = t % (BN / TN);

  float next_a[SHARE_A], next_b[SHARE_B];
  auto fetch = [&](int k0) {
#pragma unroll
    for (int p = 0; p < SHARE_A; ++p) {
      const int e = t + p * COUNT, row = row0 + e / BK, i = k0 + e % BK;
      next_a[p] = row < m && i < k ? a[(size_t)row * k + i] : 0.0f;
    }
#pragma unroll
    for (int p = 0; p < SHARE_B; ++p) {
      const int e = t + p * COUNT, i = k0 + e / BN, column = column0 + e % BN;
      next_b[p] = i < k && column < n ? b[(size_t)i * n + column] : 0.0f;
    }
  };
  auto keep = [&]() {
#pragma unroll
    for (int p = 0; p < SHARE_A; ++p) {
      const int e = t + p * COUNT;
      as[e % BK][e / BK] = next_a[p];
    }
#pragma unroll
    for (int p = 0; p < SHARE_B; ++p) {
      const int e = t + p * COUNT;
      bs[e / BN][e % BN] = next_b[p];
    }
  };

  float sum[TM][TN] = {};
  fetch(0);
  for (int k0 = 0; k0 < k; k0 += BK) {
    keep();
    __syncthreads();
    if (k0 + BK < k)
      fetch(k0 + BK);
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int y = 0; y < TM; ++y)
        ra[y] = as[i][tr * TM + y];
#pragma unroll
      for (int x = 0; x < TN; ++x)
        rb[x] = bs[i][tc + x * (BN / TN)];
#pragma unroll
      for (int y = 0; y < TM; ++y)
#pragma unroll
        for (int x = 0; x < TN; ++x)
          sum[y][x] = fmaf(ra[y], rb[x], sum[y][x]);
    }
  }

#pragma unroll
  for (int y = 0; y < TM; ++y)
#pragma unroll
    for (int x = 0; x < TN; ++x) {
      const int row = row0 + tr * TM + y, column = column0 + tc + x * (BN / TN);
      if (row < m && column < n)
        c[(size_t)row * n + column] = sum[y][x];
    }
}
