// sum = a + b, 16 bytes an access where all three arrays allow it, marked as used once.
// gridsmith: ELEMENTS=4
extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum,
               int n) {
  const size_t first = size_t(blockIdx.x) * block_size_x + threadIdx.x;
  const size_t step = size_t(gridDim.x) * block_size_x;
  const size_t count = n;
  size_t done = 0;
  const size_t bits =
      reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(sum);
  if (bits % 16 == 0) {
    const size_t vectors = count / 4;
    const float4* const from_a = reinterpret_cast<const float4*>(a);
    const float4* const from_b = reinterpret_cast<const float4*>(b);
    float4* const to = reinterpret_cast<float4*>(sum);
    for (size_t i = first; i < vectors; i += step) {
      const float4 p = __ldcs(from_a + i), q = __ldcs(from_b + i);
      __stcs(to + i, make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w));
    }
    done = vectors * 4;
  }
  for (size_t i = done + first; i < count; i += step)
    sum[i] = a[i] + b[i];
}
