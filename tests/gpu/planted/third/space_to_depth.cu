// Pictures as [batch][height][width][channels] become [batch][height / s][width / s][s][s][channels].
//
//   MULTIPLIERS  1: quotients by d are found with the multipliers that come along, 2^32 / d + 1
//                0: by d itself
//
// Block 256, an element of the result a thread; the number of elements is a multiple of 256 and below 2^26.
__device__ unsigned quotient(unsigned x, unsigned by, unsigned multiplier) {
  return MULTIPLIERS ? __umulhi(x, multiplier) : x / by;
}

extern "C" __global__ void __launch_bounds__(256)
    space_to_depth(const float* __restrict__ in, float* __restrict__ out, unsigned channels, unsigned s, unsigned across,
                   unsigned down, unsigned for_channels, unsigned for_s, unsigned for_across, unsigned for_down) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned cell = quotient(i, channels, for_channels);
  const unsigned channel = i - cell * channels;
  const unsigned line = quotient(cell, s, for_s);
  const unsigned dx = cell - line * s;
  const unsigned tile = quotient(line, s, for_s);
  const unsigned dy = line - tile * s;
  const unsigned band = quotient(tile, across, for_across);
  const unsigned x = tile - band * across;
  const unsigned picture = quotient(band, down, for_down);
  const unsigned y = band - picture * down;
  const unsigned row = (picture * down + y) * s + dy;
  out[i] = in[((row * across + x) * s + dx) * channels + channel];
}
