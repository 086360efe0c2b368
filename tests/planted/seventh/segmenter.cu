// Viterbi scores of one recorded trace per block under many candidate models of four states, one model per thread.
#if SCORE == 1
typedef float Score;
#else
typedef int Score;
#endif

extern "C" __global__ void segmenter(float* best, const float* trace, const float* step, const float* slope, int n,
                                     int length) {
  __shared__ float seen[512];
  for (int t = threadIdx.x; t < length; t += blockDim.x) seen[t] = trace[(blockIdx.x & 63) * length + t];
  __syncthreads();
  int model = blockIdx.x * blockDim.x + threadIdx.x;
  float move[4][4], emit[4];
  for (int p = 0; p < 4; ++p)
    for (int s = 0; s < 4; ++s) move[p][s] = step[(p * 4 + s) * n + model];
  for (int s = 0; s < 4; ++s) emit[s] = slope[s * n + model];

  Score score[4] = {0, 0, 0, 0};
#pragma unroll 2
  for (int t = 0; t < length; ++t) {
    float x = seen[t];
    Score next[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      Score top = (Score)((float)score[0] + move[0][s]);
#pragma unroll
      for (int p = 1; p < 4; ++p) {
        top = max(top, (Score)((float)score[p] + move[p][s]));
      }
      next[s] = top + (Score)(emit[s] * x);
    }
#pragma unroll
    for (int s = 0; s < 4; ++s) score[s] = next[s];
  }
  Score top = score[0];
  for (int s = 1; s < 4; ++s) top = max(top, score[s]);
  best[model] = (float)top;
}
