// A table of `entries` floats, interpolated linearly at n places: entry k stands at (k + 1/2) /
// entries, and beyond the ends the table goes on as its last entry (interpolation.json) or begins
// again (interpolation_wrap.json). The kernel is a template of that, and a definition names the
// instance.
//
// What it teaches: two neighbouring entries at a random place, and four memories to find them in.
// From global memory the lanes of a warp need as many sectors as they have places
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum), and a small table is served by the L1. Constant
// memory has one place for a warp in each cycle: 32 lanes come one after the other
// (smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio and the time). Shared memory
// has 32, and random places meet in a bank a few times over
// (l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum); every block loads the table first, so
// that few blocks with much to do each are better, and a large table leaves room for few. The
// texture unit reads both entries, weighs them and minds the ends in one instruction
// (smsp__inst_executed.sum), with a fraction of 8 bits, as fast as its units deliver
// (l1tex__t_sectors_pipe_tex_mem_texture.sum).
//
//   TABLE    from_global, from_constant, from_shared, from_texture
//   WIDTH    places of one load; the last n % WIDTH are taken one by one
//   CARVEOUT percent of what L1 and shared memory divide that shared memory is to have (from_global):
//            with all of it a large table does not fit in the L1; -1 leaves it to the driver
//
// Right for any block and grid, which are left to Gridsmith (block_size_x, blocks_per_sm): a thread
// for WIDTH places, or as many blocks per SM as asked for. Dynamic shared memory (from_shared)
// 4 * entries bytes. Any n; from constant memory up to 16384 entries.
#define from_global 0
#define from_constant 1
#define from_shared 2
#define from_texture 3

constexpr int clamped = 0, wrapped = 1;

#if TABLE == from_constant
__constant__ float table[16384];
#endif

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

// Between two entries: the lower one, the upper one, and the way from one to the other.
struct Between {
  int lower, upper;
  float fraction;
};

template <int address>
__device__ __forceinline__ Between neighbours(float place, int entries) {
  if constexpr (address == wrapped) {
    const float at = (place - floorf(place)) * entries - 0.5f, lower = floorf(at);
    const int k = int(lower); // from -1 to entries - 1
    return {k < 0 ? entries - 1 : k, k + 1 < entries ? k + 1 : 0, at - lower};
  } else {
    const float at = fminf(fmaxf(place * entries - 0.5f, 0.0f), float(entries - 1));
    const int k = int(at);
    return {k, min(k + 1, entries - 1), at - k};
  }
}

// What holds the table.
struct Table {
  const float* __restrict__ values;
  unsigned long long texture;
  int entries;

  template <int address>
  __device__ __forceinline__ float at(float place) const {
#if TABLE == from_texture
    return tex1D<float>(texture, place); // its mode of address is the definition's
#else
    const Between between = neighbours<address>(place, entries);
#if TABLE == from_constant
    const float lower = table[between.lower], upper = table[between.upper];
#else
    const float lower = values[between.lower], upper = values[between.upper];
#endif
    return lower + between.fraction * (upper - lower);
#endif
  }
};

template <int address>
__global__ void __launch_bounds__(block_size_x)
    interpolation(const float* __restrict__ places, const float* __restrict__ global_table,
                  float* __restrict__ out, unsigned long long texture, int n, int entries) {
  Table table_of_block = {global_table, texture, entries};
#if TABLE == from_shared
  extern __shared__ float copy[];
  for (int i = threadIdx.x; i < entries; i += block_size_x)
    copy[i] = global_table[i];
  __syncthreads();
  table_of_block.values = copy;
#endif
  const unsigned vectors = n / WIDTH;
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < vectors;
       i += gridDim.x * block_size_x) {
    Vector vector = reinterpret_cast<const Vector*>(places)[i];
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      vector.element[e] = table_of_block.at<address>(vector.element[e]);
    reinterpret_cast<Vector*>(out)[i] = vector;
  }
  const unsigned rest = vectors * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    out[rest] = table_of_block.at<address>(places[rest]);
}

// The reference: one place per thread, in double precision. Block 256, grid ceil(n / 256). Entries
// are from -1 to 1, so that neighbours differ by up to 2: the texture unit's fraction of 8 bits is
// off by 2 / 256 at most, and a coordinate of 32768 entries, rounded, by 2 / 1024. The tolerance is
// twice that, 0.02; a wrong entry is off by much more.
template <int address>
__global__ void
interpolation_reference(const float* __restrict__ places, const float* __restrict__ global_table,
                        float* __restrict__ out, unsigned long long, int n, int entries) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  const double place = places[i];
  const double at = address == wrapped
                        ? (place - floor(place)) * entries - 0.5
                        : fmin(fmax(place * entries - 0.5, 0.0), double(entries - 1));
  const int lower = int(floor(at)), below = (lower + entries) % entries;
  const int above = address == wrapped ? (lower + 1) % entries : min(lower + 1, entries - 1);
  const double fraction = at - lower;
  out[i] = float((1 - fraction) * global_table[below] + fraction * global_table[above]);
}
