// a = b + s c: nothing but the memory counts, so whatever a run takes beside it is seen.
extern "C" __global__ void triad(const float* b, const float* c, float* a, float s, int n) {
  const int first = blockIdx.x * (BX * PER) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int i = first + k * BX;
    if (i < n)
      a[i] = b[i] + s * c[i];
  }
}
