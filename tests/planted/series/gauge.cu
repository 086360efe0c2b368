// Turns the readings of gauges into heights.
extern "C" __global__ void __launch_bounds__(512)
gauge(float4* __restrict__ out, const float4* __restrict__ in, float scale, float datum, int n) {
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n / 4; i += gridDim.x * 512) {
    const float4 r = in[i];
    out[i] = make_float4(r.x * scale + datum, r.y * scale + datum, r.z * scale + datum, r.w * scale + datum);
  }
}
