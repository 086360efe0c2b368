// Turns bodies for 64 steps: a body is a unit quaternion (w, x, y, z) and three rates with a length of step.
//
//   ROUNDS  times 4096 bodies that a block turns
//
// Block 1024, four bodies a thread at a time; the grid covers the bodies.
extern "C" __global__ void __launch_bounds__(1024)
    attitude(const float4* __restrict__ start, const float4* __restrict__ rate,
             float4* __restrict__ end, int bodies) {
#pragma unroll 1
  for (int round = 0; round < ROUNDS; ++round) {
    const int body = (blockIdx.x * ROUNDS + round) * 4096 + threadIdx.x;
    float4 q[4], r[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      q[k] = start[min(body + k * 1024, bodies - 1)];
      r[k] = rate[min(body + k * 1024, bodies - 1)];
      const float half_step = 0.005f * r[k].w;
      r[k] = make_float4(half_step * r[k].x, half_step * r[k].y, half_step * r[k].z, 0);
    }
#pragma unroll 1
    for (int step = 0; step < 64; ++step)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float4 o = q[k], v = r[k];
        const float w = o.w - o.x * v.y - o.y * v.z + o.z * v.x;
        const float x = o.x + o.w * v.y + o.y * v.x + o.z * v.z;
        const float y = o.y + o.w * v.z - o.x * v.x - o.z * v.y;
        const float z = o.z - o.w * v.x - o.x * v.z + o.y * v.y;
        const float scale = 1.5f - 0.5f * (w * w + x * x + y * y + z * z);
        q[k] = make_float4(scale * x, scale * y, scale * z, scale * w);
      }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (body + k * 1024 < bodies)
        end[body + k * 1024] = q[k];
  }
}
