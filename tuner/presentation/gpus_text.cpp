// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/gpus_text.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gridsmith {
namespace {

constexpr std::size_t most_shown = 8; // GPUs

/// "GPU 1 118 (its times × 1.013)"
std::string share_text(const GpuPart& gpu) {
  return fmt::format("{} {}", gpu.name, gpu.evaluations) +
         (gpu.ratio && *gpu.ratio != 1 ? fmt::format(" (its times × {:.3f})", *gpu.ratio) : "");
}

/// It was there, and the search was over before it could have saved time.
bool was_spared(const GpuPart& gpu) {
  return gpu.evaluations == 0 && !gpu.ratio && !gpu.loss && gpu.lost.empty();
}

std::string shares_text(const std::vector<GpuPart>& gpus) {
  std::vector<std::string> shares, spared;
  for (const GpuPart& gpu : gpus)
    if (was_spared(gpu))
      spared.push_back(gpu.name);
    else
      shares.push_back(share_text(gpu));
  return fmt::format("{} measured: {}.", counted(shares.size(), "GPU"),
                     some_of(shares, most_shown)) +
         (spared.empty()
              ? ""
              : fmt::format(
                    " Not started, as the search was too short for more GPUs to save time: {}.",
                    some_of(spared, most_shown)));
}

/// Of another configuration than the winner: "is 1.2 % faster", "has 1.2 % less energy".
std::string ahead_text(const Objective& by, double loss) {
  const bool less = by.direction == Direction::minimise;
  const double percent = 100 * (less ? 1 - 1 / (1 + loss) : loss);
  return by.by_time ? fmt::format("is {:.1f} % faster", percent)
                    : fmt::format("has {:.1f} % {} {}", percent, less ? "less" : "more", by.name);
}

/// Of those that measured the finals beside the one that is answered for.
std::string agreement_text(const std::vector<GpuPart>& gpus, const Objective& by) {
  std::size_t asked = 0;
  std::vector<std::string> others;
  for (const GpuPart& gpu : gpus) {
    asked += gpu.loss ? 1 : 0;
    if (gpu.loss && *gpu.loss > 0)
      others.push_back(
          fmt::format("on {} {} {}", gpu.name, to_text(*gpu.best), ahead_text(by, *gpu.loss)));
  }
  if (asked == 0)
    return "";
  if (others.empty())
    return fmt::format("The winner is the best, or tied with the best, on {} too.",
                       asked == 1 ? "the other one that measured the finals"
                                  : fmt::format("the other {} that measured the finals", asked));
  return fmt::format("The winner is not the same on all: {}.", fmt::join(others, ", "));
}

} // namespace

std::vector<std::string> gpus_sentences(const FoundBy& found_by, const Device& device) {
  const std::vector<GpuPart>& gpus = found_by.gpus;
  if (gpus.empty())
    return {};
  std::vector<std::string> sentences{shares_text(gpus)};
  if (std::string text = agreement_text(gpus, objective_of(found_by, device)); !text.empty())
    sentences.push_back(std::move(text));
  for (const GpuPart& gpu : gpus)
    if (!gpu.lost.empty())
      sentences.push_back(
          fmt::format("{} ({}) was no longer used: {}", gpu.name, gpu.uuid, gpu.lost));
  return sentences;
}

} // namespace gridsmith
