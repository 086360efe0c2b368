// Log likelihood of aligned bases: base quality and mapping quality are bytes, each with a table of 256 values.
__constant__ float base_table[256];
__constant__ float map_table[256];

extern "C" __global__ void readscore(float4* score, const unsigned* base_quality, const unsigned* map_quality,
                                     const float* base_values, const float* map_values, int words) {
#if TABLES == 1
  __shared__ float base[256], map[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    base[k] = base_values[k];
    map[k] = map_values[k];
  }
  __syncthreads();
#else
  const float* base = base_table;
  const float* map = map_table;
#endif
#pragma unroll 4
  for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
    unsigned b = base_quality[w], m = map_quality[w];
    float4 s;
    s.x = base[b & 255] + map[m & 255];
    s.y = base[b >> 8 & 255] + map[m >> 8 & 255];
    s.z = base[b >> 16 & 255] + map[m >> 16 & 255];
    s.w = base[b >> 24] + map[m >> 24];
    score[w] = s;
  }
}
