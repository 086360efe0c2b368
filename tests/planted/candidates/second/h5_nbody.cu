// gridsmith: VARIANT=direct BODIES=1 UNROLL=1 ROOT=approximate SPLIT=1 REGISTERS=255 block_size_x=64
// Gravity between all pairs. 64 threads do 64 bodies, but each has four of them and a quarter of the
// sources, so that what it loads serves four pairs; the quarters are joined in shared memory.
constexpr int quarter = block_size_x / 4;

extern "C" __global__ void __launch_bounds__(block_size_x)
    nbody(const float* __restrict__ bodies, float* __restrict__ out, int n, float gravity) {
  __shared__ float4 found[4][block_size_x];
  const float4* const all = reinterpret_cast<const float4*>(bodies);
  const int group = threadIdx.x / quarter, lane = threadIdx.x % quarter;
  const int first = blockIdx.x * block_size_x;
  float3 own[4];
  float4 sum[4] = {};
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const float4 body = all[min(first + lane + b * quarter, n - 1)];
    own[b] = make_float3(body.x, body.y, body.z);
  }
  const int part = (n + 3) / 4, end = min((group + 1) * part, n);
#pragma unroll 4
  for (int j = group * part; j < end; ++j) {
    const float4 source = all[j];
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const float dx = source.x - own[b].x, dy = source.y - own[b].y, dz = source.z - own[b].z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float of_mass = source.w * inverse, strength = of_mass * inverse * inverse;
      sum[b].x += dx * strength;
      sum[b].y += dy * strength;
      sum[b].z += dz * strength;
      sum[b].w -= of_mass;
    }
  }
#pragma unroll
  for (int b = 0; b < 4; ++b)
    found[group][lane + b * quarter] = sum[b];
  __syncthreads();
  const int i = first + threadIdx.x;
  if (i >= n)
    return;
  float4 total = found[0][threadIdx.x];
#pragma unroll
  for (int g = 1; g < 4; ++g) {
    const float4 other = found[g][threadIdx.x];
    total.x += other.x;
    total.y += other.y;
    total.z += other.z;
    total.w += other.w;
  }
  out[4 * i] = total.x * gravity;
  out[4 * i + 1] = total.y * gravity;
  out[4 * i + 2] = total.z * gravity;
  out[4 * i + 3] = total.w * gravity;
}
