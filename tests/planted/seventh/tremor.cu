// Moment of each event of an earthquake catalogue from the depth and the time since the last shock.
struct Event {
  float latitude, longitude, depth, magnitude, time, gap, residual;
};

__device__ __forceinline__ float moment(float depth, float time, float rigidity, float decay) {
  float scaled = fmaf(depth, rigidity, 1.0f);
  return fmaf(scaled, scaled, -decay * time);
}

extern "C" __global__ void __launch_bounds__(256)
catalogue(float* __restrict__ out, const Event* __restrict__ events, const float* __restrict__ columns,
          float rigidity, float decay, int n) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float depth[4], time[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * 256;
#if LAYOUT == 0
    depth[k] = events[i].depth;
    time[k] = events[i].time;
#else
    depth[k] = columns[i];
    time[k] = columns[n + i];
#endif
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[first + k * 256] = moment(depth[k], time[k], rigidity, decay);
}
