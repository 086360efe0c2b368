// Gravity between n bodies, every pair of them, single precision: the acceleration of each body and
// its potential, softened by 0.1. A body is its place and its mass, four floats.
//
// What it teaches: the high end of the roofline, 21 operations for a pair and next to nothing from
// memory: sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active is the figure, and each
// instruction beside the arithmetic is lost. All threads need the same source at the same time,
// whether it comes through the L1, as a broadcast from shared memory or from another lane: a load of
// 16 bytes serves one pair (smsp__inst_executed_op_shared_ld.sum), BODIES pairs where a thread has as
// many bodies in registers; by shuffles it is four instructions. An unrolled loop has its counting
// spread over more pairs (smsp__inst_executed.sum), a root that is exact costs more than the pair
// beside it. With 8192 bodies there are too few threads, the fewer the more bodies each has
// (sm__warps_active.avg.pct_of_peak_sustained_active), until blocks share the sources of a body.
//
//   VARIANT    direct   sources straight from global memory
//              tile     a block's sources through shared memory
//              shuffle  a warp's sources in its lanes
//   BODIES     of one thread
//   UNROLL     sources taken in one turn of the loop
//   ROOT       approximate  rsqrtf, within two units in the last place
//              exact        1 / sqrtf, both rounded correctly
//   SPLIT      blocks that share the sources; what each finds is added to out, which holds 0 before
//              (SPLIT > 1)
//   REGISTERS  the most that a thread may have, an option of the compiler: with 32 those of 8 bodies
//              are spilled (l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum)
//
// Right for any block of whole warps, which is left to Gridsmith (block_size_x). Grid
// (ceil(n / (block_size_x * BODIES)), SPLIT). Any n < 2^29.
#define direct 0
#define tile 1
#define shuffle 2

#define approximate 0
#define exact 1

constexpr float softening = 0.01f; // the square of the length
constexpr int unroll = UNROLL;

__device__ __forceinline__ float inverse_root(float x) {
  return ROOT == exact ? 1.0f / sqrtf(x) : rsqrtf(x);
}

// A body, and what the sources do to it.
struct Body {
  float x = 0.0f, y = 0.0f, z = 0.0f;
  float along_x = 0.0f, along_y = 0.0f, along_z = 0.0f, potential = 0.0f;

  __device__ __forceinline__ void attract(const float4& source) {
    const float dx = source.x - x, dy = source.y - y, dz = source.z - z;
    const float inverse = inverse_root(dx * dx + dy * dy + dz * dz + softening);
    const float part = source.w * inverse, strength = part * inverse * inverse;
    along_x += dx * strength;
    along_y += dy * strength;
    along_z += dz * strength;
    potential -= part;
  }
};

// The sources of this block, one after the other; past the end bodies without a mass.
struct Sources {
  const float4* __restrict__ bodies;
  int begin, end;

  __device__ __forceinline__ float4 at(int i) const {
    return i < end ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }

#if VARIANT == direct

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
#pragma unroll unroll
    for (int i = begin; i < end; ++i)
      visit(bodies[i]);
  }

#elif VARIANT == tile

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
    __shared__ float4 sources[block_size_x];
    for (int first = begin; first < end; first += block_size_x) {
      sources[threadIdx.x] = at(first + threadIdx.x);
      __syncthreads();
#pragma unroll unroll
      for (int i = 0; i < block_size_x; ++i)
        visit(sources[i]);
      __syncthreads();
    }
  }

#else

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
    for (int first = begin; first < end; first += 32) {
      const float4 own = at(first + threadIdx.x % 32);
#pragma unroll unroll
      for (int i = 0; i < 32; ++i)
        visit(make_float4(from_lane(own.x, i), from_lane(own.y, i), from_lane(own.z, i),
                          from_lane(own.w, i)));
    }
  }

  static __device__ __forceinline__ float from_lane(float value, int lane) {
    return __shfl_sync(0xffffffffu, value, lane);
  }

#endif
};

extern "C" __global__ void __launch_bounds__(block_size_x)
    nbody(const float* __restrict__ bodies, float* __restrict__ out, int n, float gravity) {
  const float4* const all = reinterpret_cast<const float4*>(bodies);
  const int first = blockIdx.x * block_size_x * BODIES + threadIdx.x;
  const int part = (n + SPLIT - 1) / SPLIT;
  const int begin = blockIdx.y * part;
  Body own[BODIES];
#pragma unroll
  for (int b = 0; b < BODIES; ++b)
    if (const int i = first + b * block_size_x; i < n) {
      own[b].x = all[i].x;
      own[b].y = all[i].y;
      own[b].z = all[i].z;
    }
  Sources{all, begin, min(begin + part, n)}.for_each([&](const float4& source) {
#pragma unroll
    for (int b = 0; b < BODIES; ++b)
      own[b].attract(source);
  });
#pragma unroll
  for (int b = 0; b < BODIES; ++b)
    if (const int i = first + b * block_size_x; i < n) {
      const float found[] = {own[b].along_x, own[b].along_y, own[b].along_z, own[b].potential};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if constexpr (SPLIT > 1)
          atomicAdd(out + 4 * i + k, found[k] * gravity);
        else
          out[4 * i + k] = found[k] * gravity;
      }
    }
}

// The reference: a thread for a body, sums in double precision, so that they do not round. Block 128,
// grid ceil(n / 128). With gravity 1 / n results are up to 1 (potential 2); pairs are right to some
// 1e-7, and so are sums of 65536 floats that grow to 10^4: the tolerance is 1e-5.
extern "C" __global__ void nbody_reference(const float* __restrict__ bodies,
                                           float* __restrict__ out, int n, float gravity) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n)
    return;
  const float4* const all = reinterpret_cast<const float4*>(bodies);
  const float4 own = all[i];
  double sums[4] = {};
  for (int j = 0; j < n; ++j) {
    const float4 source = all[j];
    const float dx = source.x - own.x, dy = source.y - own.y, dz = source.z - own.z;
    const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
    const float part = source.w * inverse, strength = part * inverse * inverse;
    sums[0] += dx * strength;
    sums[1] += dy * strength;
    sums[2] += dz * strength;
    sums[3] -= part;
  }
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = float(sums[k] * gravity);
}
