// Potential of nerve cells and its slow adaptation under a constant current.
#define TEXT(x) _Pragma(#x)
#define UNROLLED(k) TEXT(unroll k)
extern "C" __global__ void __launch_bounds__(256) membrane(float* potential, const float* current, float leak, int steps, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float drive = current[i];
  float v = 0.0f, tired = 0.1f;
  UNROLLED(UNROLL)
  for (int s = 0; s < steps; ++s) {
    v = fmaf(v, leak, drive);
    tired = fmaf(v, 0.001f, tired);
  }
  potential[i] = v - tired;
}
