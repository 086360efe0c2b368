#include "gridsmith/tuner/cli/progress.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

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
  const EvaluatorState& state = progress.evaluator;
  if (state.compiling + state.queued + state.measuring > 0)
    text += fmt::format("  compiling {}, queued {}, measuring {}", state.compiling, state.queued,
                        state.measuring);
  text += "  " + duration_text(progress.seconds);
  if (progress.seconds_left)
    text += ", " + duration_text(*progress.seconds_left) + " left";
  return text;
}

void ProgressLine::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || now - last_ < refresh)
    return;
  last_ = now;
  shown_ = true;
  std::fputs(("\r\x1b[K" + progress_text(progress)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_)
    std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

} // namespace gridsmith
