// Coordinates at which an image is read to turn and scale it: fixed point with 8 bits of fraction.
extern "C" __global__ void __launch_bounds__(256) warp_map(unsigned* __restrict__ map, int cosine, int sine, int n) {
  const int step = gridDim.x * 256;
#if PASSES == 2
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step)
    map[2 * i] = (unsigned)(((i & 8191) * cosine - (i >> 13) * sine) >> 8);
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step)
    map[2 * i + 1] = (unsigned)(((i & 8191) * sine + (i >> 13) * cosine) >> 8);
#else
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step)
    ((uint2*)map)[i] = make_uint2((unsigned)(((i & 8191) * cosine - (i >> 13) * sine) >> 8),
                                  (unsigned)(((i & 8191) * sine + (i >> 13) * cosine) >> 8));
#endif
}
