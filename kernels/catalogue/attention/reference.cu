// The reference of attention.cu, apart from it so that no configuration compiles it: a warp for a
// query, sums in double precision. Block 128, grid (ceil(n / 4), heads). Results are means of values
// up to 1; weights are right to some 1e-6 of themselves (logarithms up to 46, rounded, and powers
// of 2): the tolerance is 1e-5.
constexpr int depth = 64; // columns of q, k, v

extern "C" __global__ void attention_reference(const float* __restrict__ q,
                                               const float* __restrict__ k,
                                               const float* __restrict__ v, float* __restrict__ out,
                                               int n) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (query >= n)
    return;
  const size_t head = size_t(blockIdx.y) * n;
  double sum = 0, found[depth] = {};
  for (int key = lane; key < n; key += 32) {
    float score = 0;
    for (int d = 0; d < depth; ++d)
      score += q[(head + query) * depth + d] * k[(head + key) * depth + d];
    const double weight = exp(double(score) / 8); // of no more than exp(32): none is too large
    sum += weight;
#pragma unroll
    for (int d = 0; d < depth; ++d)
      found[d] += weight * v[(head + key) * depth + d];
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
#pragma unroll
  for (int d = 0; d < depth; ++d) {
    for (int distance = 16; distance > 0; distance /= 2)
      found[d] += __shfl_xor_sync(0xffffffffu, found[d], distance);
    if (lane == d % 32)
      out[(head + query) * depth + d] = float(found[d] / sum);
  }
}
