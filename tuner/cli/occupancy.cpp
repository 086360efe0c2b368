#include "gridsmith/metrics/device/occupancy.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

void show(const OccupancyOptions& options) {
  const Device device = device_of_text(options.capability);
  if (options.block > device.max_threads_per_block || options.block < 0)
    throw InputError(fmt::format("--block {} is not within 1 … {}", options.block,
                                 device.max_threads_per_block));
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
               {"of", ""},
               {"occupancy", "%"},
               {"limiter", "", true}});
  for (const int size : block_sizes(device, options.block)) {
    const Occupancy one = occupancy(device, facts, size, options.dynamic_shared);
    table.add({fmt::format("{}", size), fmt::format("{}", one.blocks_per_sm),
               fmt::format("{}", one.active_warps), fmt::format("{}", one.max_warps),
               number_text(100 * one.fraction), std::string(to_text(one.limiter))});
    json["blocks"].push_back({{"threads_per_block", size},
                              {"blocks_per_sm", one.blocks_per_sm},
                              {"active_warps", one.active_warps},
                              {"max_warps", one.max_warps},
                              {"percent", 100 * one.fraction},
                              {"limiter", to_text(one.limiter)}});
  }
  if (options.json)
    return print(json_text(json, 2) + "\n");
  print(fmt::format(
      "Compute capability {}: {} registers per thread, {} + {} bytes of shared memory per block\n"
      "Formula's estimate for {} threads: {} threads per block (limited by {}), {} blocks\n\n{}",
      options.capability, options.registers, options.shared, options.dynamic_shared,
      options.threads, estimate.threads_per_block, estimate.limiter, estimate.total_blocks,
      table.text()));
}

} // namespace

void add_occupancy_command(CLI::App& app, const Installation&) {
  CLI::App* command =
      app.add_subcommand("occupancy", "Blocks and warps an SM can hold, and what limits them");
  command->footer(
      "\nThe estimate is the textbook's: threadsPerBlock = min(numWarpSchedulers * warpSize,\n"
      "regsPerBlock / registersPerThread, sharedMem / sharedPerThread, maxThreadsPerSM), rounded "
      "to a\n"
      "multiple of the warp. The table is the full calculator.");
  const auto options = std::make_shared<OccupancyOptions>();
  command->add_option("--capability", options->capability, "Compute capability, 1.0 to 12.1")
      ->capture_default_str();
  command->add_option("--registers", options->registers, "Registers per thread")
      ->capture_default_str()
      ->check(CLI::Range(1, 255));
  command->add_option("--block", options->block,
                      "Threads per block; default: all multiples of the warp");
  command->add_option("--shared", options->shared, "Static shared memory per block, bytes")
      ->check(count_from(0));
  command
      ->add_option("--dynamic-shared", options->dynamic_shared,
                   "Dynamic shared memory per block, bytes")
      ->check(count_from(0));
  command->add_option("--threads", options->threads, "Threads the problem needs in all")
      ->capture_default_str()
      ->check(count_from(1));
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options] { show(*options); });
}

} // namespace gridsmith
