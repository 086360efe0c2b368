// Every thread adds numbers of a ring of 2^bits quadruples; threads go on by their number, so that all read all parts of it.
extern "C" __global__ void __launch_bounds__(256, 8) roundabout(unsigned* out, const uint4* ring, int bits, int turns) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x, mask = (1u << bits) - 1, threads = gridDim.x * 256;
  unsigned sum = 0;
  unsigned at = i;
  for (int t = 0; t < turns; t += AT_ONCE) {
    uint4 v[AT_ONCE];
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a) v[a] = __ldcg(ring + ((at + a * threads) & mask));
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a) sum += (v[a].x ^ v[a].y) + (v[a].z ^ v[a].w);
    at += AT_ONCE * threads;
  }
  out[i] = sum;
}
