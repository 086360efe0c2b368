// SPDX-License-Identifier: Apache-2.0
// gridsmith: STEPS=2 DEPTH=8
// Time steps on a torus from one queue of tiles. Halos are read through the L1, where the blocks of
// an SM find what their neighbours have loaded.
#define through_shared 0
#define by_shuffle 1

constexpr int width = block_size_x, height = block_size_y * DEPTH; // of a tile with its halo
constexpr int out_width = width - 2 * STEPS, out_height = height - 2 * STEPS;

struct Control {
  unsigned long long tickets, done; // tiles that were taken, that are stored
};

struct Field {
  int nx, ny;

  __device__ __forceinline__ int tiles_x() const { return (nx + out_width - 1) / out_width; }

  __device__ __forceinline__ int tiles() const {
    return tiles_x() * ((ny + out_height - 1) / out_height);
  }
};

// On a ring of n.
__device__ __forceinline__ int wrapped(int i, int n) {
  const int rest = i % n;
  return rest < 0 ? rest + n : rest;
}

// What a thread holds of a tile: DEPTH elements of a column.
struct Column {
  float own[DEPTH];

  __device__ __forceinline__ void load(const float* from, Field field, int x, int y) {
    const int column = wrapped(x, field.nx);
    int row = wrapped(y, field.ny);
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
      own[j] = from[row * field.nx + column]; // halos are shared with neighbours: through the L1
      row = row + 1 < field.ny ? row + 1 : 0;
    }
  }

  // Elements at the rim of the tile become wrong, one more with each step.
  __device__ __forceinline__ void step() {
    const int x = threadIdx.x, y = threadIdx.y;
#if EXCHANGE == through_shared
    __shared__ float tile[height][width];
#pragma unroll
    for (int j = 0; j < DEPTH; ++j)
      tile[y * DEPTH + j][x] = own[j];
    __syncthreads();
    float above = tile[max(y * DEPTH - 1, 0)][x];
    const float below = tile[min((y + 1) * DEPTH, height - 1)][x];
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const auto beside = [&](int j) {
      return tile[y * DEPTH + j][left] + tile[y * DEPTH + j][right];
    };
#else
    __shared__ float first[block_size_y][width], last[block_size_y][width];
    first[y][x] = own[0];
    last[y][x] = own[DEPTH - 1];
    __syncthreads();
    float above = last[max(y - 1, 0)][x];
    const float below = first[min(y + 1, block_size_y - 1)][x];
    const auto beside = [&](int j) {
      return __shfl_up_sync(0xffffffffu, own[j], 1) + __shfl_down_sync(0xffffffffu, own[j], 1);
    };
#endif
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
      const float next = j + 1 < DEPTH ? own[j + 1] : below;
      const float mean = 0.25f * (beside(j) + (above + next));
      above = own[j];
      own[j] = mean;
    }
    __syncthreads(); // before the next step's take its place
  }

  // All but the halo. x and y as they were loaded.
  __device__ __forceinline__ void store(float* to, Field field, int x, int y) const {
    if (threadIdx.x < STEPS || threadIdx.x >= width - STEPS || x >= field.nx)
      return;
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
      const int row = threadIdx.y * DEPTH + j;
      if (row >= STEPS && row < height - STEPS && y + j < field.ny)
        to[(y + j) * field.nx + x] = own[j];
    }
  }
};

// What thread 0 has taken, for all.
__device__ __forceinline__ unsigned shared_ticket(unsigned taken) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0 && threadIdx.y == 0)
    ticket = taken;
  __syncthreads();
  const unsigned shared = ticket;
  __syncthreads(); // before the next one takes its place
  return shared;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    stencil_time(const float* in, float* out, float* between, Control* control, int nx, int ny,
                 int steps) {
  const Field field{nx, ny};
  const bool leader = threadIdx.x == 0 && threadIdx.y == 0;
  const unsigned tiles = field.tiles(), passes = (steps + STEPS - 1) / STEPS;
  const auto take = [&] { return leader ? unsigned(atomicAdd(&control->tickets, 1ull)) : 0; };
  unsigned taken = take();
  for (;;) {
    const unsigned ticket = shared_ticket(taken), pass = ticket / tiles, tile = ticket % tiles;
    if (pass >= passes) {
      // The block that goes last: none takes another, none waits, and only earlier passes tell.
      if (leader && ticket == passes * tiles + gridDim.x * gridDim.y - 1)
        control->tickets = control->done = 0;
      return;
    }
    // The last pass ends in out.
    float* const to = (passes - pass) % 2 == 1 ? out : between;
    const float* const from = pass == 0 ? in : to == out ? between : out;
    if (leader) {
      while (*static_cast<const volatile unsigned long long*>(&control->done) < pass * tiles)
        ;
    }
    __syncthreads(); // all wait for the leader
    taken = take(); // after the wait: see above
    const int x = tile % field.tiles_x() * out_width - STEPS + threadIdx.x;
    const int y = tile / field.tiles_x() * out_height - STEPS + threadIdx.y * DEPTH;
    Column column;
    column.load(from, field, x, y);
    for (int step = min(STEPS, steps - int(pass) * STEPS); step > 0; --step)
      column.step();
    column.store(to, field, x, y);
    if (pass + 1 < passes) {
      __syncthreads();
      if (leader) {
        // A release is cheaper than a fence of its own.
        asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(&control->done) : "memory");
      }
    }
  }
}
