// SPDX-License-Identifier: Apache-2.0
// gridsmith: BM=128 BN=128 BK=8 TM=8 TN=8
// Register-blocked SGEMM: the next tile is on its way to registers while this one is multiplied, two
// tiles in shared memory so that one barrier per tile is enough, fragments read by 16 bytes.
#define TX (BN / TN)
#define TY (BM / TM)
#define NT (TX * TY)

constexpr int wm = TM < 4 ? TM : 4, wn = TN < 4 ? TN : 4; // elements of one fragment load
constexpr int stages = 8 * BK * (BM + 4 + BN) <= 49152 ? 2 : 1;
constexpr int quads_a = BM * BK / 4, quads_b = BK * BN / 4;
constexpr int each_a = (quads_a + NT - 1) / NT, each_b = (quads_b + NT - 1) / NT;

template <int width>
struct alignas(4 * width) Piece {
  float e[width];
};

__device__ __forceinline__ float4 load4(const float* from, bool aligned) {
  if (aligned)
    return *reinterpret_cast<const float4*>(from);
  return make_float4(from[0], from[1], from[2], from[3]);
}

extern "C" __global__ void __launch_bounds__(NT)
sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  __shared__ __align__(16) float As[stages][BK][BM + 4];
  __shared__ __align__(16) float Bs[stages][BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TX + tx;
  const float* const a = A + (size_t)blockIdx.y * BM * n;
  const float* const b = B + (size_t)blockIdx.x * BN;
  const bool aligned = ((reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B)) & 15) == 0;
  float4 next_a[each_a], next_b[each_b];
  float acc[TM][TN] = {};

  const auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < each_a; ++i)
      if (const int q = t + i * NT; q < quads_a)
        next_a[i] = load4(a + (size_t)(q / (BK / 4)) * n + k0 + q % (BK / 4) * 4, aligned);
#pragma unroll
    for (int i = 0; i < each_b; ++i)
      if (const int q = t + i * NT; q < quads_b)
        next_b[i] = load4(b + (size_t)(k0 + q / (BN / 4)) * n + q % (BN / 4) * 4, aligned);
  };
  const auto keep = [&](int s) {
#pragma unroll
    for (int i = 0; i < each_a; ++i)
      if (const int q = t + i * NT; q < quads_a) {
        const int row = q / (BK / 4), k = q % (BK / 4) * 4;
        As[s][k][row] = next_a[i].x;
        As[s][k + 1][row] = next_a[i].y;
        As[s][k + 2][row] = next_a[i].z;
        As[s][k + 3][row] = next_a[i].w;
      }
#pragma unroll
    for (int i = 0; i < each_b; ++i)
      if (const int q = t + i * NT; q < quads_b)
        *reinterpret_cast<float4*>(&Bs[s][q / (BN / 4)][q % (BN / 4) * 4]) = next_b[i];
  };

  fetch(0);
  keep(0);
  __syncthreads();
  int s = 0;
  for (int k0 = 0; k0 < n; k0 += BK) {
    const bool more = k0 + BK < n;
    if (more)
      fetch(k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int g = 0; g < TM / wm; ++g) {
        const Piece<wm> p =
            *reinterpret_cast<const Piece<wm>*>(&As[s][k][g * (TY * wm) + ty * wm]);
#pragma unroll
        for (int e = 0; e < wm; ++e)
          ra[g * wm + e] = p.e[e];
      }
#pragma unroll
      for (int g = 0; g < TN / wn; ++g) {
        const Piece<wn> p =
            *reinterpret_cast<const Piece<wn>*>(&Bs[s][k][g * (TX * wn) + tx * wn]);
#pragma unroll
        for (int e = 0; e < wn; ++e)
          rb[g * wn + e] = p.e[e];
      }
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
          acc[i][j] += ra[i] * rb[j];
    }
    if (stages == 1)
      __syncthreads(); // all have read the only one
    s = stages == 2 ? s ^ 1 : 0; // this one was read before the last barrier
    if (more)
      keep(s);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = blockIdx.y * BM + i / wm * (TY * wm) + ty * wm + i % wm;
#pragma unroll
    for (int j = 0; j < TN; ++j)
      C[(size_t)row * n + blockIdx.x * BN + j / wn * (TX * wn) + tx * wn + j % wn] = acc[i][j];
  }
}
