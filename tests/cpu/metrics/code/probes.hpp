// SPDX-License-Identifier: Apache-2.0
// Kernels that make the compiler use each class of instructions and each kind of access.
#pragma once

#include <array>
#include <string>

namespace gridsmith::test {

inline constexpr std::array probe_kernels{
    "widths",    "shared_memory", "local_memory", "generic",   "atomics",     "single",
    "wide",      "halves",        "matrices",     "whole",     "conversions", "lanes",
    "uniform",   "slow_division", "constants",    "textures",  "unrolled",    "not_unrolled",
    "chain",     "nested",        "copies",       "recursion", "doubled",     "barriers",
    "slow_sine", "clocks"};

inline const std::string probes = R"(
#include <cuda_fp16.h>
#define K extern "C" __global__ void
template <typename T> __device__ void move(char* to, const char* from, int place) {
  ((T*)(to + place))[threadIdx.x] = ((const T*)(from + place))[threadIdx.x];
}
// Signed ones are widened, so that the sign matters.
template <typename T> __device__ void third(char* to, const char* from, int place) {
  ((T*)(to + place))[threadIdx.x] = ((const T*)(from + place))[threadIdx.x] / 3;
}
K widths(char* to, const char* from) {
  third<unsigned char>(to, from, 0);
  third<signed char>(to, from, 4096);
  third<unsigned short>(to, from, 8192);
  third<short>(to, from, 16384);
  move<int>(to, from, 32768);
  move<float2>(to, from, 65536);
  move<float4>(to, from, 131072);
}
K shared_memory(char* to, const char* from, int k) {
  __shared__ int a[256];
  __shared__ float2 b[256];
  __shared__ float4 c[256];
  const int i = threadIdx.x;
  a[i] = ((const int*)from)[i];
  b[i] = ((const float2*)from)[i + 999];
  c[i] = ((const float4*)from)[i + 9999];
  __syncthreads();
  ((int*)to)[i] = a[i ^ k];
  ((float2*)to)[i + 999] = b[i ^ k];
  ((float4*)to)[i + 9999] = c[i ^ k];
}
K local_memory(float* b, const int* a, int n) {
  float v[64];
  for (int i = 0; i < 64; ++i) v[i] = b[i];
  for (int i = 0; i < n; ++i) v[a[i] & 63] += i;
  for (int i = 0; i < 64; ++i) b[i] = v[i];
}
K generic(float** p, int flags) {
  __shared__ float s[64];
  const int i = threadIdx.x;
  float* a = flags & 1 ? s + i : p[i];
  s[i] = i;
  __syncthreads();
  *a += 2;
}
K atomics(int* o, float* f, double* d, unsigned long long* l, int v) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = 0;
  __syncthreads();
  atomicAdd(s + (v & 31), i);
  atomicAdd(o + i, v + i);
  o[i + 100] = atomicAdd(o + i + 200, i);
  atomicAdd(f + i, 1.f + i);
  o[i + 300] = atomicCAS(o + i + 400, i, v);
  atomicAdd(d + i, 1. + i);
  d[i + 100] = atomicAdd(d + i + 200, 2.);
  atomicAdd(l + i, v);
  l[i + 100] = atomicCAS(l + i + 200, i, v);
  __syncthreads();
  o[i + 500] = s[i];
}
K clocks(long long* o) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  o[threadIdx.x] = clock64() + now;
}
K single(float* o, const float* a, float s) {
  const int i = threadIdx.x;
  const float x = a[i], y = a[i + 32];
  o[i] = fmaf(x, y, s);
  o[i + 32] = x * y;
  o[i + 64] = x + y;
  o[i + 96] = fminf(x, y);
  o[i + 128] = __sinf(x);
  o[i + 160] = rsqrtf(y);
}
K wide(double* o, const double* a, double s) {
  const int i = threadIdx.x;
  const double x = a[i], y = a[i + 32];
  o[i] = fma(x, y, s);
  o[i + 32] = x * y;
  o[i + 64] = x + y;
}
K halves(__half2* o, const __half2* a, __half2 s) {
  const int i = threadIdx.x;
  const __half2 x = a[i], y = a[i + 32];
  o[i] = __hfma2(x, y, s);
  o[i + 32] = __hmul2(x, y);
  o[i + 64] = __hadd2(x, y);
}
K matrices(float* o, const unsigned* a) {
  const int i = threadIdx.x;
  float c[4] = {};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[i]), "r"(a[i + 32]), "r"(a[i + 64]));
  for (int k = 0; k < 4; ++k) o[i + 32 * k] = c[k];
}
K whole(int* o, const int* a, int s) {
  const int i = threadIdx.x, x = a[i], y = a[i + 32];
  o[i] = x * y + s;
  o[i + 32] = (x & y) ^ s;
  o[i + 64] = x << (y & 31);
  o[i + 96] = min(x, y);
  o[i + 128] = __popc(x);
  o[i + 160] = __clz(y);
  o[i + 192] = max(max(x, y), s);
  o[i + 224] = x / y;
}
K conversions(float* o, double* d, int* n, const float* f, const double* g, const int* m) {
  const int i = threadIdx.x;
  o[i] = m[i];
  n[i] = f[i];
  o[i + 32] = floorf(f[i + 32]);
  d[i] = f[i + 64];
  n[i + 32] = g[i];
  d[i + 32] = m[i + 32];
  n[i + 64] = __half_as_ushort(__float2half(f[i + 96]));
}
K lanes(int* o, int v) {
  const int i = threadIdx.x;
  o[i] = __shfl_xor_sync(~0u, o[i], 1);
  o[i + 32] = __shfl_sync(~0u, o[i + 32], v);
  o[i + 64] = __ballot_sync(~0u, i > v);
  o[i + 96] = __match_any_sync(~0u, o[i + 96]);
}
K uniform(int* o, int n, int m) {
  for (int k = blockIdx.x * n + m; k < n * m; k += (n & 7) + 1) o[threadIdx.x + k * n] = k << m;
}
K slow_division(double* o, const double* a) { o[threadIdx.x] = a[threadIdx.x] / a[threadIdx.x + 32]; }
K slow_sine(float* o, const float* a) { o[threadIdx.x] = sinf(a[threadIdx.x]); }
__constant__ float table[1024];
K constants(float* o, const int* a) { o[threadIdx.x] = table[a[threadIdx.x]]; }
K textures(float4* o, cudaTextureObject_t t, float x) {
  o[threadIdx.x] = tex2D<float4>(t, x + threadIdx.x, x);
  o[threadIdx.x + 32].x = tex1Dfetch<float>(t, threadIdx.x);
}
K unrolled(float* o, const float* a, int n) {
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int j = 0; j < 8; ++j) s += a[k * 8192 + j * 64] * a[k * 8192 + j * 64 + 32];
  o[threadIdx.x] = s;
}
K not_unrolled(float* o, const float* a, int n) {
  float s = 0;
#pragma unroll 1
  for (int k = threadIdx.x; k < n; k += 32) s += a[k] * a[k + 1];
  o[threadIdx.x] = s;
}
K chain(int* o, const int* next, int n) {
  int at = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) at = next[at];
  o[threadIdx.x] = at;
}
K nested(float* o, const float* a, int n) {
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
#pragma unroll 1
    for (int j = 0; j < k; ++j) s += a[j * n + k];
    s *= a[k];
  }
  o[threadIdx.x] = s;
}
K copies(float* o, const float4* a, const float* c) {
#if __CUDA_ARCH__ >= 800
  __shared__ float4 s[256];
  __shared__ float t[256];
  const int i = threadIdx.x;
  const unsigned to = __cvta_generic_to_shared(s + i), too = __cvta_generic_to_shared(t + i);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + i));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 2048), "l"(a + i + 128));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(too), "l"(c + i));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  o[i] = s[i ^ 3].x + t[i ^ 1];
#else
  o[threadIdx.x] = a[threadIdx.x].x + c[threadIdx.x];
#endif
}
__device__ int fib(int n, int* o) { o[n] = n; return n < 2 ? n : fib(n - 1, o) + fib(n - 2, o); }
K recursion(int* o, int n) { o[0] = fib(n, o); }
K doubled(float* o, const float* a) { o[threadIdx.x] = a[threadIdx.x] * 2 + 1; }
K barriers(int* o) {
  o[threadIdx.x] = __syncthreads_count(o[threadIdx.x + 32]);
  __threadfence();
  o[threadIdx.x + 64] = clock();
  __nanosleep(100);
  if (o[threadIdx.x + 96] == 7) __trap();
}
)";

inline constexpr std::array newer_probe_kernels{"bulk_copies", "clusters", "stored_matrices",
                                                "part_of_warp"};

/// For 9.0 and newer.
inline const std::string newer_probes = R"(
#define K extern "C" __global__ void
#define BULK "cp.async.bulk"
struct alignas(64) Map { char bytes[128]; };
K bulk_copies(float* o, const __grid_constant__ Map map, const float* a, int n) {
  extern __shared__ __align__(128) float s[];
  __shared__ __align__(8) unsigned long long b;
  const unsigned bar = __cvta_generic_to_shared(&b), to = __cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(bar));
    asm volatile(BULK ".tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,%3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(n), "r"(n + 1), "r"(bar) : "memory");
    asm volatile(BULK ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to + 4096), "l"(a), "r"(n * 16), "r"(bar) : "memory");
    asm volatile(BULK ".prefetch.L2.global [%0], %1;" ::"l"(a), "r"(n * 16));
  }
  __syncthreads();
  asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(bar));
  o[threadIdx.x] = s[threadIdx.x ^ n];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(BULK ".tensor.2d.global.shared::cta.bulk_group [%0, {%1,%2}], [%3];" ::"l"(&map), "r"(n), "r"(n), "r"(to));
    asm volatile(BULK ".global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(o), "r"(to), "r"(n));
    asm volatile(BULK ".commit_group;");
    asm volatile(BULK ".wait_group.read 0;");
  }
}
K clusters(int* o) {
  asm volatile("barrier.cluster.arrive.aligned;");
  asm volatile("barrier.cluster.wait.aligned;");
  __shared__ int s[64];
  unsigned far;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(far) : "r"((unsigned)__cvta_generic_to_shared(s)), "r"(o[0]));
  int v;
  asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(v) : "r"(far));
  asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(far), "r"(v + 1));
  o[threadIdx.x] = v;
  asm volatile("griddepcontrol.wait;");
  asm volatile("griddepcontrol.launch_dependents;");
}
// Shuffles by threads that may have parted.
K part_of_warp(float* o, const float* a, int n) {
  __shared__ float s[32];
  float v = a[threadIdx.x];
  s[threadIdx.x & 31] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < n ? s[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) atomicAdd(o, v);
  }
}
K stored_matrices(int* o) {
  __shared__ __align__(16) int s[1024];
  const int i = threadIdx.x;
  const unsigned a = __cvta_generic_to_shared(s + 4 * i);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(a), "r"(i), "r"(i + 1), "r"(i * 2), "r"(i ^ 5));
  __syncthreads();
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" ::"r"(a), "r"(i));
  __syncthreads();
  o[i] = s[i];
}
)";

} // namespace gridsmith::test
