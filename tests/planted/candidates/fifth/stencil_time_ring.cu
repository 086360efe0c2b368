// SPDX-License-Identifier: Apache-2.0
// gridsmith: STEPS=4
// Temporal blocking, four steps from a load to a store; indices on the ring are brought back by one
// comparison instead of a division, and neighbours along y stay in registers.
constexpr int width = block_size_x, height = block_size_y * DEPTH;
constexpr int inner_x = width - 2 * STEPS, inner_y = height - 2 * STEPS;

struct Control {
  unsigned long long tickets, done;
};

__device__ __forceinline__ int ring(int i, int n) {
  return i < 0 ? i + n : i >= n ? i - n : i;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    stencil_time(const float* in, float* out, float* between, Control* control, int nx, int ny,
                 int steps) {
  __shared__ float tile[height][width];
  __shared__ unsigned next_ticket;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const bool leader = tx == 0 && ty == 0;
  const unsigned across = (nx + inner_x - 1) / inner_x, down = (ny + inner_y - 1) / inner_y;
  const unsigned tiles = across * down, passes = (steps + STEPS - 1) / STEPS;
  unsigned taken = leader ? unsigned(atomicAdd(&control->tickets, 1ull)) : 0;
  for (;;) {
    __syncthreads();
    if (leader)
      next_ticket = taken;
    __syncthreads();
    const unsigned ticket = next_ticket, pass = ticket / tiles, at = ticket % tiles;
    if (pass >= passes) {
      if (leader && ticket == passes * tiles + gridDim.x * gridDim.y - 1)
        control->tickets = control->done = 0;
      return;
    }
    float* const to = ((passes - pass) & 1) ? out : between;
    const float* const from = pass == 0 ? in : to == out ? between : out;
    if (leader) {
      while (*static_cast<const volatile unsigned long long*>(&control->done) <
             (unsigned long long)pass * tiles)
        ;
      __threadfence();
    }
    __syncthreads();
    if (leader)
      taken = unsigned(atomicAdd(&control->tickets, 1ull));
    const int x = int(at % across) * inner_x - STEPS + tx;
    const int y = int(at / across) * inner_y - STEPS + ty * DEPTH;
    const int column = ring(x, nx);
    float own[DEPTH];
#pragma unroll
    for (int j = 0; j < DEPTH; ++j)
      own[j] = __ldcg(from + ring(y + j, ny) * nx + column);
    for (int step = min(STEPS, steps - int(pass) * STEPS); step > 0; --step) {
#pragma unroll
      for (int j = 0; j < DEPTH; ++j)
        tile[ty * DEPTH + j][tx] = own[j];
      __syncthreads();
      float above = tile[max(ty * DEPTH - 1, 0)][tx];
      const float below = tile[min((ty + 1) * DEPTH, height - 1)][tx];
      const int l = max(tx - 1, 0), r = min(tx + 1, width - 1);
#pragma unroll
      for (int j = 0; j < DEPTH; ++j) {
        const float under = j + 1 < DEPTH ? own[j + 1] : below;
        const float mean =
            0.25f * ((tile[ty * DEPTH + j][l] + tile[ty * DEPTH + j][r]) + (above + under));
        above = own[j];
        own[j] = mean;
      }
      __syncthreads();
    }
    if (tx >= STEPS && tx < width - STEPS && x < nx)
#pragma unroll
      for (int j = 0; j < DEPTH; ++j) {
        const int line = ty * DEPTH + j;
        if (line >= STEPS && line < height - STEPS && y + j < ny)
          to[(y + j) * nx + x] = own[j];
      }
    if (pass + 1 < passes) {
      __syncthreads();
      if (leader) {
        __threadfence();
        atomicAdd(&control->done, 1ull);
      }
    }
  }
}
