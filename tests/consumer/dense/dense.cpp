// SPDX-License-Identifier: Apache-2.0
#include "dense.hpp"

#include "matmul_tuned.hpp"
#include "transpose_tuned.hpp"

namespace dense {
namespace {

tuned::Device device_of(const Gpu& gpu) {
  tuned::Device device;
  device.compute_capability = gpu.compute_capability;
  device.sm_count = gpu.sm_count;
  device.shared_bytes_per_block_optin = gpu.shared_bytes_per_block_optin;
  device.peak_dram_gb_per_s = gpu.peak_dram_gb_per_s;
  return device;
}

/// 0: not told.
std::int64_t alignment(const float* pointer) {
  return pointer ? tuned::alignment_of(pointer) : 0;
}

void define(std::string& options, const char* name, const std::string& value) {
  options += std::string(options.empty() ? "-D" : " -D") + name + "=" + value;
}

void define(std::string& options, const char* name, int value) {
  define(options, name, std::to_string(value));
}

template <class Choice>
Plan plan_of(const char* kernel, std::string options, const Choice& choice) {
  Plan plan{kernel,
            std::move(options),
            {},
            {},
            choice.launch.dynamic_shared_bytes,
            text(choice.match),
            choice.expected_ms ? *choice.expected_ms : 0.0};
  for (int axis = 0; axis < 3; ++axis) {
    plan.grid[axis] = choice.launch.grid[axis];
    plan.block[axis] = choice.launch.block[axis];
  }
  return plan;
}

} // namespace

std::optional<Plan> plan_transpose(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                                   const float* in, const float* out) {
  tuned::transpose::Problem problem{rows, columns};
  problem.in_alignment = alignment(in);
  problem.out_alignment = alignment(out);
  const auto choice = tuned::transpose::choose(problem, device_of(gpu));
  if (!choice)
    return std::nullopt;
  const auto& chosen = choice->configuration;
  std::string options;
  define(options, "VARIANT", text(chosen.VARIANT));
  define(options, "TILE", chosen.TILE);
  define(options, "ROWS", chosen.ROWS);
  define(options, "PADDING", chosen.PADDING);
  define(options, "ELEMENTS", chosen.ELEMENTS);
  define(options, "STREAM", chosen.STREAM);
  define(options, "BAND", chosen.BAND);
  return plan_of("transpose", options, *choice);
}

std::optional<Plan> plan_matmul(const Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k,
                                const float* a, const float* b, const float* c) {
  tuned::matmul::Problem problem{m, n, k};
  problem.a_alignment = alignment(a);
  problem.b_alignment = alignment(b);
  problem.c_alignment = alignment(c);
  const auto choice = tuned::matmul::choose(problem, device_of(gpu));
  if (!choice)
    return std::nullopt;
  const auto& chosen = choice->configuration;
  std::string options;
  define(options, "VARIANT", text(chosen.VARIANT));
  define(options, "BM", chosen.BM);
  define(options, "BN", chosen.BN);
  define(options, "BK", chosen.BK);
  define(options, "TM", chosen.TM);
  define(options, "TN", chosen.TN);
  define(options, "VECTOR", chosen.VECTOR);
  define(options, "BUFFERS", chosen.BUFFERS);
  define(options, "RESIDENT", chosen.RESIDENT);
  return plan_of("matmul", options, *choice);
}

} // namespace dense
