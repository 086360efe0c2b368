// Complex numbers from their real and imaginary parts: out[2 i] = re[i], out[2 i + 1] = im[i], both
// scaled.
//
//   PARTS  of a number that a thread writes: 2, or 1, first all real parts and then all imaginary
//
// Block 256, grid (ceil(n / 256), 2 / PARTS). Any n.
extern "C" __global__ void __launch_bounds__(256)
    interleave(const float* __restrict__ re, const float* __restrict__ im, float* __restrict__ out,
               int n, float scale) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
#if PARTS == 2
  reinterpret_cast<float2*>(out)[i] = make_float2(scale * re[i], scale * im[i]);
#else
  const float* part = blockIdx.y ? im : re;
  out[2 * (size_t)i + blockIdx.y] = scale * part[i];
#endif
}
