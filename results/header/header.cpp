// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/header.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/device_code.hpp"
#include "gridsmith/results/header/goals_code.hpp"
#include "gridsmith/results/header/kernel_code.hpp"
#include "gridsmith/results/header/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

constexpr std::string_view seal_words = "// gridsmith header 2, sha256 ";
constexpr std::size_t digits = 64;

constexpr const char* opening =
    R"tuned(// Configurations that Gridsmith chose by measuring. Generated: change it by tuning and exporting again.
// C++17 without dependencies, for host and device.
//
//   const auto choice = tuned::{kernel}::choose({{{extents}}}, tuned::Device::current(){by});
//   if (choice) // always known to be valid
//     … choice->configuration.{field}, choice->launch.grid[0], text(choice->match), …
//
// or, where the kernel is a template of its parameters:
//
//   tuned::{kernel}::dispatch(problem, device{by}, [&](auto tuned, const auto& choice) {{
//     kernel<tuned.configuration.{field}><<<…>>>(…);
//   }});
//
{goals}// Define GRIDSMITH_RECORD_MISSES as a file name before you include this: that file then lists the problems
// that were not measured, one JSON line each.
#pragma once

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "this header is C++17: compile with -std=c++17 or later"
#endif
#include <cassert>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#ifdef GRIDSMITH_RECORD_MISSES
#include <cstdio>
#include <set>
#include <string>
#endif
)tuned";

constexpr const char* replayed_words =
    "// Replayed from recordings: nothing ran on a GPU for this header.\n";

constexpr const char* kernel_frame = R"tuned(
// ---- {kernel} ----
#ifndef GRIDSMITH_TUNED_{kernel}
#define GRIDSMITH_TUNED_{kernel} 0x{hash}
#define GRIDSMITH_TUNED_{kernel}_DEVICES Devices<>
namespace tuned::{kernel} {{ inline namespace of_{hash} {{
{declarations}
}}}} // namespace tuned::{kernel}::of_{hash}
#elif GRIDSMITH_TUNED_{kernel} != 0x{hash}
#error "tuned::{kernel}: headers of two definitions in one source; export them again from one"
#endif
)tuned";

/// What follows from the functions that the definition's expressions have become.
constexpr const char* validity_text = R"tuned(
// None if it is not known to run.
GRIDSMITH_TUNED_FN Maybe<Launch> runs(const Configuration& c, const Problem& p, const Device& d) {
  if (!allowed(c, p, d).is_true())
    return {};
  const auto shape = launch(c, p, d);
  return shape && fits(*shape, d) ? shape : Maybe<Launch>();
}
)tuned";

constexpr const char* undefined_text = R"tuned(
// {}: nothing is known of problems that were not measured.
GRIDSMITH_TUNED_FN Number consistent(const Configuration&) {{ return true; }}
GRIDSMITH_TUNED_FN Number allowed(const Configuration&, const Problem&, const Device&) {{ return {{}}; }}
GRIDSMITH_TUNED_FN Maybe<Launch> launch(const Configuration&, const Problem&, const Device&) {{ return {{}}; }}
)tuned";

constexpr const char* check_text = R"tuned(
// Whether it can be launched. Unknown if a computation does not fit into 64 bits, or if a needed fact of
// the device is unknown.
GRIDSMITH_TUNED_FN Validity check(const Configuration& c, const Problem& p, const Device& d) {{
  if ({none})
    return Validity::invalid;
  const Number holds = both(consistent(c), allowed(c, p, d));
  const auto shape = launch(c, p, d);
  if (!holds.is_true())
    return holds.known() ? Validity::invalid : Validity::unknown;
  return !shape ? Validity::unknown : fits(*shape, d) ? Validity::valid : Validity::invalid;
}}
GRIDSMITH_TUNED_FN bool valid(const Configuration& c, const Problem& p, const Device& d) {{
  return check(c, p, d) == Validity::valid;
}}
GRIDSMITH_TUNED_FN bool list(const Problem& p, std::int64_t (&extents)[3]) {{
{list}
  return !({none});
}}
inline constexpr char name[] = {name};
using Choice = ChoiceOf<Configuration>;
)tuned";

constexpr const char* choose_text = R"tuned(
// The best configuration known for a problem, of all devices whose files are included before the call.
template <class Of = Configuration,
          class All = decltype(newest(static_cast<const Of*>(nullptr), Rank<64>{})),
          class Misses = GRIDSMITH_TUNED_MISSES>
GRIDSMITH_TUNED_FN Maybe<Choice> choose(const Problem& p, const Device& d) {
  const auto choice = choose_among<Of>(p, d, All{});
  GRIDSMITH_TUNED_RECORD(Misses, name, p, choice)
  return choice;
}
// Calls f(tuned, choice), where tuned.configuration is a constant: only configurations that may be chosen are
// instantiated. False, and no call, if no configuration is known to be valid.
template <class Function, class Of = Configuration,
          class All = decltype(newest(static_cast<const Of*>(nullptr), Rank<64>{})),
          class Misses = GRIDSMITH_TUNED_MISSES>
constexpr bool dispatch(const Problem& p, const Device& d, Function&& f) {
  const auto choice = choose<Of, All, Misses>(p, d);
  return choice && call_chosen(*choice, f, All{});
}
)tuned";

std::string opening_text(const KernelCode& code, const Goals& goals) {
  std::vector<std::string> extents = code.extents;
  const std::string last = goals.all.empty() ? "" : goals.all.back().code;
  const std::string by = goals.usual() ? "" : fmt::format(", tuned::{}::Goal::{}", code.name, last);
  return fmt::format(
      fmt::runtime(opening), fmt::arg("kernel", code.name),
      fmt::arg("extents", fmt::join(extents, ", ")), fmt::arg("by", by),
      fmt::arg("goals",
               goals.all.empty() || !by.empty()
                   ? ""
                   : fmt::format("// A goal may be named: tuned::{0}::choose(problem, device, "
                                 "tuned::{0}::Goal::{1}), and dispatch likewise.\n//\n",
                                 code.name, last)),
      fmt::arg("field", code.fields.empty() ? "…" : code.fields.front().name));
}

std::string declarations(const std::string& kernel, const KernelCode& code, bool by_time) {
  std::string none, list;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool own = axis < code.extents.size();
    if (own)
      none += (axis ? " || p." : "p.") + code.extents[axis] + " < 1";
    list += fmt::format("{}extents[{}] = {};", axis ? " " : "  ", axis,
                        own ? "p." + code.extents[axis] : "1");
  }
  const std::string undefined =
      code.defined ? "" : fmt::format(undefined_text, comment_text(code.lacks));
  return code.text + undefined + validity_text +
         fmt::format(fmt::runtime(check_text), fmt::arg("none", none), fmt::arg("list", list),
                     fmt::arg("name", string_literal(kernel))) +
         (by_time ? choose_text : "");
}

std::vector<Parameter> written_parameters(const ShippedKernel& kernel) {
  std::vector<Parameter> parameters;
  for (const ShippedDevice& device : kernel.devices) {
    for (const SelectedConfiguration& one : device.selection.configurations)
      add_values(one.of.configuration, parameters);
    if (device.selection.default_configuration)
      add_values(*device.selection.default_configuration, parameters);
  }
  return parameters;
}

KernelCode code_of(const ShippedKernel& kernel) {
  if (kernel.devices.empty() || kernel.devices.front().selection.problems.empty())
    throw InputError(fmt::format("kernel '{}': nothing was measured", kernel.name));
  const auto& problems = kernel.devices.front().selection.problems;
  KernelCode code = kernel.definition
                        ? kernel_code(*kernel.definition)
                        : kernel_code(kernel.name, written_parameters(kernel),
                                      problems.front().problem.extents.size(), kernel.lacks);
  code.name = kernel_namespace(kernel.name);
  for (const ShippedDevice& device : kernel.devices)
    for (const SelectedProblem& one : device.selection.problems)
      if (one.problem.extents.size() != code.extents.size())
        throw InputError(fmt::format("kernel '{}': problem {} on '{}' has not the {} of its others",
                                     kernel.name, to_text(one.problem),
                                     device.selection.device.name, fmt::join(code.extents, ", ")));
  return code;
}

bool is_by_time(const ShippedDevice& device) {
  return device.selection.objective.by_time;
}

std::string kernel_text(const ShippedKernel& kernel, const KernelCode& code, const Goals& goals,
                        const std::string& runtime) {
  const std::string inside = declarations(kernel.name, code, goals.by_time());
  const std::string hash = short_hash(runtime + inside);
  std::string text = fmt::format(fmt::runtime(kernel_frame), fmt::arg("kernel", code.name),
                                 fmt::arg("hash", hash), fmt::arg("declarations", inside));
  for (const ShippedDevice& device : kernel.devices)
    if (is_by_time(device))
      text += device_code(code, kernel.definition, hash, device);
  if (goals.all.empty())
    return text;
  const GoalsCode more = goals_code(code, hash, goals);
  text += more.text;
  for (const ShippedDevice& device : kernel.devices)
    if (!is_by_time(device))
      text += device_code(code, kernel.definition, hash, device,
                          {goals.code_of(device.selection.objective.name), more.hash});
  return text;
}

Goals goals_of(const ShippedKernel& kernel) {
  std::vector<Objective> objectives;
  for (const ShippedDevice& device : kernel.devices)
    objectives.push_back(device.selection.objective);
  return goals_among(objectives);
}

} // namespace

std::string header_text(std::span<const ShippedKernel> kernels) {
  if (kernels.empty())
    throw InputError("nothing to export: no kernel");
  const std::string runtime = runtime_text();
  std::string text, first;
  std::set<std::string> names;
  bool replayed = false;
  for (const ShippedKernel& kernel : kernels) {
    const KernelCode code = code_of(kernel);
    if (!names.insert(code.name).second)
      throw InputError(fmt::format("two kernels are 'tuned::{}' in C++, one of them '{}'; export "
                                   "them into separate headers",
                                   code.name, kernel.name));
    const Goals goals = goals_of(kernel);
    if (first.empty())
      first = opening_text(code, goals);
    text += kernel_text(kernel, code, goals, runtime);
    replayed = replayed || std::any_of(kernel.devices.begin(), kernel.devices.end(),
                                       [](const ShippedDevice& one) { return one.replayed; });
  }
  if (replayed)
    first = replayed_words + first;
  text = first + runtime + text;
  return fmt::format("{}{}\n{}", seal_words, sha256_hex(text), text);
}

void check_header(std::string_view text) {
  constexpr std::string_view words = seal_words.substr(0, seal_words.find('2'));
  if (!text.starts_with(words))
    throw InputError(
        "not a header of Gridsmith's nor a store: expected its first line to begin with '" +
        std::string(words) + "'");
  if (!text.starts_with(seal_words))
    throw InputError("a header of another version of Gridsmith; export it again");
  if (is_changed_header(text))
    throw InputError("the header was changed after it was written; export it again");
}

bool is_changed_header(std::string_view text) {
  if (!text.starts_with(seal_words))
    return false;
  const std::string_view rest = text.substr(seal_words.size());
  return rest.size() <= digits || rest[digits] != '\n' ||
         sha256_hex(rest.substr(digits + 1)) != rest.substr(0, digits);
}

} // namespace gridsmith
