// SPDX-License-Identifier: Apache-2.0
// What is run to find out what a device reaches. Compiled at run time by the compiler pool, after
// peak_layout.hpp. Each body does one thing in several independent chains, unrolled so far that the
// loop around it is a percent of it, and every result is used, so that nothing can be left out.
// Inline PTX where the compiler would choose another instruction or fold several into one.

using namespace gridsmith;
using u32 = unsigned int;
using u64 = unsigned long long;

__device__ u32 thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Where a result could be seen if it ever were the one that none is.
__device__ void use(const PeakWork& work, u32 result) {
  if (result == work.never)
    work.state[2] = result;
}

// ---- arithmetic

/// One chain each: x = f(x). Chains share the operands, which differ from lane to lane.
struct FloatFma {
  float x, a, b;

  __device__ void begin(u32 seed, u32 i) { x = i, a = 0.999f + 1e-9f * seed, b = 1e-3f * seed; }

  __device__ void step() { asm("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b)); }

  __device__ u32 bits() const { return __float_as_uint(x); }
};

struct DoubleFma {
  double x, a, b;

  __device__ void begin(u32 seed, u32 i) { x = i, a = 0.999 + 1e-9 * seed, b = 1e-3 * seed; }

  __device__ void step() { asm("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)); }

  __device__ u32 bits() const { return (u32)__double_as_longlong(x); }
};

struct HalfFma {
  u32 x, a, b; // two halves each

  __device__ void begin(u32 seed, u32 i) {
    x = 0x3c003c00u + i, a = 0x3bf03bf0u + seed, b = 0x14001400u + seed;
  }

  __device__ void step() { asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); }

  __device__ u32 bits() const { return x; }
};

struct IntegerMad {
  u32 x, a, b;

  __device__ void begin(u32 seed, u32 i) { x = i, a = 2 * seed + 5, b = seed ^ 0x9e3779b9u; }

  __device__ void step() { asm("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); }

  __device__ u32 bits() const { return x; }
};

/// Two at once: both are one instruction of the special function unit.
struct Special {
  float x;

  __device__ void begin(u32 seed, u32 i) { x = 1.0f + 1e-3f * (seed + i); }

  __device__ void step() {
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
  }

  __device__ u32 bits() const { return __float_as_uint(x); }
};

/// Four at once that no compiler makes fewer of: two of floats, one addition, one exclusive or.
struct Mixed {
  float x, y, a;
  u32 i, j;

  __device__ void begin(u32 seed, u32 number) {
    x = number, y = 1 + number, a = 0.999f + 1e-9f * seed, i = number, j = 77 * seed + 1;
  }

  __device__ void step() {
    asm("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    asm("add.u32 %0, %0, %1;" : "+r"(i) : "r"(j));
    asm("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(a));
    asm("xor.b32 %0, %0, %1;" : "+r"(i) : "r"(j));
  }

  __device__ u32 bits() const { return __float_as_uint(x) ^ __float_as_uint(y) ^ i; }
};

template <typename Chain> constexpr unsigned operations_of = 1;
template <> constexpr unsigned operations_of<Special> = 2;
template <> constexpr unsigned operations_of<Mixed> = 4;

/// arithmetic_per_round operations in each round, in that many independent chains.
template <typename Chain, unsigned chains>
__device__ void arithmetic(const PeakWork& work) {
  Chain chain[chains];
#pragma unroll
  for (unsigned i = 0; i < chains; ++i)
    chain[i].begin(threadIdx.x & 31, i);
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned step = 0; step < arithmetic_per_round / chains / operations_of<Chain>; ++step)
#pragma unroll
      for (unsigned i = 0; i < chains; ++i)
        chain[i].step();
  u32 result = 0;
#pragma unroll
  for (unsigned i = 0; i < chains; ++i)
    result ^= chain[i].bits();
  use(work, result);
}

extern "C" __global__ void gridsmith_peak_fp32_fma(PeakWork work) {
  arithmetic<FloatFma, 8>(work);
}

extern "C" __global__ void gridsmith_peak_fp64_fma(PeakWork work) {
  arithmetic<DoubleFma, 4>(work);
}

extern "C" __global__ void gridsmith_peak_integer_mad(PeakWork work) {
  arithmetic<IntegerMad, 8>(work);
}

extern "C" __global__ void gridsmith_peak_special_function(PeakWork work) {
  arithmetic<Special, 4>(work);
}

extern "C" __global__ void gridsmith_peak_instruction_issue(PeakWork work) {
  arithmetic<Mixed, 4>(work);
}

#if __CUDA_ARCH__ >= 530
extern "C" __global__ void gridsmith_peak_fp16_fma(PeakWork work) {
  arithmetic<HalfFma, 8>(work);
}
#endif

#if __CUDA_ARCH__ >= 750
/// 16 x 8 x 16 of halves, summed in floats.
__device__ void multiply_tiles(float (&sum)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else // 7.5 has it in two halves
#pragma unroll
  for (int half = 0; half < 2; ++half)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}

extern "C" __global__ void gridsmith_peak_tensor_fp16(PeakWork work) {
  constexpr unsigned chains = 4;
  const u32 seed = threadIdx.x & 31;
  const u32 a[4] = {0x30003100u + seed, 0x31003000u + seed, 0xb0003100u + seed, 0x3100b000u + seed};
  const u32 b[2] = {0x30013101u + seed, 0xb1013001u + seed};
  float sum[chains][4];
#pragma unroll
  for (unsigned i = 0; i < 4 * chains; ++i)
    sum[i / 4][i % 4] = seed + i;
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned step = 0; step < tensor_per_round / chains; ++step)
#pragma unroll
      for (unsigned i = 0; i < chains; ++i)
        multiply_tiles(sum[i], a, b);
  float total = 0;
#pragma unroll
  for (unsigned i = 0; i < 4 * chains; ++i)
    total += sum[i / 4][i % 4];
  use(work, __float_as_uint(total));
}
#endif

// ---- memory

__device__ u32 mixed(const uint4& value) {
  return value.x ^ value.y ^ value.z ^ value.w;
}

/// Past the L1, which holds nothing of it then.
__device__ uint4 load_l2(const uint4* at) {
  uint4 value;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(at));
  return value;
}

__device__ uint4 load_l1(const uint4* at) {
  uint4 value;
  asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(at));
  return value;
}

__device__ uint4 load_shared(u32 at) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(at));
  return value;
}

/// All threads in step through the data, from its start again behind its end: count must not be less
/// than there are threads.
template <typename Action>
__device__ void stream(const PeakWork& work, const Action& action) {
  const u64 step = gridDim.x * (u64)blockDim.x;
  u64 at = thread_number();
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < streams_per_round; ++i) {
      action(at, i);
      at += step;
      at = at < work.count ? at : at - work.count;
    }
  }
}

extern "C" __global__ void gridsmith_peak_read(PeakWork work) {
  u32 result[streams_per_round] = {};
  stream(work,
         [&](u64 at, unsigned i) { result[i] ^= mixed(load_l2((const uint4*)work.data + at)); });
  use(work, result[0] ^ result[1] ^ result[2] ^ result[3]);
}

extern "C" __global__ void gridsmith_peak_write(PeakWork work) {
  const u32 seed = thread_number();
  stream(work, [&](u64 at, unsigned i) {
    ((uint4*)work.data)[at] = make_uint4(seed, seed + i, ~seed, seed ^ i);
  });
}

/// loads_per_round loads from near_bytes, each one instruction: places differ by constants, and by a
/// spacing of 0 that the compiler does not know, or it would load each place once.
template <typename Place, typename Load>
__device__ u32 near_loads(const PeakWork& work, Place first, const Load& load) {
  constexpr unsigned steps = near_bytes / sizeof(uint4) / peak_threads;
  u32 result[steps] = {};
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < loads_per_round / steps; ++i) {
#pragma unroll
      for (unsigned k = 0; k < steps; ++k)
        result[k] ^= mixed(load(first + k * (peak_threads * (u32)sizeof(uint4))));
      first += work.spacing;
    }
  u32 all = 0;
#pragma unroll
  for (unsigned k = 0; k < steps; ++k)
    all ^= result[k] + k;
  return all;
}

extern "C" __global__ void gridsmith_peak_l1_read(PeakWork work) {
  const char* const first = (const char*)work.data + threadIdx.x % peak_threads * sizeof(uint4);
  use(work, near_loads(work, first, [](const char* at) { return load_l1((const uint4*)at); }));
}

extern "C" __global__ void gridsmith_peak_shared_read(PeakWork work) {
  __shared__ uint4 data[near_bytes / sizeof(uint4)];
  for (u32 i = threadIdx.x; i < near_bytes / sizeof(uint4); i += blockDim.x)
    data[i] = make_uint4(i, 3 * i, ~i, i + work.never);
  __syncthreads();
  const u32 first = (u32)__cvta_generic_to_shared(data + threadIdx.x % peak_threads);
  use(work, near_loads(work, first, load_shared));
}

// ---- latencies: one thread, each load's address is what the one before it gave

/// The place of a link: pages one after the other, within each an order that no line or row of the
/// memory is near to the next one's.
__device__ u64 place(u64 link, u64 page) {
  const u64 step = (page * 5 / 8) | 1; // odd, so all of a page are visited
  return (link & ~(page - 1)) | ((link * step) & (page - 1));
}

extern "C" __global__ void gridsmith_peak_link(PeakWork work) {
  char* const data = (char*)work.data;
  for (u64 i = thread_number(); i < work.count; i += gridDim.x * (u64)blockDim.x) {
    const u64 next = i + 1 == work.count ? 0 : i + 1;
    *(char**)(data + place(i, work.page) * work.spacing) =
        data + place(next, work.page) * work.spacing;
  }
  if (thread_number() == 0)
    work.state[0] = (u64)data;
}

template <typename Load>
__device__ u64 follow(u64 rounds, u64 at, const Load& load, u64& cycles) {
  const u64 begun = clock64();
#pragma unroll 1
  for (u64 round = 0; round < rounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < links_per_round; ++i)
      load(at);
  cycles = clock64() - begun;
  return at;
}

/// Goes on where the launch before stopped, so that no link is met twice until all were.
template <typename Load>
__device__ void chase(const PeakWork& work, const Load& load) {
  u64 cycles = 0;
  work.state[0] = follow(work.rounds, work.state[0], load, cycles);
  work.state[1] = cycles;
}

extern "C" __global__ void gridsmith_peak_l1_latency(PeakWork work) {
  chase(work, [](u64& at) { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)); });
}

extern "C" __global__ void gridsmith_peak_l2_latency(PeakWork work) {
  chase(work, [](u64& at) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)); });
}

extern "C" __global__ void gridsmith_peak_shared_latency(PeakWork work) {
  __shared__ u32 link[near_links];
  const u32 first = (u32)__cvta_generic_to_shared(link);
#pragma unroll 1
  for (u32 i = 0; i < near_links; ++i)
    link[i] = first + (i + 1) % near_links * sizeof(u32);
  u32 at = first;
  const u64 begun = clock64();
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < links_per_round; ++i)
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
  work.state[1] = clock64() - begun;
  work.state[2] = at;
}

// ---- atomics, barrier, launch

// That all threads add to one address is known at run time only (a spacing of 0): else compilers add
// for a whole warp first, and this would measure their additions.

template <typename Add>
__device__ void atomics(const PeakWork& work, const Add& add) {
  const u32 value = threadIdx.x + work.never;
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < atomics_per_round; ++i)
      add(value);
}

extern "C" __global__ void gridsmith_peak_atomic(PeakWork work) {
  char* const at = (char*)work.data + (u64)thread_number() * work.spacing;
  atomics(work,
          [&](u32 value) { asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value)); });
}

extern "C" __global__ void gridsmith_peak_shared_atomic(PeakWork work) {
  __shared__ u32 sums[peak_threads];
  sums[threadIdx.x % peak_threads] = 0;
  __syncthreads();
  const u32 at = (u32)__cvta_generic_to_shared(sums) + threadIdx.x * work.spacing;
  atomics(work,
          [&](u32 value) { asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(value)); });
  __syncthreads();
  use(work, sums[threadIdx.x % peak_threads]);
}

extern "C" __global__ void gridsmith_peak_barrier(PeakWork work) {
  const u64 begun = clock64();
#pragma unroll 1
  for (u64 round = 0; round < work.rounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < barriers_per_round; ++i)
      asm volatile("bar.sync 0;");
  if (thread_number() == 0)
    work.state[1] = clock64() - begun;
}

extern "C" __global__ void gridsmith_peak_launch(PeakWork work) {
  use(work, ~work.never);
}
