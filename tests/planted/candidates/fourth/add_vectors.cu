// SPDX-License-Identifier: Apache-2.0
// gridsmith: ELEMENTS=4
// Sum of two vectors by 16 bytes, streamed past the caches; element by element if an array does not
// begin on a boundary of 16 bytes. Any block, any grid, any n.
extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum,
               int n) {
  const size_t first = size_t(blockIdx.x) * block_size_x + threadIdx.x;
  const size_t step = size_t(gridDim.x) * block_size_x, count = n;
  size_t done = 0;
  if (((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(sum)) &
       15) == 0) {
    const float4* const qa = reinterpret_cast<const float4*>(a);
    const float4* const qb = reinterpret_cast<const float4*>(b);
    float4* const qs = reinterpret_cast<float4*>(sum);
    for (size_t i = first; i < count / 4; i += step) {
      const float4 u = __ldcs(qa + i), v = __ldcs(qb + i);
      __stcs(qs + i, make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w));
    }
    done = count / 4 * 4;
  }
  for (size_t i = done + first; i < count; i += step)
    sum[i] = a[i] + b[i];
}
