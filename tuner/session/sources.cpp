// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/sources.hpp"

#include "gridsmith/tuner/backends/gpu_back_end.hpp"
#include "gridsmith/tuner/backends/recorded_back_end.hpp"

#include <fmt/format.h>

#include <utility>

namespace gridsmith {
namespace {

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

/// All there are, in the order in which they are asked. A recording that was given is asked alone.
std::vector<std::unique_ptr<BackEnd>> make_back_ends(const SessionSettings& settings,
                                                     const Listener& listener,
                                                     std::shared_ptr<const Recording> given) {
  std::vector<std::unique_ptr<BackEnd>> all;
  if (!given)
    all.push_back(
        std::make_unique<GpuBackEnd>(GpuProcessSettings{.helpers = settings.helpers,
                                                        .compile_timeout = settings.compile_timeout,
                                                        .conditions = settings.conditions,
                                                        .spans = listener.span},
                                     settings.devices, listener.note));
  GivenRecording recording{std::move(given), settings.recording.value_or("")};
  all.push_back(std::make_unique<RecordedBackEnd>(std::move(recording),
                                                  ignored_by_replays(settings), listener.note));
  return all;
}

} // namespace

Sources::Sources(const SessionSettings& settings, const Listener& listener,
                 std::shared_ptr<const Recording> given)
    : back_ends_(make_back_ends(settings, listener, std::move(given))) {
}

void Sources::will_compile(const KernelDefinition& definition) {
  for (const auto& one : back_ends_)
    if (one->runs(definition))
      one->will_compile(definition);
}

void Sources::begin() {
  for (const auto& one : back_ends_)
    one->begin();
}

std::vector<Source> Sources::of(const KernelDefinition* definition, const ProblemSize& problem) {
  std::string because;
  bool runs = false;
  for (const auto& one : back_ends_) {
    if (definition && !one->runs(*definition))
      continue;
    runs = true;
    if (std::vector<Source> found = one->sources({definition, problem, because}); !found.empty())
      return found;
    because = one->absent();
  }
  if (!runs) // the space and the simulation of such a definition still work
    throw InputError(fmt::format(
        "{}: the kernel is written in {}, which Gridsmith does not run; 'gridsmith "
        "space' and 'gridsmith simulate' work for it, and 'tune --recording FILE' replays "
        "one",
        definition->file.string(), definition->language));
  return {};
}

} // namespace gridsmith
