// For each ray through a tomogram, the slice in which the absorption exceeds the limit.
extern "C" __global__ void __launch_bounds__(256)
tissue(int* __restrict__ out, const float* __restrict__ density, float limit, int rays, int slices) {
  const int ray = blockIdx.x * 256 + threadIdx.x;
  const float* voxel = density + ray;
  float absorbed = 0.0f;
  int z = 0;
  while (z < slices) {
    float d[SLAB];
#pragma unroll
    for (int k = 0; k < SLAB; ++k)
      d[k] = voxel[k * rays];
    voxel += SLAB * rays;
    int passed = 0;
#pragma unroll
    for (int k = 0; k < SLAB; ++k) {
      absorbed += d[k];
      passed += absorbed <= limit;
    }
    z += passed;
    if (passed < SLAB)
      break;
  }
  out[ray] = z;
}
