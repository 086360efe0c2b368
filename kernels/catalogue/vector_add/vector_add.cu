// sum = a + b, n floats, by a loop over the grid: right for any block and any grid, which are left
// to Gridsmith (block_size_x, blocks_per_sm).
//
//   ELEMENTS width of a vector access; the last n % ELEMENTS elements are made one by one
#if ELEMENTS == 4
typedef float4 Vector;

__device__ __forceinline__ Vector add(Vector a, Vector b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
#elif ELEMENTS == 2
typedef float2 Vector;

__device__ __forceinline__ Vector add(Vector a, Vector b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
#else
typedef float Vector;

__device__ __forceinline__ Vector add(Vector a, Vector b) {
  return a + b;
}
#endif

extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum,
               int n) {
  const unsigned first = blockIdx.x * block_size_x + threadIdx.x, step = gridDim.x * block_size_x;
  const unsigned vectors = n / ELEMENTS;
  const Vector* va = reinterpret_cast<const Vector*>(a);
  const Vector* vb = reinterpret_cast<const Vector*>(b);
  for (unsigned i = first; i < vectors; i += step)
    reinterpret_cast<Vector*>(sum)[i] = add(va[i], vb[i]);
  for (unsigned i = vectors * ELEMENTS + first; i < (unsigned)n; i += step)
    sum[i] = a[i] + b[i];
}

// The reference: one element per thread. Block 256, grid ceil(n / 256).
extern "C" __global__ void vector_add_reference(const float* __restrict__ a,
                                                const float* __restrict__ b,
                                                float* __restrict__ sum, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    sum[i] = a[i] + b[i];
}
