// A quantised dense layer of a keyword spotter: 64 units over frames of four bands with 32 features each.
#define FRAMES 128
#define BANDS 4
#define BAND 32
#define FEATURES 128
#define UNITS 64
#define PITCH 132

extern "C" __global__ void __launch_bounds__(FRAMES)
layer(int* __restrict__ out, const signed char* __restrict__ features, const signed char* __restrict__ weights, int frames) {
  __shared__ int frame_words[FRAMES * PITCH / 4];
  __shared__ int weight_words[UNITS * FEATURES / 4];
  const int t = threadIdx.x;
  const int* source = reinterpret_cast<const int*>(features) + (size_t)blockIdx.x * FRAMES * FEATURES / 4;
#pragma unroll 8
  for (int i = t; i < FRAMES * FEATURES / 4; i += FRAMES)
    frame_words[i / 32 * (PITCH / 4) + i % 32] = source[i];
#pragma unroll 8
  for (int i = t; i < UNITS * FEATURES / 4; i += FRAMES)
    weight_words[i] = reinterpret_cast<const int*>(weights)[i];
  __syncthreads();

  const signed char* mine = reinterpret_cast<const signed char*>(frame_words) + t * PITCH;
  const signed char* row = reinterpret_cast<const signed char*>(weight_words);
  for (int unit = 0; unit < UNITS; unit += 8, row += 8 * FEATURES) {
    int sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < BAND; k += LANES)
#pragma unroll
      for (int band = 0; band < BANDS; ++band) {
        const int at = band * BAND + k;
#if LANES == 1
        const int a = mine[at];
#pragma unroll
        for (int u = 0; u < 8; ++u)
          sum[u] += a * row[u * FEATURES + at];
#else
        const int a = *reinterpret_cast<const int*>(mine + at);
#pragma unroll
        for (int u = 0; u < 8; ++u)
          sum[u] = __dp4a(a, *reinterpret_cast<const int*>(row + u * FEATURES + at), sum[u]);
#endif
      }
#pragma unroll
    for (int u = 0; u < 8; ++u)
      out[(size_t)(unit + u) * frames + blockIdx.x * FRAMES + t] = sum[u];
  }
}
