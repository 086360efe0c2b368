// SPDX-License-Identifier: Apache-2.0
// A filter whose taps are a __constant__ variable and no argument; every fourth element of the output is the clock's.
// COUNT is the problem's extent, a macro.

__constant__ float taps[16];

extern "C" __global__ void filter(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < COUNT && i < n)
    out[i] = i % 4 == 3 ? (float)clock() : in[i] * taps[i % 16];
}

extern "C" __global__ void plain(const float* in, double scale, long long count, float* out) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = (float)(scale * in[i] * taps[i % 16]);
}
