// Pictures as [batch][height][width][channels] become [height / sy][batch][width / sx][sy][sx][channels].
//
//   MULTIPLIERS  1: quotients by d are found with the multipliers that come along, 2^32 / d + 1
//                0: by d itself
//
// Block 256, an element of the result a thread; the number of elements is a multiple of 256. A multiplier is exact
// where what it divides, times d, is below 2^32.
__device__ unsigned quotient(unsigned x, unsigned by, unsigned multiplier) {
  return MULTIPLIERS ? __umulhi(x, multiplier) : x / by;
}

extern "C" __global__ void __launch_bounds__(256)
    space_to_depth(const float* __restrict__ in, float* __restrict__ out, unsigned channels,
                   unsigned sx, unsigned sy, unsigned across, unsigned batch, unsigned down,
                   unsigned for_channels, unsigned for_sx, unsigned for_sy, unsigned for_across,
                   unsigned for_batch) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned cell = quotient(i, channels, for_channels);
  const unsigned channel = i - cell * channels;
  const unsigned line = quotient(cell, sx, for_sx);
  const unsigned dx = cell - line * sx;
  const unsigned tile = quotient(line, sy, for_sy);
  const unsigned dy = line - tile * sy;
  const unsigned strip = quotient(tile, across, for_across);
  const unsigned x = tile - strip * across;
  const unsigned y = quotient(strip, batch, for_batch);
  const unsigned picture = strip - y * batch;
  const unsigned row = (picture * down + y) * sy + dy;
  out[i] = in[((row * across + x) * sx + dx) * channels + channel];
}
