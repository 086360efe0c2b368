// Cooks each dish by its recipe; GROUP dishes in a row have the same one.
__device__ __forceinline__ float cook(float x, float a, float b) {
#pragma unroll 16
  for (int i = 0; i < 256; ++i)
    x = x * a + b;
  return x;
}
extern "C" __global__ void __launch_bounds__(256)
recipes(float* __restrict__ out, const float* __restrict__ in, int n) {
  // The same work for every GROUP: a table's places are dealt out otherwise.
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int recipe = 0, place = 0;
  if (GROUP >= 32) {
    recipe = warp;
    place = lane;
  } else {
    recipe = (lane / GROUP + warp * (32 / GROUP)) % 8;
    place = lane % GROUP + (lane / GROUP + warp * (32 / GROUP)) / 8 * GROUP;
  }
  const int dish = (blockIdx.x * 8 + recipe) * 32 + place;
  float x = in[dish];
  switch (recipe) {
  case 0: x = cook(x, 0.5f, 0.1f); break;
  case 1: x = cook(x, 0.4f, 0.2f) + 1.0f; break;
  case 2: x = cook(x, 0.3f, 0.3f) * 2.0f; break;
  case 3: x = cook(x, 0.2f, 0.4f) - x; break;
  case 4: x = cook(-x, 0.6f, 0.5f); break;
  case 5: x = cook(x * x, 0.7f, 0.6f); break;
  case 6: x = cook(x + 3.0f, 0.8f, 0.7f); break;
  default: x = 1.0f - cook(x, 0.9f, 0.8f);
  }
  out[dish] = x;
}
