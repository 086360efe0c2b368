// Sorts 64 exposures of each pixel and weighs them by their rank.
extern "C" __global__ void rank_stack(int* __restrict__ out, const int* __restrict__ exposures, int pixels) {
  const int p = blockIdx.x * 128 + threadIdx.x;
  int v[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) v[k] = exposures[k * pixels + p];
#pragma unroll
  for (int size = 2; size <= 64; size *= 2)
#pragma unroll
    for (int gap = size / 2; gap > 0; gap /= 2)
#pragma unroll
      for (int i = 0; i < 64; ++i)
        if ((i & gap) == 0) {
          const int a = v[i], b = v[i | gap];
          v[i] = i & size ? max(a, b) : min(a, b);
          v[i | gap] = i & size ? min(a, b) : max(a, b);
        }
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum += v[k] * (k < 32 ? k + 1 : 64 - k);
  out[p] = sum;
}
