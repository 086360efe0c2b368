// Layer norm of rows. The block does its rows one after the other, each thread with 32 elements in
// registers; what a longer row has besides is taken straight from memory.
constexpr int threads = block_size_x * block_size_y;
constexpr int loads = (4096 + threads - 1) / threads;
constexpr float epsilon = 1e-5f;

__device__ __forceinline__ float sum_of_block(float value, float* scratch, int t) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (t % 32 == 0)
    scratch[t / 32] = value;
  __syncthreads();
  value = 0.0f;
#pragma unroll
  for (int w = 0; w < threads / 32; ++w)
    value += scratch[w];
  return value;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  __shared__ float scratch[threads / 32];
  const int t = threadIdx.y * block_size_x + threadIdx.x;
  const int held = min(columns, loads * threads);
  for (int first = blockIdx.x * block_size_y; first < rows; first += gridDim.x * block_size_y)
    for (int row = first; row < min(first + block_size_y, rows); ++row) {
      const float* const from = in + size_t(row) * columns;
      float* const to = out + size_t(row) * columns;
      float kept[loads], sum = 0.0f, squares = 0.0f;
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        const int i = t + l * threads;
        kept[l] = i < held ? from[i] : 0.0f;
        sum += kept[l];
      }
      const float mean = sum_of_block(sum, scratch, t) / held;
#pragma unroll
      for (int l = 0; l < loads; ++l)
        if (t + l * threads < held)
          squares += (kept[l] - mean) * (kept[l] - mean);
      const float factor = rsqrtf(sum_of_block(squares, scratch, t) / held + epsilon);
#pragma unroll
      for (int l = 0; l < loads; ++l)
        if (const int i = t + l * threads; i < held)
          to[i] = (kept[l] - mean) * factor * scale[i] + shift[i];
#pragma unroll 4
      for (int i = held + t; i < columns; i += threads)
        to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
    }
}
