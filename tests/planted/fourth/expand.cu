// A picture of n words from a mask of n bits: where a bit is set a colour, which is 3 * i + 1,
// elsewhere the background, 7. KEPT: the picture holds the background already and only colours are
// written, else both are.
// Block 256, grid n / 2048.
extern "C" __global__ void __launch_bounds__(256)
    expand(const unsigned* __restrict__ mask, unsigned* __restrict__ picture) {
  const unsigned first = blockIdx.x * 2048 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned i = first + k * 256;
    const bool set = mask[i / 32] >> i % 32 & 1;
    if (set || !KEPT)
      picture[i] = set ? 3 * i + 1 : 7;
  }
}
