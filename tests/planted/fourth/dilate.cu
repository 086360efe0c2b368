// A mask of `height` x `width` bytes, each the bits of nine bytes below one another: out[y][x] =
// in[y][x] | ... | in[y + 8][x]. `in` has eight more rows. A thread makes WIDTH neighbouring bytes.
// Block 32 x 8, grid (width / (32 * WIDTH), height / 8).
#if WIDTH == 1
typedef unsigned char Word;
#else
typedef unsigned long long Word;
#endif
static_assert(sizeof(Word) == WIDTH, "");

extern "C" __global__ void __launch_bounds__(256)
    dilate(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width) {
  const unsigned x = (blockIdx.x * 32 + threadIdx.x) * WIDTH, y = blockIdx.y * 8 + threadIdx.y;
  const unsigned char* from = in + y * width + x;
  Word bits = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k)
    bits |= *reinterpret_cast<const Word*>(from + k * width);
  *reinterpret_cast<Word*>(out + y * width + x) = bits;
}
