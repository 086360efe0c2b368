// y = A x, a warp for a row: 16 bytes of A a load, four loads of a lane under way together. A row may
// begin anywhere: what lies before its first boundary of 16 bytes, and behind its last, is taken one by
// one; x is then read as its part of the row falls.
//
// For the default configuration: VARIANT by_warp, ROWS 1, SPLIT 1.
template <bool aligned>
__device__ __forceinline__ float4 four_of(const float* __restrict__ x, int i) {
  if constexpr (aligned) {
    return reinterpret_cast<const float4*>(x)[i];
  } else {
    const float* const from = x + size_t(4) * i;
    return make_float4(from[0], from[1], from[2], from[3]);
  }
}

__device__ __forceinline__ float product(const float4& p, const float4& q) {
  return (p.x * q.x + p.y * q.y) + (p.z * q.z + p.w * q.w);
}

template <bool aligned>
__device__ __forceinline__ float products(const float4* __restrict__ a, const float* __restrict__ x,
                                          int vectors) {
  constexpr int loads = 4;
  float sum[loads] = {};
  int i = threadIdx.x % 32;
  for (; i + (loads - 1) * 32 < vectors; i += loads * 32) {
    float4 of_a[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      of_a[l] = a[i + l * 32];
#pragma unroll
    for (int l = 0; l < loads; ++l)
      sum[l] += product(of_a[l], four_of<aligned>(x, i + l * 32));
  }
  for (; i < vectors; i += 32)
    sum[0] += product(a[i], four_of<aligned>(x, i));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (block_size_x / 32) + threadIdx.x / 32;
  if (row >= m) // a whole warp
    return;
  const float* const from = a + size_t(row) * n;
  float sum = 0.0f;
  if (n <= 256) {
#pragma unroll 4
    for (int i = lane; i < n; i += 32)
      sum += from[i] * x[i];
  } else {
    const int head = (4 - int(reinterpret_cast<size_t>(from) / 4 % 4)) % 4;
    const int vectors = (n - head) / 4;
    const float4* const middle = reinterpret_cast<const float4*>(from + head);
    if (reinterpret_cast<size_t>(x + head) % 16 == 0)
      sum = products<true>(middle, x + head, vectors);
    else
      sum = products<false>(middle, x + head, vectors);
    if (lane < head)
      sum += from[lane] * x[lane];
    const int rest = head + vectors * 4 + lane; // fewer than four
    if (rest < n)
      sum += from[rest] * x[rest];
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0)
    y[row] = sum;
}
