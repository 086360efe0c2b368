// out[i] = the Chebyshev series of 256 terms at in[i], by Clenshaw's recurrence. A thread has
// eight values at once; a block does ITEMS portions of 8192.
// Block 1024, grid n / (8192 * ITEMS).
__constant__ float terms[256];

extern "C" __global__ void __launch_bounds__(1024)
    series(const float* __restrict__ in, float* __restrict__ out, const float*) {
#pragma unroll 1
  for (unsigned item = 0; item < ITEMS; ++item) {
    const unsigned first = (blockIdx.x * ITEMS + item) * 8192 + threadIdx.x;
    float twice[8], last[8] = {}, before[8] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k)
      twice[k] = 2 * in[first + k * 1024];
#pragma unroll 8
    for (int term = 255; term > 0; --term) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float next = fmaf(twice[k], last[k], terms[term] - before[k]);
        before[k] = last[k];
        last[k] = next;
      }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k)
      out[first + k * 1024] = fmaf(0.5f * twice[k], last[k], terms[0] - before[k]);
  }
}
