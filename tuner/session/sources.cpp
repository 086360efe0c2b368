// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/sources.hpp"

#include "gridsmith/tuner/backends/gpu_back_end.hpp"
#include "gridsmith/tuner/backends/recorded_back_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
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

/// What back ends are made of.
struct BackEndWishes {
  const SessionSettings& settings;
  const Listener& listener;
  const std::shared_ptr<const Recording>& given;
};

/// None where a recording that was given takes their place.
std::unique_ptr<BackEnd> gpu_back_end(const BackEndWishes& wanted) {
  if (wanted.given)
    return nullptr;
  const SessionSettings& settings = wanted.settings;
  return std::make_unique<GpuBackEnd>(
      GpuProcessSettings{.helpers = settings.helpers,
                         .compile_timeout = settings.compile_timeout,
                         .conditions = settings.conditions,
                         .spans = wanted.listener.span},
      settings.devices, wanted.listener.note);
}

std::unique_ptr<BackEnd> recorded_back_end(const BackEndWishes& wanted) {
  std::optional<Replayed> given;
  if (wanted.given)
    given = {wanted.given, *wanted.settings.recording, "Recording given"};
  return std::make_unique<RecordedBackEnd>(std::move(given), ignored_by_replays(wanted.settings),
                                           wanted.listener.note);
}

struct BackEndRow {
  std::string_view word; ///< that chooses it alone; "": none does
  std::unique_ptr<BackEnd> (*make)(const BackEndWishes& wanted); ///< may give none
};

/// All there are, in the order in which they are asked.
constexpr std::array back_end_rows = {BackEndRow{"gpu", gpu_back_end},
                                      BackEndRow{"", recorded_back_end}};

std::vector<std::unique_ptr<BackEnd>> make_back_ends(const BackEndWishes& wanted) {
  const std::string& only = wanted.settings.back_end;
  std::vector<std::unique_ptr<BackEnd>> all;
  for (const BackEndRow& row : back_end_rows)
    if (only.empty() || only == row.word)
      if (auto one = row.make(wanted))
        all.push_back(std::move(one));
  return all;
}

} // namespace

std::vector<std::string> back_end_words() {
  std::vector<std::string> words;
  for (const BackEndRow& row : back_end_rows)
    if (!row.word.empty())
      words.emplace_back(row.word);
  return words;
}

void check_back_end(const SessionSettings& settings) {
  const std::vector<std::string> words = back_end_words();
  const std::string& only = settings.back_end;
  if (only.empty())
    return;
  if (std::find(words.begin(), words.end(), only) == words.end())
    throw InputError(unknown_name("back end", only, words));
  if (settings.recording)
    throw InputError(fmt::format("a recording is given, and back end '{}' replays none", only));
}

Sources::Sources(const SessionSettings& settings, const Listener& listener,
                 const std::shared_ptr<const Recording>& given) {
  check_back_end(settings);
  back_ends_ = make_back_ends({settings, listener, given});
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
  if (runs)
    throw NoSuchDevice(fmt::format("no device here ({}), and nothing stands in", because));
  // The space and the simulation of such a definition still work.
  throw InputError(fmt::format(
      "{}: the kernel is written in {}, which Gridsmith does not run; 'gridsmith "
      "space' and 'gridsmith simulate' work for it, and 'tune --recording FILE' replays "
      "one",
      definition->file.string(), definition->language));
}

} // namespace gridsmith
