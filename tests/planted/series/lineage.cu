// The eldest ancestor of sixteen people each, thirty-two generations back.
extern "C" __global__ void __launch_bounds__(128)
lineage(unsigned* __restrict__ out, const unsigned* __restrict__ parent, int n, int people) {
  const unsigned family = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (unsigned first = 0; first < 16; first += LINES) {
    unsigned who[LINES];
#pragma unroll
    for (unsigned k = 0; k < LINES; ++k)
      who[k] = (family * 16 + first + k) * 2654435u % (unsigned)people;
#pragma unroll 1
    for (int generation = 0; generation < 32; ++generation)
#pragma unroll
      for (unsigned k = 0; k < LINES; ++k)
        who[k] = parent[who[k]];
#pragma unroll
    for (unsigned k = 0; k < LINES; ++k)
      out[(first + k) * n + family] = who[k];
  }
}
