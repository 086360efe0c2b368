// Corrects the frames of an infrared camera by each pixel's own curve of sixteen knots.
#define KNOTS 16

extern "C" __global__ void __launch_bounds__(128)
bolometer(float* __restrict__ out, const float* __restrict__ raw, const float* __restrict__ curves, int pixels, int frames) {
  const int pixel = blockIdx.x * 128 + threadIdx.x;
#if STORE == 0
  float knot[KNOTS];
#define KNOT(k) knot[k]
#else
  __shared__ float knot[KNOTS][128];
#define KNOT(k) knot[k][threadIdx.x]
#endif
#pragma unroll
  for (int k = 0; k < KNOTS; ++k)
    KNOT(k) = curves[(size_t)k * pixels + pixel];

  const float* from = raw + pixel;
  float* to = out + pixel;
  for (int frame = 0; frame < frames; frame += 4) {
    float v[4];
#pragma unroll
    for (int f = 0; f < 4; ++f)
      v[f] = from[(size_t)f * pixels];
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      const int s = (int)v[f];
      const float u = v[f] - (float)s;
      const float a = KNOT(s), b = KNOT(s + 1), c = KNOT(s + 2), d = KNOT(s + 3);
      const float cubic = fmaf(3.0f, b - c, d - a), square = fmaf(4.0f, c, fmaf(-5.0f, b, 2.0f * a - d));
      to[(size_t)f * pixels] = fmaf(0.5f * u, fmaf(u, fmaf(u, cubic, square), c - a), b);
    }
    from += (size_t)4 * pixels;
    to += (size_t)4 * pixels;
  }
}
