#include "gridsmith/tuner/presentation/progress.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

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

std::string progress_text(const SpaceProgress& progress) {
  return fmt::format("building the space: {:.0f} %", 100 * progress.part);
}

bool ProgressLine::is_due() const {
  return visible_ && std::chrono::steady_clock::now() - last_ >= refresh;
}

void ProgressLine::show(const std::string& text) {
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  std::fputs(("\r\x1b[K" + cut(text, terminal_of(STDERR_FILENO).width - 1)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::show(const Progress& progress) {
  if (is_due())
    show(progress_text(progress));
}

bool ProgressLine::show(const SpaceProgress& progress) {
  if (is_due())
    show(progress_text(progress));
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
