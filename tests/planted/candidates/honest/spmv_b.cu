// y = A x, A in CSR. A block has as many rows as threads. Their nonzeros lie in one piece, which the
// threads multiply side by side into shared memory, a part at a time; then each adds up its own row
// from there. Rows may have any length, and none.
//
// For the default configuration: VARIANT scalar.
constexpr int each = 16; // products of a thread, of one part
constexpr int part = block_size_x * each;

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  __shared__ float product[part];
  const int first = blockIdx.x * block_size_x;
  if (first >= m) // a whole block
    return;
  const int t = threadIdx.x, row = first + t;
  const int begin = offsets[first], end = offsets[min(first + block_size_x, m)];
  const int own_begin = row < m ? offsets[row] : end, own_end = row < m ? offsets[row + 1] : end;
  float sum = 0.0f;
  for (int base = begin; base < end; base += part) {
    const int count = min(part, end - base);
#pragma unroll 8
    for (int k = 0; k < each; ++k) {
      const int j = t + k * block_size_x;
      if (j < count)
        product[j] = __ldcs(values + base + j) * x[__ldcs(columns + base + j)];
    }
    __syncthreads();
    const int from = max(own_begin - base, 0), to = min(own_end - base, count);
    for (int j = from; j < to; ++j)
      sum += product[j];
    __syncthreads(); // before the next part takes its place
  }
  if (row < m)
    y[row] = sum;
}
