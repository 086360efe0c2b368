// SPDX-License-Identifier: Apache-2.0
// gridsmith: ITEMS=16 ACCESS=striped
// Single-pass scan with decoupled look-back. What a tile has found out about the tiles before it
// stays in the upper, free part of `states`, together with the sum that it had then: a tile that
// comes to the same sum again knows its place without looking back, and tells it on at once.
#define TILE (block_size_x * ITEMS)
constexpr int warps_of_block = block_size_x / 32;

struct Ticket {
  unsigned number, launch;
};

template <class T>
__global__ void __launch_bounds__(block_size_x)
    scan(const T* __restrict__ values, T* __restrict__ out, unsigned long long* states,
         unsigned long long* tickets, int n) {
  __shared__ Ticket ticket;
  __shared__ T staged[TILE + TILE / 32];
  __shared__ T of_warp[32];
  __shared__ T shared_before;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) {
    const unsigned long long taken = atomicAdd(tickets, 1ull);
    ticket = {unsigned(taken), unsigned(taken >> 32)};
    if (unsigned(taken) == gridDim.x - 1)
      *tickets = (taken >> 32) + 1 << 32;
  }
  __syncthreads();
  const unsigned tile = ticket.number, round = (ticket.launch & 0x0fffffffu) + 1;
  const unsigned tiles = gridDim.x, first = tile * TILE;
  unsigned long long* const kept = states + tiles + 2 * tile; // sum and place of the last launch
  const bool keeps = 3 * tiles <= (unsigned(n) + 127) / 128;

  const bool full = first + TILE <= unsigned(n);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = k * block_size_x + t;
    staged[i + i / 32] = full || first + i < unsigned(n) ? __ldcs(values + first + i) : T(0);
  }
  __syncthreads();
  T own[ITEMS], sum = T(0);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = t * ITEMS + k;
    sum += staged[i + i / 32];
    own[k] = sum;
  }
  T up = sum;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, up, d);
    if (lane >= d)
      up += other;
  }
  if (lane == 31)
    of_warp[warp] = up;
  __syncthreads();
  if (warp == 0) {
    T w = lane < warps_of_block ? of_warp[lane] : T(0);
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const T other = __shfl_up_sync(0xffffffffu, w, d);
      if (lane >= d)
        w += other;
    }
    of_warp[lane] = w;
    const T total = __shfl_sync(0xffffffffu, w, warps_of_block - 1);
    volatile unsigned long long* const told = states;
    const auto tell = [&](unsigned what, T count) {
      if (lane == 0)
        told[tile] = (unsigned long long)(round << 2 | what) << 32 | unsigned(count);
    };
    T before = T(0);
    const unsigned long long known = keeps ? __ldcg(kept) : 0, place = keeps ? __ldcg(kept + 1) : 0;
    if (tile == 0) {
      tell(2, total);
    } else if (known == (1ull << 32 | unsigned(total)) && (place >> 32) == unsigned(n)) {
      before = T(place);
      tell(2, before + total);
    } else {
      tell(1, total);
      for (int other = int(tile) - 1 - lane;; other -= 32) {
        unsigned long long seen = 0;
        bool ends = true;
        if (other >= 0) {
          do
            seen = told[other];
          while (unsigned(seen >> 34) != round || (seen >> 32 & 3) == 0);
          ends = (seen >> 32 & 3) == 2;
        }
        const unsigned stops = __ballot_sync(0xffffffffu, ends);
        T part = stops == 0 || lane <= __ffs(stops) - 1 ? T(unsigned(seen)) : T(0);
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
          part += __shfl_xor_sync(0xffffffffu, part, d);
        before += part;
        if (stops != 0)
          break;
      }
      tell(2, before + total);
      if (keeps && lane == 0) {
        kept[0] = 1ull << 32 | unsigned(total);
        kept[1] = (unsigned long long)unsigned(n) << 32 | unsigned(before);
      }
    }
    if (lane == 0)
      shared_before = before;
  }
  __syncthreads();
  const T offset = shared_before + (warp > 0 ? of_warp[warp - 1] : T(0)) + up - sum;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = t * ITEMS + k;
    staged[i + i / 32] = own[k] + offset;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = k * block_size_x + t;
    if (full || first + i < unsigned(n))
      __stcs(out + first + i, staged[i + i / 32]);
  }
}
