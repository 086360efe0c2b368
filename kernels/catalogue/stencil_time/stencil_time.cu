// Several time steps of a stencil in one launch: in each, every element becomes the mean of its
// four neighbours, and both axes are rings (the Jacobi iteration on a torus). out is what `steps`
// of them make of in.
//
// What it teaches: one step reads and writes everything for four additions, so that memory is all
// that counts (dram__throughput.avg.pct_of_peak_sustained_elapsed). A block that loads a wider halo
// can go on by itself: after STEPS steps it stores what is right still, which is its tile without
// STEPS elements on each side. So dram__bytes_read.sum and dram__bytes_write.sum fall with STEPS,
// and what is computed twice by neighbouring blocks grows with it, the more the smaller the tile
// (smsp__inst_executed.sum; lts__t_sectors_op_read.sum beside dram__bytes_read.sum / 32). Small tiles
// have another price here: each takes two atomic operations on the words of all
// (lts__t_sectors_op_atom.sum), which are done one after the other.
//
//   STEPS     from a load to a store: ceil(steps / STEPS) passes over memory
//   DEPTH     elements of a thread, one above the other, in registers
//   EXCHANGE  how neighbours along x see each other's elements: through_shared memory, or
//             by_shuffle, which makes a row of the tile a warp (block_size_x 32)
//
// Right for any block of whole warps (block_size_x, block_size_y) and any grid, which are left to
// Gridsmith: tiles of all passes are one queue, from which blocks take the next, and a pass waits
// until the one before it is done. `control` is zero before the first launch, and any launch leaves
// it so. Any nx and ny with nx * ny < 2^31.
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
      own[j] = __ldcg(from + row * field.nx + column); // written by other SMs: not from L1
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
      __threadfence();
    }
    __syncthreads();
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
        __threadfence();
        atomicAdd(&control->done, 1ull);
      }
    }
  }
}

// The reference: one block, step by step. Block 1024, grid 1. A step errs by less than 2^-23 of
// values up to 1, so that eight stay below 1e-6; a step too few or too many is seen at 1e-5.
extern "C" __global__ void stencil_time_reference(const float* in, float* out, float* between,
                                                  Control*, int nx, int ny, int steps) {
  for (int step = 0; step < steps; ++step) {
    float* const to = (steps - step) % 2 == 1 ? out : between;
    const float* const from = step == 0 ? in : to == out ? between : out;
#pragma unroll 4
    for (int i = threadIdx.x; i < nx * ny; i += 1024) {
      const int x = i % nx, row = i - x;
      const int left = x > 0 ? i - 1 : row + nx - 1, right = x + 1 < nx ? i + 1 : row;
      const int above = row > 0 ? i - nx : i + nx * (ny - 1);
      const int below = i + nx < nx * ny ? i + nx : x;
      to[i] = 0.25f * (from[left] + from[right] + from[above] + from[below]);
    }
    __syncthreads();
  }
}
