// C = A * B, one element of C per thread, A and B through shared memory in slices of BK. The rows of
// A's tile are padded by one word, and the inner loop is unrolled to the full depth of a slice.
// gridsmith: VARIANT=tiled BM=32 BN=32 BK=16 TM=1 TN=1

extern "C" __global__ void __launch_bounds__(BM * BN)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  __shared__ float as[BM][BK + 1];
  __shared__ float bs[BK][BN];
  const int t = threadIdx.x;
  const int y = t / BN, x = t % BN;
  const int row = blockIdx.y * BM + y, column = blockIdx.x * BN + x;

  float sum = 0.0f;
  const int slices = k / BK;
  for (int s = 0; s < slices; ++s) {
    const int k0 = s * BK;
    for (int e = t; e < BM * BK; e += BM * BN) {
      const int r = blockIdx.y * BM + e / BK;
      as[e / BK][e % BK] = r < m ? a[(size_t)r * k + k0 + e % BK] : 0.0f;
    }
    for (int e = t; e < BK * BN; e += BM * BN) {
      const int col = blockIdx.x * BN + e % BN;
      bs[e / BN][e % BN] = col < n ? b[(size_t)(k0 + e / BN) * n + col] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i)
      sum = fmaf(as[y][i], bs[i][x], sum);
    __syncthreads();
  }
  if (row < m && column < n)
    c[(size_t)row * n + column] = sum;
}
