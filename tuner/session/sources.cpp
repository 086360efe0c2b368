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

} // namespace

Sources::Sources(const SessionSettings& settings, const Listener& listener)
    : gpus_({.helpers = settings.helpers,
             .compile_timeout = settings.compile_timeout,
             .conditions = settings.conditions,
             .spans = listener.span},
            settings.devices, listener.note),
      recordings_(listener.note) {
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
  return found;
}

} // namespace gridsmith
