// Camera log codes to linear light: a block prepares the curve of its lens setting, then converts its pixels.
extern "C" __global__ void logcurve(float* light, const int* code, float gain, float toe, float flare) {
  __shared__ float curve[2048];
  for (int k = threadIdx.x; k < 2048; k += 256) {
    float x = float(k) * (1.0f / 2047.0f);
    float up = 0.11f, low = 0.9f;
    float a = gain, b = toe;
#pragma unroll
    for (int t = 0; t < 12; ++t) {
      up = up * x + a;
      low = low * x + b;
      a = a * 0.7f + flare;
      b = b * 0.6f + flare;
    }
    curve[k] = x * up + (1.0f - x) * low;
  }
  __syncthreads();
  int first = blockIdx.x * (256 * PIXELS) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PIXELS; ++k) light[first + 256 * k] = curve[code[first + 256 * k]];
}
