// Response of a spectrometer: eight bands, each a polynomial of degree 31 of the detector's reading, weighted and added.
extern "C" __global__ void bands(float* response, const float* reading, const float* coefficient, const float* weight) {
  __shared__ float4 table[64];
  __shared__ float share[8];
  if (threadIdx.x < 64) {
    int at = threadIdx.x * 4;
    table[threadIdx.x] = make_float4(coefficient[at], coefficient[at + 1], coefficient[at + 2], coefficient[at + 3]);
  }
  if (threadIdx.x < 8) share[threadIdx.x] = weight[threadIdx.x];
  int first = blockIdx.x * (256 * POINTS) + threadIdx.x;
  float x[POINTS], sum[POINTS];
#pragma unroll
  for (int j = 0; j < POINTS; ++j) x[j] = reading[first + 256 * j], sum[j] = 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int b = 0; b < 8; ++b) {
    float y[POINTS] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float4 c = table[b * 8 + k];
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fmaf(y[j], x[j], c.x);
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fmaf(y[j], x[j], c.y);
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fmaf(y[j], x[j], c.z);
#pragma unroll
      for (int j = 0; j < POINTS; ++j) y[j] = fmaf(y[j], x[j], c.w);
    }
#pragma unroll
    for (int j = 0; j < POINTS; ++j) sum[j] = fmaf(share[b], y[j], sum[j]);
  }
#pragma unroll
  for (int j = 0; j < POINTS; ++j) response[first + 256 * j] = sum[j];
}
