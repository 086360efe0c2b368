// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/progress.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gridsmith {
namespace {

constexpr auto refresh = std::chrono::milliseconds(100);

} // namespace

std::string progress_text(const Progress& progress) {
  std::string text = fmt::format("{}/{}", progress.done, progress.total);
  if (progress.failed || progress.pruned_early)
    text += fmt::format(" ({} failed, {} pruned early)", progress.failed, progress.pruned_early);
  if (progress.best)
    text += fmt::format("  best {} {}", number_text(*progress.best), progress.unit);
  text += "  " + duration_text(progress.seconds);
  if (progress.seconds_left)
    text += ", " + duration_text(*progress.seconds_left) + " left";
  // Last, because it is what a narrow terminal cuts off.
  const EvaluatorState& state = progress.evaluator;
  if (state.compiling + state.queued + state.measuring > 0)
    text += fmt::format("  compiling {}, queued {}, measuring {}", state.compiling, state.queued,
                        state.measuring);
  if (state.gpus > 1)
    text += fmt::format(" on {} GPUs", state.gpus);
  return text;
}

std::string progress_text(const SpaceProgress& progress) {
  return fmt::format("building the space: {:.0f} %", 100 * progress.part);
}

std::string measurement_text(const Measurement& measurement, std::uint64_t number,
                             std::uint64_t total) {
  const auto ms = cost_ms(measurement);
  std::string text = fmt::format("{}/{}  ", number, total);
  if (ms)
    text += number_text(*ms) + (measurement.pruned_early ? " ms, pruned early" : " ms");
  else
    text += to_text(measurement.status);
  text += "  " + to_text(measurement.configuration);
  if (!measurement.reason.empty())
    text += ": " + measurement.reason.substr(0, measurement.reason.find('\n'));
  return printable(text);
}

void ProgressLine::tell(const Progress& progress) {
  clear();
  std::uint64_t number =
      progress.done - std::min<std::uint64_t>(progress.done, progress.told.size());
  for (const Measurement& one : progress.told) {
    const std::string text = measurement_text(one, ++number, progress.total);
    // What is piped is for programs that search in it.
    const bool narrow = ::isatty(STDERR_FILENO) == 1;
    std::fputs(((narrow ? cut(text, terminal_of(STDERR_FILENO).width) : text) + "\n").c_str(),
               stderr);
  }
}

bool ProgressLine::is_due() const {
  return visible_ && std::chrono::steady_clock::now() - last_ >= refresh;
}

void ProgressLine::put(const std::string& text) {
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  std::fputs(("\r\x1b[K" + cut(text, terminal_of(STDERR_FILENO).width - 1)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::show(const std::string& text) {
  if (is_due())
    put(text);
}

void ProgressLine::show(const Progress& progress) {
  if (is_due())
    put(progress_text(progress));
}

bool ProgressLine::show(const SpaceProgress& progress) {
  if (is_due())
    put(progress_text(progress));
  return true;
}

void ProgressLine::clear() {
  if (shown_)
    std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

bool stderr_is_terminal() {
  return terminal_of(STDERR_FILENO).moving;
}

} // namespace gridsmith
