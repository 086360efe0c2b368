// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/plots/heading.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

namespace gridsmith {

std::string title_of(const Recording& recording) {
  std::string title = recording.kernel.empty() ? "Unknown kernel" : recording.kernel;
  if (!recording.problem.empty())
    title += ' ' + recording.problem;
  return recording.device.name.empty() ? title : title + " on " + recording.device.name;
}

std::string caption_of(const Recording& recording) {
  std::string text = counted(recording.measurements.size(), "configuration");
  text += recording.date.empty() ? ", date unknown"
                                 : fmt::format(", measured {}", recording.date.substr(0, 10));
  return text + "; " + (recording.conditions.empty() ? "conditions unknown" : recording.conditions);
}

} // namespace gridsmith
