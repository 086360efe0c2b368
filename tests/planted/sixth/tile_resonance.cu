// Sums of a tile's rows at the distances that a sieve visits.
extern "C" __global__ void __launch_bounds__(256) tile_resonance(uint4* __restrict__ out, const uint4* __restrict__ tiles, int stride,
                                                                 int visits) {
  __shared__ uint4 tile[1024 + 256 * BATCH];
  for (int k = threadIdx.x; k < 1024 + 256 * BATCH; k += 256) tile[k] = tiles[blockIdx.x * 1024 + (k & 1023)];
  __syncthreads();
  uint4 sum = make_uint4(0, 0, 0, 0);
  unsigned at = threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < visits; t += BATCH) {
    uint4 v[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; ++k) v[k] = tile[at + k * 256];
#pragma unroll
    for (int k = 0; k < BATCH; k += 2) {
      sum.x += v[k].x + v[k + 1].x;
      sum.y += v[k].y + v[k + 1].y;
      sum.z += v[k].z + v[k + 1].z;
      sum.w += v[k].w + v[k + 1].w;
    }
    at = at + stride & 1023u;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
