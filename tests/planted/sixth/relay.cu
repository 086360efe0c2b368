// Shortest way over one relay: to[r][c] = the least of first[r][k] + second[k][c]. Sizes are multiples of 64.
extern "C" __global__ void __launch_bounds__(256) relay(float* to, const float* first, const float* second, int m, int n, int k) {
#if OUTPUTS == 1
  const int c = blockIdx.x * 32 + (threadIdx.x & 31), r = blockIdx.y * 8 + (threadIdx.x >> 5);
  float least = 1e30f;
#pragma unroll 8
  for (int l = 0; l < k; ++l) least = fminf(least, first[r * k + l] + second[l * n + c]);
  to[r * n + c] = least;
#else
  __shared__ float left[16][68], right[16][64];
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float least[4][4];
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b) least[a][b] = 1e30f;
  for (int l0 = 0; l0 < k; l0 += 16) {
    const int row = threadIdx.x >> 2, part = (threadIdx.x & 3) * 4;
    const float4 f = *(const float4*)(first + (r0 + row) * k + l0 + part);
    const float4 s = *(const float4*)(second + (l0 + ty) * n + c0 + tx * 4);
    __syncthreads();
    left[part][row] = f.x;
    left[part + 1][row] = f.y;
    left[part + 2][row] = f.z;
    left[part + 3][row] = f.w;
    *(float4*)&right[ty][tx * 4] = s;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; ++l) {
      const float4 x = *(const float4*)&left[l][ty * 4];
      const float4 y = *(const float4*)&right[l][tx * 4];
      const float p[4] = {x.x, x.y, x.z, x.w}, q[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int a = 0; a < 4; ++a)
#pragma unroll
        for (int b = 0; b < 4; ++b) least[a][b] = fminf(least[a][b], p[a] + q[b]);
    }
  }
#pragma unroll
  for (int a = 0; a < 4; ++a)
    *(float4*)(to + (r0 + ty * 4 + a) * n + c0 + tx * 4) = make_float4(least[a][0], least[a][1], least[a][2], least[a][3]);
#endif
}
