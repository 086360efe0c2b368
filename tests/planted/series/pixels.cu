// Brightens the grey values of an image, WIDTH of them at a time.
extern "C" __global__ void __launch_bounds__(256)
pixels(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int n) {
#if WIDTH == 1
  typedef unsigned char Piece;
#elif WIDTH == 2
  typedef unsigned short Piece;
#elif WIDTH == 4
  typedef unsigned Piece;
#elif WIDTH == 8
  typedef uint2 Piece;
#else
  typedef uint4 Piece;
#endif
  const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
  Piece piece = ((const Piece*)in)[i];
  unsigned char* values = (unsigned char*)&piece;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k)
    values[k] ^= 0x80;
  ((Piece*)out)[i] = piece;
}
