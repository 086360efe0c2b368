// Lagged Fibonacci generators, one a thread, with a state of eight words.
extern "C" __global__ void __launch_bounds__(256) lagged_ring(unsigned* __restrict__ out, const unsigned* __restrict__ seeds, int steps) {
  __shared__ unsigned state[256 * ROW];
  const int id = blockIdx.x * 256 + threadIdx.x;
  unsigned* mine = state + threadIdx.x * ROW;
  unsigned s = seeds[id];
  for (int k = 0; k < 8; ++k) {
    s = s * 1664525u + 1013904223u;
    mine[k] = s;
  }
  unsigned digest = 0;
#pragma unroll 1
  for (int t = 0; t < steps; ++t) {
    const unsigned next = mine[t & 7] + mine[t + 3 & 7];
    mine[t & 7] = next;
    digest ^= next >> 5;
  }
  out[id] = digest;
}
