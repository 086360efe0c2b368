// sum = a + b by vectors of 16 bytes in a loop over the grid. What is read and written once does not
// have to stay in the caches, so loads and stores are marked as streaming.
// gridsmith: ELEMENTS=4

extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum,
               int n) {
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  float4* sum4 = reinterpret_cast<float4*>(sum);
  const unsigned vectors = (unsigned(n) + 3) / 4;
  const unsigned step = gridDim.x * block_size_x;
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < vectors; i += step) {
    const float4 left = __ldcs(a4 + i), right = __ldcs(b4 + i);
    __stcs(sum4 + i, make_float4(left.x + right.x, left.y + right.y, left.z + right.z,
                                 left.w + right.w));
  }
}
