// Games of chance: how many draws each game takes until a number below the limit turns up.
//
//   TOGETHER  1: the lanes of a warp begin a game together
//             0: a lane whose game is over begins its next one
//
// Block 256, a thread plays GAMES games, gridDim.x * 256 apart.
#define GAMES 64

__device__ unsigned shuffled(unsigned x) {
  x ^= x >> 17;
  x *= 0x9d2c5a6bu;
  x ^= x >> 12;
  x *= 0xb5470d1du;
  x ^= x >> 14;
  x *= 0x6c62e9a5u;
  return x ^ x >> 15;
}

__device__ unsigned drawn(unsigned state) {
  return shuffled(shuffled(state + 0x9e3779b9u));
}

extern "C" __global__ void __launch_bounds__(256)
    lucky_draws(const unsigned* __restrict__ seed, int* __restrict__ draws, unsigned limit) {
  const int stride = gridDim.x * 256;
  const int first = blockIdx.x * 256 + threadIdx.x;
  const int end = first + GAMES * stride;
  const unsigned mine = seed[first];
#if TOGETHER
#pragma unroll 1
  for (int game = first; game < end; game += stride) {
    unsigned state = mine + game;
    int count = 0;
#pragma unroll 1
    do {
      state = drawn(state);
      ++count;
    } while (state >= limit && count < 4096);
    draws[game] = count;
  }
#else
  int game = first;
  unsigned state = mine + game;
  int count = 0;
#pragma unroll 1
  while (game < end) {
    state = drawn(state);
    ++count;
    if (state < limit || count == 4096) {
      draws[game] = count;
      game += stride;
      state = mine + game;
      count = 0;
    }
  }
#endif
}
