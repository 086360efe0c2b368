// One element per thread. Block (32, 8), grid (ceil(n / 32), ceil(n / 8)).
extern "C" __global__ void reference(const float* __restrict__ before, float* __restrict__ after,
                                     const float* __restrict__ weights, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= n || y >= n)
    return;
  float sum = 0.0f;
  for (int row = 0; row < 15; ++row)
    for (int tap = 0; tap < 15; ++tap) {
      const int i = x + tap - 7, j = y + row - 7;
      if (0 <= i && i < n && 0 <= j && j < n)
        sum += weights[row * 15 + tap] * before[j * n + i];
    }
  after[y * n + x] = sum;
}
