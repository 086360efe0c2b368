// How much each singer of a choir hears of all the others.
extern "C" __global__ void __launch_bounds__(128)
chorus(float* __restrict__ out, const float2* __restrict__ singers, int n, int others) {
  const int first = blockIdx.x * 128 * SINGERS + threadIdx.x;
  float2 me[SINGERS];
  float heard[SINGERS];
#pragma unroll
  for (int k = 0; k < SINGERS; ++k) {
    me[k] = singers[first + k * 128];
    heard[k] = 0;
  }
#pragma unroll 4
  for (int other = 0; other < others; ++other) {
    const float2 there = singers[other];
#pragma unroll
    for (int k = 0; k < SINGERS; ++k)
      heard[k] += fmaxf(1.0f - fabsf(me[k].x - there.x), 0.0f) * there.y;
  }
#pragma unroll
  for (int k = 0; k < SINGERS; ++k)
    out[first + k * 128] = heard[k];
}
