#pragma once
#include <cuda/std/cstdint>
#include <cuda_fp16.h>

namespace ln {
struct Stats {
  float mean;
  float m2;
  float count;
};

__device__ inline Stats merge(Stats a, Stats b) {
  const float n = a.count + b.count;
  if (n == 0.f)
    return a;
  const float d = b.mean - a.mean;
  return {a.mean + d * b.count / n, a.m2 + b.m2 + d * d * a.count * b.count / n, n};
}
} // namespace ln
