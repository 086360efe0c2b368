// C = A * B: threads with patches of 4 x 4 (2 x 2 where C is small), operands read from shared memory 16
// (8) bytes at a time, the next tiles under way in registers. Blocks of the grid beyond those are idle.
constexpr int side = TILE_WIDTH;

template <int R>
struct alignas(4 * R) Strip {
  float of[R];
};

template <int R, int BK>
__device__ __forceinline__ void patch(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, int m, int n, int k) {
  constexpr int T = side * R, threads = side * side;
  constexpr int LOADS_OF_THREAD = (T * BK + threads - 1) / threads;
  __shared__ alignas(16) float as[BK][T + 4];
  __shared__ alignas(16) float bs[BK][T];
  const int row0 = blockIdx.y * T, column0 = blockIdx.x * T;
  if (row0 >= m || column0 >= n) // the whole block
    return;
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * side + tx;
  float next_a[LOADS_OF_THREAD], next_b[LOADS_OF_THREAD];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int l = 0; l < LOADS_OF_THREAD; ++l) {
      const int e = tid + l * threads;
      const int ar = row0 + e / BK, ak = k0 + e % BK, bk = k0 + e / T, bc = column0 + e % T;
      next_a[l] = e < T * BK && ar < m && ak < k ? a[(size_t)ar * k + ak] : 0.0f;
      next_b[l] = e < T * BK && bk < k && bc < n ? b[(size_t)bk * n + bc] : 0.0f;
    }
  };
  float sum[R][R] = {};
  fetch(0);
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int l = 0; l < LOADS_OF_THREAD; ++l) {
      const int e = tid + l * threads;
      if (e < T * BK) {
        as[e % BK][e / BK] = next_a[l];
        bs[e / T][e % T] = next_b[l];
      }
    }
    __syncthreads();
    if (k0 + BK < k)
      fetch(k0 + BK);
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      const Strip<R> p = *reinterpret_cast<const Strip<R>*>(&as[i][ty * R]);
      const Strip<R> q = *reinterpret_cast<const Strip<R>*>(&bs[i][tx * R]);
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int s = 0; s < R; ++s)
          sum[r][s] += p.of[r] * q.of[s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < R; ++r)
#pragma unroll
    for (int s = 0; s < R; ++s) {
      const int row = row0 + ty * R + r, column = column0 + tx * R + s;
      if (row < m && column < n)
        c[(size_t)row * n + column] = sum[r][s];
    }
}

extern "C" __global__ void __launch_bounds__(TILE_WIDTH* TILE_WIDTH)
    matmul_textbook(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
  const long long large = (long long)((m + 4 * side - 1) / (4 * side)) * ((n + 4 * side - 1) / (4 * side));
  if (side <= 16 && large >= 200)
    patch<4, 16>(a, b, c, m, n, k);
  else
    patch<2, 32>(a, b, c, m, n, k);
}
