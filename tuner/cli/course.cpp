// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/course.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/output.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace gridsmith {

Listener listener_of(ProgressLine& line, bool verbose) {
  Listener listener;
  listener.building = [&line](const SpaceProgress& progress) { line.show(progress); };
  listener.begun = [&line, verbose, said = std::make_shared<bool>(false)](const Subject& subject) {
    line.clear();
    if (subject.recording && !std::exchange(*said, true))
      note(printable(fmt::format("{}: replaying recordings of {}", subject.replayed_because,
                                 device_text(subject))));
    if (verbose)
      note(printable(fmt::format("{} {}", subject.kernel, subject.problem)));
  };
  listener.progress = [&line, verbose](const Progress& progress) {
    if (verbose)
      line.tell(progress);
    line.show(progress);
  };
  listener.note = note;
  return listener;
}

} // namespace gridsmith
