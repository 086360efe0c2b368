// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/occupancy.hpp"

#include "gridsmith/metrics/device/capability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace gridsmith {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<int>::max();

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct Request {
  const Device& device;
  const CapabilityLimits& rules;
  const CompileFacts& facts;
  std::int64_t warps; ///< per block
  std::int64_t dynamic_shared_bytes;
  int carveout_percent;
};

// Compute capability 1.x: the block's warps are rounded up to the grant, then all its registers to
// the unit (CUDA occupancy calculator, "block" allocation).
std::int64_t blocks_by_registers_per_block(const Request& request) {
  const auto& rules = request.rules;
  const auto warps = round_up(request.warps, rules.sub_partitions);
  const auto block = round_up(warps * request.facts.registers_per_thread * request.device.warp_size,
                              rules.register_granularity);
  return block > request.device.registers_per_block ? 0 : request.device.registers_per_sm / block;
}

// Later: a warp's registers are rounded up to the unit and come from one partition of the SM; the
// launch check assumes whole rounds of warps over the sub-partitions (cuda_occupancy.h, registers
// limit).
std::int64_t blocks_by_registers_per_warp(const Request& request, int sub_partitions) {
  const auto& device = request.device;
  const auto warp = round_up(std::int64_t{request.facts.registers_per_thread} * device.warp_size,
                             request.rules.register_granularity);
  if (warp * round_up(request.warps, sub_partitions) > device.registers_per_block)
    return 0;
  const auto warps_per_sub_partition = device.registers_per_sm / sub_partitions / warp;
  return warps_per_sub_partition * sub_partitions / request.warps;
}

std::int64_t blocks_by_registers(const Request& request) {
  const int registers = request.facts.registers_per_thread;
  if (registers <= 0)
    return unlimited;
  if (registers > request.rules.max_registers_per_thread)
    return 0;
  if (request.rules.register_allocation == RegisterAllocation::per_block)
    return blocks_by_registers_per_block(request);
  // A kernel that cannot start on the rest of the Pascal family (4 sub-partitions) is not started on
  // 6.0 (2 sub-partitions) either: cuda_occupancy.h, forward compatibility within Pascal.
  if (request.rules.compute_capability == 60 && blocks_by_registers_per_warp(request, 4) == 0)
    return 0;
  return blocks_by_registers_per_warp(request, request.rules.sub_partitions);
}

std::span<const int> carve_out_sizes_kib(CarveOut split) {
  // cuda_occupancy.h of CUDA 13.0, shared-memory sizes from Volta on; each chip stops at its own
  // total.
  static constexpr std::array<int, 6> volta = {0, 8, 16, 32, 64, 96};
  static constexpr std::array<int, 2> turing = {32, 64};
  static constexpr std::array<int, 10> ampere = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  switch (split) {
  case CarveOut::volta:
    return volta;
  case CarveOut::turing:
    return turing;
  case CarveOut::ampere:
    return ampere;
  case CarveOut::fixed:
    break;
  }
  return {};
}

// The smallest split that offers `bytes`; the whole SM where none does.
std::int64_t split_for(const Request& request, std::int64_t bytes) {
  const auto total = request.device.shared_bytes_per_sm;
  for (const int kib : carve_out_sizes_kib(request.rules.carve_out))
    if (std::int64_t{kib} * 1024 >= bytes)
      return std::min(std::int64_t{kib} * 1024, total);
  return total;
}

std::int64_t blocks_by_shared_memory(const Request& request) {
  const auto& device = request.device;
  const bool splits = request.rules.carve_out != CarveOut::fixed;
  const auto reserved = device.reserved_shared_bytes_per_block;
  const auto used = request.facts.static_shared_bytes + reserved + request.dynamic_shared_bytes;
  const auto block = round_up(used, request.rules.shared_unit);
  const auto limit = splits && used > device.shared_bytes_per_block
                         ? device.shared_bytes_per_block_optin
                         : device.shared_bytes_per_block;
  if (block > limit + reserved)
    return 0;
  if (block == 0)
    return unlimited;
  const auto wanted = device.shared_bytes_per_sm * request.carveout_percent / 100;
  const auto offered =
      splits ? split_for(request, std::max(wanted, block)) : device.shared_bytes_per_sm;
  return offered / block;
}

std::int64_t blocks_by_barriers(const Request& request) {
  if (request.rules.barriers_per_sm == 0 || request.facts.block_barriers <= 0)
    return unlimited;
  return request.rules.barriers_per_sm / request.facts.block_barriers;
}

bool block_fits(const Device& device, const CompileFacts& facts, int threads_per_block) {
  const int kernel_limit = facts.max_threads_per_block;
  return threads_per_block >= 1 && threads_per_block <= device.max_threads_per_block &&
         (kernel_limit == 0 || threads_per_block <= kernel_limit);
}

} // namespace

std::string_view to_text(OccupancyLimiter limiter) {
  switch (limiter) {
  case OccupancyLimiter::none:
    return "none";
  case OccupancyLimiter::warps:
    return "warps";
  case OccupancyLimiter::registers:
    return "registers";
  case OccupancyLimiter::shared_memory:
    return "shared memory";
  case OccupancyLimiter::blocks:
    return "blocks";
  case OccupancyLimiter::barriers:
    return "barriers";
  }
  return "none";
}

Occupancy occupancy(const Device& device, const CompileFacts& facts, int threads_per_block,
                    std::int64_t dynamic_shared_bytes, int shared_carveout_percent) {
  Occupancy result;
  result.max_warps = device.max_threads_per_sm / device.warp_size;
  result.limiter = OccupancyLimiter::warps;
  if (!block_fits(device, facts, threads_per_block))
    return result;
  const std::int64_t warps = (threads_per_block + device.warp_size - 1) / device.warp_size;
  const Request request{device,
                        limits_of_capability(device.compute_capability),
                        facts,
                        warps,
                        dynamic_shared_bytes,
                        std::clamp(shared_carveout_percent, 0, 100)};

  struct Limit {
    OccupancyLimiter limiter;
    std::int64_t blocks;
  };

  // In the order that names the limiter when several are equally tight.
  const std::array<Limit, 5> limits = {{
      {OccupancyLimiter::registers, blocks_by_registers(request)},
      {OccupancyLimiter::shared_memory, blocks_by_shared_memory(request)},
      {OccupancyLimiter::warps, result.max_warps / warps},
      {OccupancyLimiter::blocks, device.max_blocks_per_sm},
      {OccupancyLimiter::barriers, blocks_by_barriers(request)},
  }};
  const auto& tightest =
      *std::min_element(limits.begin(), limits.end(), [](const Limit& left, const Limit& right) {
        return left.blocks < right.blocks;
      });
  result.limiter = tightest.limiter;
  result.blocks_per_sm = static_cast<int>(tightest.blocks);
  result.active_warps = static_cast<int>(tightest.blocks * warps);
  result.fraction = static_cast<double>(result.active_warps) / result.max_warps;
  return result;
}

namespace {

/// Threads of the largest block whose registers fit.
std::int64_t most_threads(const Device& device, const CompileFacts& facts, std::int64_t threads) {
  Request request{device, limits_of_capability(device.compute_capability),
                  facts,  (threads + device.warp_size - 1) / device.warp_size,
                  0,      100};
  while (request.warps > 0 && blocks_by_registers(request) == 0)
    --request.warps;
  return request.warps * device.warp_size;
}

} // namespace

std::optional<std::string> launch_refusal(const Device& device, const CompileFacts& facts,
                                          std::int64_t threads, std::int64_t dynamic_shared_bytes) {
  if (device.max_threads_per_block > 0 && threads > device.max_threads_per_block)
    return fmt::format("too many threads: {} per block, the device allows {}", threads,
                       device.max_threads_per_block);
  std::int64_t most = threads;
  if (facts.max_threads_per_block > 0)
    most = std::min<std::int64_t>(most, facts.max_threads_per_block);
  if (device.registers_per_block > 0 && device.registers_per_sm > 0 && device.warp_size > 0)
    most = std::min(most, most_threads(device, facts, threads));
  if (threads > most) {
    const std::int64_t registers = threads * facts.registers_per_thread;
    const bool beyond = device.registers_per_block > 0 && registers > device.registers_per_block;
    return fmt::format(
        "too many threads or registers: {} threads per block with {} registers "
        "each{}, this kernel can be launched with {}",
        threads, facts.registers_per_thread,
        beyond ? fmt::format(" ({} of {})", registers, device.registers_per_block) : "", most);
  }
  const std::int64_t shared = facts.static_shared_bytes + dynamic_shared_bytes;
  const std::int64_t allowed =
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin);
  if (allowed > 0 && shared > allowed)
    return fmt::format("too much shared memory: {} bytes per block, the device allows {}", shared,
                       allowed);
  return std::nullopt;
}

LaunchEstimate estimate_launch(const Device& device, int registers_per_thread,
                               double shared_bytes_per_thread, std::int64_t number_of_threads) {
  LaunchEstimate estimate;
  double threads = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::string_view term, double value) {
    if (value < threads) {
      threads = value;
      estimate.limiter = term;
    }
  };
  if (device.warp_schedulers_per_sm > 0)
    consider("schedulers", double(device.warp_schedulers_per_sm) * device.warp_size);
  if (registers_per_thread > 0 && device.registers_per_block > 0)
    consider("registers", double(device.registers_per_block) / registers_per_thread);
  if (shared_bytes_per_thread > 0 && device.shared_bytes_per_block > 0)
    consider("shared memory", double(device.shared_bytes_per_block) / shared_bytes_per_thread);
  if (device.max_threads_per_sm > 0)
    consider("threads", device.max_threads_per_sm);
  if (device.max_threads_per_block > 0)
    consider("threads", device.max_threads_per_block);
  const int warp = device.warp_size;
  estimate.threads_per_block = warp;
  if (threads >= warp && threads < std::numeric_limits<int>::max())
    estimate.threads_per_block = static_cast<int>(threads) / warp * warp;
  estimate.total_blocks =
      (std::max<std::int64_t>(number_of_threads, 0) + estimate.threads_per_block - 1) /
      estimate.threads_per_block;
  return estimate;
}

} // namespace gridsmith
