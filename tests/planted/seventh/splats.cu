// Density image of Gaussian footprints: a block draws a tile of 128 x 64 pixels from the tile's own list.
__device__ __forceinline__ float two_to(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

extern "C" __global__ void splats(float* image, const float* px, const float* py, const float* sharp, const float* mass,
                                  int width, int per_tile) {
  __shared__ float4 list[128];
  int tile = blockIdx.y * gridDim.x + blockIdx.x;
  int lane = threadIdx.y * 16 + threadIdx.x;
  for (int k = lane; k < per_tile; k += 128) {
    int at = tile * per_tile + k;
    list[k] = make_float4(px[at], py[at], -sharp[at], mass[at]);
  }
  __syncthreads();
  float sum[8][8] = {};
  for (int k = 0; k < per_tile; ++k) {
    float4 s = list[k];
    float ex[8], ey[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float dx = float(j * 16) + (float(threadIdx.x) - s.x), dy = float(j * 8) + (float(threadIdx.y) - s.y);
      ex[j] = dx * dx * s.z;
      ey[j] = dy * dy * s.z;
#if SEPARABLE
      ex[j] = two_to(ex[j]);
      ey[j] = two_to(ey[j]) * s.w;
#endif
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
      for (int j = 0; j < 8; ++j)
#if SEPARABLE
        sum[r][j] += ey[r] * ex[j];
#else
        sum[r][j] += s.w * two_to(ey[r] + ex[j]);
#endif
  }
  float* corner = image + (blockIdx.y * 64 + threadIdx.y) * width + blockIdx.x * 128 + threadIdx.x;
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int j = 0; j < 8; ++j) corner[r * 8 * width + j * 16] = sum[r][j];
}
