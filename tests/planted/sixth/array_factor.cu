// Power that a row of antennas radiates at an angle: real weights, one phase step per antenna.
#define ANTENNAS 64
__constant__ float weight[ANTENNAS];
extern "C" __global__ void __launch_bounds__(256) array_factor(float* power, const float* phase, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float psi = phase[i];
  float re = 0.0f, im = 0.0f;
#if TURN_BY_STEP
  float sine, cosine;
  __sincosf(psi, &sine, &cosine);
  float c = 1.0f, s = 0.0f;
#endif
#pragma unroll
  for (int k = 0; k < ANTENNAS; ++k) {
#if !TURN_BY_STEP
    const float angle = psi * (float)k;
    const float c = __cosf(angle), s = __sinf(angle);
#endif
    re = fmaf(weight[k], c, re);
    im = fmaf(weight[k], s, im);
#if TURN_BY_STEP
    const float next = c * cosine - s * sine;
    s = s * cosine + c * sine;
    c = next;
#endif
  }
  power[i] = re * re + im * im;
}
