// A cloud of particles to begin a simulation with: a place and a motion each, drawn from its index.
//
//   SWEEPS  1: places and motions together, 2: all places, then all motions
//
// Block 256, any grid: the threads stride over the particles.
__device__ __forceinline__ uint4 drawn(unsigned i) {
  const unsigned x = (i ^ i >> 15) * 2246822519u;
  const unsigned y = (x ^ x >> 13) * 3266489917u;
  return make_uint4(x, y, x ^ y >> 16, y ^ x >> 16);
}

extern "C" __global__ void __launch_bounds__(256)
    initial_cloud(uint4* __restrict__ particle, int particles) {
#pragma unroll 1
  for (int sweep = 0; sweep < SWEEPS; ++sweep)
#pragma unroll 2
    for (int i = blockIdx.x * 256 + threadIdx.x; i < particles; i += gridDim.x * 256) {
      if (SWEEPS == 1 || sweep == 0)
        particle[2 * i] = drawn(2 * i);
      if (SWEEPS == 1 || sweep == 1)
        particle[2 * i + 1] = drawn(2 * i + 1);
    }
}
