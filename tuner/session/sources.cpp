// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/sources.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

/// @throws InputError for another language; the space and the simulation of such a definition still
/// work.
void check_runnable(const KernelDefinition& definition) {
  if (!definition.runnable())
    throw InputError(fmt::format(
        "{}: the kernel is written in {}, which Gridsmith does not run; 'gridsmith "
        "space' and 'gridsmith simulate' work for it, and 'tune --recording FILE' replays "
        "one",
        definition.file.string(), definition.language));
}

/// What was asked for, in words, and a recording has in its own way or not at all.
std::vector<std::string> ignored_by_replays(const SessionSettings& settings) {
  const SessionSettings usual;
  const Conditions &asked = settings.conditions, &as_usual = usual.conditions;
  const HelperSettings& helpers = settings.helpers;
  std::vector<std::string> words;
  const auto add = [&](bool differs, const char* what) {
    if (differs)
      words.emplace_back(what);
  };
  add(settings.devices != usual.devices, "the devices");
  add(asked.regime != as_usual.regime, "the regime");
  add(asked.locked_clock_mhz.has_value(), "the clock");
  add(asked.counter_set != as_usual.counter_set && settings.objective == usual.objective &&
          settings.against.empty(), // else those of the objective
      "the counters");
  add(asked.sampling != as_usual.sampling, "how samples are taken");
  add(asked.bitwise, "that results are compared bit by bit");
  add(asked.timeout_s != as_usual.timeout_s, "the time-out of launches");
  add(!settings.compile_timeout.adapts, "the time-out of compilations");
  add(helpers.compilers.has_value() || helpers.nvrtc || helpers.nvcc || !helpers.cache,
      "how kernels are compiled");
  add(!helpers.confined, "that there is no sandbox");
  add(helpers.share, "that the GPU is shared");
  add(settings.add > 0, "that sizes are added");
  return words;
}

} // namespace

Sources::Sources(const SessionSettings& settings, const Listener& listener)
    : listener_(listener), gpus_({.helpers = settings.helpers,
                                  .compile_timeout = settings.compile_timeout,
                                  .conditions = settings.conditions,
                                  .spans = listener.span},
                                 settings.devices, listener.note),
      recordings_(listener.note), ignored_(ignored_by_replays(settings)) {
}

std::vector<Source> Sources::of(const KernelDefinition& definition, const ProblemSize& problem) {
  check_runnable(definition);
  std::string because;
  std::vector<Source> found;
  for (BackEnd* one : order_)
    if (found = one->sources({definition, problem, because}); found.empty())
      because = one->absent();
    else
      break;
  if (!found.empty() && found.front().replayed)
    say_ignored();
  return found;
}

Source Sources::replay(std::shared_ptr<const Recording> recording,
                       const std::filesystem::path& file) {
  say_ignored();
  return recordings_.source(std::move(recording), file, "Recording given");
}

void Sources::say_ignored() {
  if (!ignored_.empty() && listener_.note)
    listener_.note(fmt::format("this is a replay, which ignores {}", fmt::join(ignored_, ", ")));
  ignored_.clear();
}

} // namespace gridsmith
