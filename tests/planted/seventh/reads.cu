// Recalibrates the scores of sequencing reads in the order of the alignment.
extern "C" __global__ void __launch_bounds__(256)
recalibrate(float* __restrict__ out, const float* __restrict__ arrived, const unsigned* __restrict__ ticket,
            const float* __restrict__ shelved, const unsigned* __restrict__ slot, float gain, float bias, int n) {
#if ORDER == 0
  const float* scores = arrived;
  const unsigned* places = ticket;
#else
  const float* scores = shelved;
  const unsigned* places = slot;
#endif
  const int first = blockIdx.x * 1024 + threadIdx.x;
  unsigned place[4];
  float score[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    place[k] = places[first + k * 256];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    score[k] = scores[place[k]];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[first + k * 256] = fmaf(score[k], gain, bias);
}
