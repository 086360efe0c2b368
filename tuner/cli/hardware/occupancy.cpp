// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/occupancy.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace gridsmith {
namespace {

struct OccupancyOptions {
  std::string capability = "9.0";
  int registers = 32, block = 0;
  std::int64_t shared = 0, dynamic_shared = 0, threads = 1 << 20;
  bool json = false;
};

std::vector<int> block_sizes(const Device& device, int only) {
  if (only > 0)
    return {only};
  std::vector<int> sizes;
  for (int size = device.warp_size; size <= device.max_threads_per_block; size += device.warp_size)
    sizes.push_back(size);
  return sizes;
}

/// What limits; nothing does where the SM is full.
std::string limiter_text(const Occupancy& one) {
  return one.active_warps == one.max_warps ? "none: full" : std::string(to_text(one.limiter));
}

/// What the number of threads of a block follows from.
std::string estimate_words(std::string_view limiter) {
  if (limiter == "schedulers")
    return "limited by one warp per scheduler";
  return "limited by " + std::string(limiter);
}

std::string text_of(const OccupancyOptions& options, const LaunchEstimate& estimate,
                    const Table& table) {
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  return wrapped(fmt::format("Compute capability {}: {} registers per thread, {} + {} bytes of "
                             "static and dynamic shared memory per block",
                             options.capability, options.registers, options.shared,
                             options.dynamic_shared),
                 width, 2) +
         '\n' +
         wrapped(fmt::format("The textbook's estimate for {} threads: {} threads per block ({}), "
                             "{} blocks",
                             options.threads, estimate.threads_per_block,
                             estimate_words(estimate.limiter), estimate.total_blocks),
                 width, 2) +
         "\n\n" + table.text(width);
}

void show(const OccupancyOptions& options) {
  const Device device = device_of_text(options.capability);
  if (options.block > device.max_threads_per_block)
    throw InputError(fmt::format("--block {} is not within 1 to {}, the most threads per block of "
                                 "compute capability {}",
                                 options.block, device.max_threads_per_block, options.capability));
  const std::int64_t most =
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin);
  if (options.shared + options.dynamic_shared > most)
    throw InputError(fmt::format(
        "--shared {} and --dynamic-shared {} are more than the {} bytes that a block of "
        "compute capability {} may have",
        options.shared, options.dynamic_shared, most, options.capability));
  CompileFacts facts;
  facts.registers_per_thread = options.registers;
  facts.static_shared_bytes = options.shared;
  const double per_thread =
      options.block > 0
          ? static_cast<double>(options.shared + options.dynamic_shared) / options.block
          : 0;
  const LaunchEstimate estimate =
      estimate_launch(device, options.registers, per_thread, options.threads);

  nlohmann::json json = {{"estimate",
                          {{"threads_per_block", estimate.threads_per_block},
                           {"total_blocks", estimate.total_blocks},
                           {"limiter", estimate.limiter}}},
                         {"blocks", nlohmann::json::array()}};
  Table table({{"threads/block", ""},
               {"blocks/SM", ""},
               {"warps/SM", ""},
               {"occupancy", "%"},
               {"limiter", "", true}});
  for (const int size : block_sizes(device, options.block)) {
    const Occupancy one = occupancy(device, facts, size, options.dynamic_shared);
    table.add({fmt::format("{}", size), fmt::format("{}", one.blocks_per_sm),
               fmt::format("{} of {}", one.active_warps, one.max_warps),
               number_text(100 * one.fraction), limiter_text(one)});
    json["blocks"].push_back({{"threads_per_block", size},
                              {"blocks_per_sm", one.blocks_per_sm},
                              {"active_warps", one.active_warps},
                              {"max_warps", one.max_warps},
                              {"percent", 100 * one.fraction},
                              {"limiter", to_text(one.limiter)}});
  }
  print(options.json ? json_text(json, 2) + "\n" : text_of(options, estimate, table));
}

constexpr std::uint64_t most_registers = 255, most_shared_bytes = 16 << 20,
                        most_block = 1024; // of any compute capability

} // namespace

void add_occupancy_command(CLI::App& app, const Installation&) {
  CLI::App* command =
      app.add_subcommand("occupancy", "Blocks and warps an SM can hold, and what limits them");
  command->footer(
      "Example:\n"
      "  gridsmith occupancy --registers 64 --shared 16384\n"
      "\n"
      "The table is the full calculator. The estimate is the textbook's: threadsPerBlock = "
      "min(numWarpSchedulers * warpSize, regsPerBlock / registersPerThread, sharedMem / "
      "sharedPerThread, maxThreadsPerSM), rounded to a multiple of the warp.");
  const auto options = std::make_shared<OccupancyOptions>();
  command->add_option("--capability", options->capability, "Compute capability, 1.0 to 12.1")
      ->type_name("X.Y")
      ->capture_default_str();
  command->add_option("--registers", options->registers, "Registers per thread")
      ->capture_default_str()
      ->check(count_from(1, most_registers));
  command
      ->add_option("--block", options->block,
                   "Threads per block; default: all multiples of the warp")
      ->check(count_from(1, most_block));
  command->add_option("--shared", options->shared, "Static shared memory per block, bytes")
      ->check(count_from(0, most_shared_bytes));
  command
      ->add_option("--dynamic-shared", options->dynamic_shared,
                   "Dynamic shared memory per block, bytes")
      ->check(count_from(0, most_shared_bytes));
  command->add_option("--threads", options->threads, "Threads the problem needs in all")
      ->capture_default_str()
      ->check(count_from(1));
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options] { show(*options); });
}

} // namespace gridsmith
