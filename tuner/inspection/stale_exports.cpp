// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/stale_exports.hpp"

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/session/record_book.hpp"

#include <fmt/format.h>

#include <optional>

namespace gridsmith {
namespace {

/// Why it cannot be told; "" where it can.
std::string doubt_of(const Export& exported) {
  const std::string& hash = exported.recording.source_hash;
  if (!exported.definition)
    return exported.lacks;
  if (hash.empty())
    return "its recording does not contain a hash";
  if (hash.starts_with(replayed_prefix))
    return "it was replayed, and a replay is kept without a hash";
  return code_in(hash) ? "" : "it was measured by a version that did not record it";
}

} // namespace

Staleness staleness_of(std::span<const Export> exports) {
  Staleness found;
  for (const Export& exported : exports) {
    const Recording& of = exported.recording;
    const std::string what = fmt::format("{} {} on {}, {}", of.kernel, of.problem, of.device.name,
                                         of.date.substr(0, 10));
    if (const std::string doubt = doubt_of(exported); !doubt.empty()) {
      found.unknown.push_back(fmt::format(
          "{}: unknown whether the code has changed since it was measured: {}", what, doubt));
      continue;
    }
    const KernelDefinition& definition = *exported.definition;
    const KernelInstance now = instantiate(definition, definition.default_problem(), of.device);
    if (code_hash(now) != code_in(of.source_hash))
      found.stale.push_back(
          fmt::format("{}: {}, or code that it compiles, has changed since it was measured", what,
                      definition.file.filename().string()));
  }
  return found;
}

} // namespace gridsmith
