// Squared distances of all pairs of n points of `dimensions` coordinates each.
//
//   MIN_BLOCKS  of an SM, as promised to the compiler
//
// A block makes 128 x 128 pairs, a thread 8 x 8 of them. Block 256, grid (n / 128, n / 128); 128
// divides n and 8 the dimensions.
constexpr int tile = 128, depth = 8;

// Eight coordinates of 128 points, turned: part[d][point].
__device__ __forceinline__ void fetch(const float* __restrict__ points, float (*part)[tile],
                                      int first, int d, int dimensions) {
  const int point = threadIdx.x / 2, quad = threadIdx.x % 2 * 4;
  const float4 v =
      *reinterpret_cast<const float4*>(points + (size_t)(first + point) * dimensions + d + quad);
  part[quad][point] = v.x;
  part[quad + 1][point] = v.y;
  part[quad + 2][point] = v.z;
  part[quad + 3][point] = v.w;
}

__device__ __forceinline__ void take(const float* part, int at, float (&v)[8]) {
  const float4 a = *reinterpret_cast<const float4*>(part + at * 4);
  const float4 b = *reinterpret_cast<const float4*>(part + 64 + at * 4);
  v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
  v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
}

extern "C" __global__ void __launch_bounds__(256, MIN_BLOCKS)
    pair_distances(const float* __restrict__ points, float* __restrict__ out, int n,
                   int dimensions) {
  __shared__ __align__(16) float a[depth][tile], b[depth][tile];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[8][8] = {};
  for (int d = 0; d < dimensions; d += depth) {
    fetch(points, a, blockIdx.y * tile, d, dimensions);
    fetch(points, b, blockIdx.x * tile, d, dimensions);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float p[8], q[8];
      take(a[k], ty, p);
      take(b[k], tx, q);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          sum[i][j] += (p[i] - q[j]) * (p[i] - q[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = blockIdx.y * tile + i / 4 * 64 + ty * 4 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = blockIdx.x * tile + half * 64 + tx * 4;
      *reinterpret_cast<float4*>(out + (size_t)row * n + column) = make_float4(
          sum[i][half * 4], sum[i][half * 4 + 1], sum[i][half * 4 + 2], sum[i][half * 4 + 3]);
    }
  }
}
