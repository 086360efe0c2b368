// SPDX-License-Identifier: Apache-2.0
// All pairs straight from global memory (a broadcast through the L1), eight sources in flight before
// any of them is used, so that neither the loop nor the latency of a load is seen. The order of the
// sums is that of the sources.
constexpr float softening = 0.01f;
constexpr int ahead = 8;

struct Body {
  float x = 0.0f, y = 0.0f, z = 0.0f;
  float ax = 0.0f, ay = 0.0f, az = 0.0f, p = 0.0f;

  __device__ __forceinline__ void attract(const float4& s) {
    const float dx = s.x - x, dy = s.y - y, dz = s.z - z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    const float part = s.w * inverse, strength = part * inverse * inverse;
    ax += dx * strength;
    ay += dy * strength;
    az += dz * strength;
    p -= part;
  }
};

extern "C" __global__ void __launch_bounds__(block_size_x)
    nbody(const float* __restrict__ bodies, float* __restrict__ out, int n, float gravity) {
  const float4* const all = reinterpret_cast<const float4*>(bodies);
  const int first = blockIdx.x * block_size_x * BODIES + threadIdx.x;
  const int part = (n + SPLIT - 1) / SPLIT;
  const int begin = blockIdx.y * part, end = min(begin + part, n);
  Body own[BODIES];
#pragma unroll
  for (int b = 0; b < BODIES; ++b)
    if (const int i = first + b * block_size_x; i < n) {
      const float4 body = all[i];
      own[b].x = body.x;
      own[b].y = body.y;
      own[b].z = body.z;
    }
  int j = begin;
#pragma unroll 1
  for (; j + ahead <= end; j += ahead) {
    float4 s[ahead];
#pragma unroll
    for (int l = 0; l < ahead; ++l)
      s[l] = __ldg(all + j + l);
#pragma unroll
    for (int l = 0; l < ahead; ++l)
#pragma unroll
      for (int b = 0; b < BODIES; ++b)
        own[b].attract(s[l]);
  }
#pragma unroll 1
  for (; j < end; ++j) {
    const float4 s = __ldg(all + j);
#pragma unroll
    for (int b = 0; b < BODIES; ++b)
      own[b].attract(s);
  }
#pragma unroll
  for (int b = 0; b < BODIES; ++b)
    if (const int i = first + b * block_size_x; i < n) {
      const float found[4] = {own[b].ax, own[b].ay, own[b].az, own[b].p};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if constexpr (SPLIT > 1)
          atomicAdd(out + 4 * i + k, found[k] * gravity);
        else
          out[4 * i + k] = found[k] * gravity;
      }
    }
}
