// The kernel of scaled_copy.t1.json: out = factor * in. Read by tests, never run by them.
extern "C" __global__ void scaled_copy(float* out, const float* in, float factor, int count) {
  const int first = (blockIdx.x * block_size_x * work_per_thread) + threadIdx.x;
  for (int k = 0; k < work_per_thread; ++k) {
    const int i = first + k * block_size_x;
    if (i < count)
      out[i] = factor * in[i];
  }
}
