// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/device/occupancy.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>

namespace gridsmith {
namespace {

std::vector<int> block_sizes(const Device& device, int only) {
  if (only > 0)
    return {only};
  std::vector<int> sizes;
  for (int size = device.warp_size; size <= device.max_threads_per_block; size += device.warp_size)
    sizes.push_back(size);
  return sizes;
}

/// A size of blocks, and how many of these an SM holds.
struct Block : Occupancy {
  int threads = 0;
};

Listing<Block> block_listing() {
  return {
      {"threads_per_block", {"threads/block"}, &Block::threads},
      {"blocks_per_sm", {"blocks/SM"}, &Block::blocks_per_sm},
      {Column{"warps/SM"},
       [](const Block& one) { return fmt::format("{} of {}", one.active_warps, one.max_warps); }},
      {"active_warps", &Block::active_warps},
      {"max_warps", &Block::max_warps},
      {"percent", {"occupancy", "%"}, [](const Block& one) { return 100 * one.fraction; }},
      {"limiter", {"limiter", "", true}, [](const Block& one) { // nothing does where the SM is full
         return one.active_warps == one.max_warps ? Cell("none: full", nullptr) : Cell(one.limiter);
       }}};
}

/// What the number of threads of a block follows from.
std::string estimate_words(std::string_view limiter) {
  if (limiter == "schedulers")
    return "limited by one warp per scheduler";
  return "limited by " + std::string(limiter);
}

constexpr std::uint64_t most_registers = 255, most_shared_bytes = 16 << 20,
                        most_block = 1024; // of any compute capability

class OccupancyCommand final : public Command {
public:
  OccupancyCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void check_block_of(const Device& device) const;
  std::string text_of(const LaunchEstimate& estimate, const Table& table) const;

  std::string capability_ = "9.0";
  int registers_ = 32, block_ = 0;
  std::int64_t shared_ = 0, dynamic_shared_ = 0, threads_ = 1 << 20;
  bool json_ = false;
};

OccupancyCommand::OccupancyCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "occupancy",
              "Blocks and warps an SM can hold, and what limits them") {
  line_.footer(
      "Example:\n"
      "  gridsmith occupancy --registers 64 --shared 16384\n"
      "\n"
      "The table is the full calculator. The estimate is the textbook's: threadsPerBlock = "
      "min(numWarpSchedulers * warpSize, regsPerBlock / registersPerThread, sharedMem / "
      "sharedPerThread, maxThreadsPerSM), rounded to a multiple of the warp.");
  add_capability_option(line_, capability_, "Compute capability, 1.0 to 12.1");
  line_.add_option("--registers", registers_, "Registers per thread")
      ->capture_default_str()
      ->check(count_from(1, most_registers));
  line_.add_option("--block", block_, "Threads per block; default: all multiples of the warp")
      ->check(count_from(1, most_block));
  line_.add_option("--shared", shared_, "Static shared memory per block, bytes")
      ->check(count_from(0, most_shared_bytes));
  line_.add_option("--dynamic-shared", dynamic_shared_, "Dynamic shared memory per block, bytes")
      ->check(count_from(0, most_shared_bytes));
  line_.add_option("--threads", threads_, "Threads the problem needs in all")
      ->capture_default_str()
      ->check(count_from(1));
  add_json_option(line_, json_);
}

/// @throws InputError: no block of the device is as large, or has as much shared memory
void OccupancyCommand::check_block_of(const Device& device) const {
  if (block_ > device.max_threads_per_block)
    throw InputError(fmt::format("--block {} is not within 1 to {}, the most threads per block of "
                                 "compute capability {}",
                                 block_, device.max_threads_per_block, capability_));
  if (shared_ > device.shared_bytes_per_block)
    throw InputError(fmt::format(
        "--shared {} is more than the {} bytes of static shared memory that a block may "
        "have; more is dynamic (--dynamic-shared)",
        shared_, device.shared_bytes_per_block));
  const std::int64_t most =
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin);
  if (shared_ + dynamic_shared_ > most)
    throw InputError(fmt::format(
        "--shared {} and --dynamic-shared {} are more than the {} bytes that a block of "
        "compute capability {} may have",
        shared_, dynamic_shared_, most, capability_));
}

std::string OccupancyCommand::text_of(const LaunchEstimate& estimate, const Table& table) const {
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  return wrapped(fmt::format("Compute capability {}: {} registers per thread, {} + {} bytes of "
                             "static and dynamic shared memory per block",
                             capability_, registers_, shared_, dynamic_shared_),
                 width, 2) +
         '\n' +
         wrapped(fmt::format("The textbook's estimate for {} threads: {} threads per block ({}), "
                             "{} blocks",
                             threads_, estimate.threads_per_block, estimate_words(estimate.limiter),
                             estimate.total_blocks),
                 width, 2) +
         "\n\n" + table.text(width);
}

void OccupancyCommand::run() {
  const Device device = device_of_text(capability_);
  check_block_of(device);
  CompileFacts facts;
  facts.registers_per_thread = registers_;
  facts.static_shared_bytes = shared_;
  const double per_thread =
      block_ > 0 ? static_cast<double>(shared_ + dynamic_shared_) / block_ : 0;
  const LaunchEstimate estimate = estimate_launch(device, registers_, per_thread, threads_);

  std::vector<Block> blocks;
  for (const int size : block_sizes(device, block_))
    blocks.push_back({occupancy(device, facts, size, dynamic_shared_), size});
  if (!json_)
    return print(text_of(estimate, block_listing().table(blocks)));
  const nlohmann::json json = {{"estimate",
                                {{"threads_per_block", estimate.threads_per_block},
                                 {"total_blocks", estimate.total_blocks},
                                 {"limiter", estimate.limiter}}},
                               {"blocks", block_listing().json(blocks)}};
  print(json_text(json, 2) + "\n");
}

} // namespace

extern const AddCommand add_occupancy_command = add_command<OccupancyCommand>;

} // namespace gridsmith
