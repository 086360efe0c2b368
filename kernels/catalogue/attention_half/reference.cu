// The reference of attention_half.cu, apart from it so that no configuration compiles it: a warp for
// a query, sums in double precision. Block 128, grid (ceil(n / 4), heads).
//
// The tolerance: weights are rounded to halves, which is 2^-11 of each, and so at most 2^-11 of a
// result's largest addend, where results are means of values up to 1; the result is rounded to a
// half twice, here and there, which is 2^-12 of itself each time but for the smallest.
#include <cuda_fp16.h>

constexpr int depth = 64; // columns of q, k, v

extern "C" __global__ void attention_half_reference(const __half* __restrict__ q,
                                                    const __half* __restrict__ k,
                                                    const __half* __restrict__ v,
                                                    __half* __restrict__ out, int n) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (query >= n)
    return;
  const size_t head = size_t(blockIdx.y) * n;
  double sum = 0, found[depth] = {};
  for (int key = lane; key < n; key += 32) {
    float score = 0;
    for (int d = 0; d < depth; ++d)
      score +=
          __half2float(q[(head + query) * depth + d]) * __half2float(k[(head + key) * depth + d]);
    const double weight = exp(double(score) / 8); // of no more than exp(32): none is too large
    sum += weight;
#pragma unroll
    for (int d = 0; d < depth; ++d)
      found[d] += weight * __half2float(v[(head + key) * depth + d]);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
#pragma unroll
  for (int d = 0; d < depth; ++d) {
    for (int distance = 16; distance > 0; distance /= 2)
      found[d] += __shfl_xor_sync(0xffffffffu, found[d], distance);
    if (lane == d % 32)
      out[(head + query) * depth + d] = __float2half_rn(float(found[d] / sum));
  }
}
