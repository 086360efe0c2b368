// SPDX-License-Identifier: Apache-2.0
// What elements are by a definition: outputs by Reference.Element or by Reference.File, inputs that an
// expression fills. The first element, the last and some between, of those that are verified, each within a limit of
// time.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct ElementReport {
  BufferSpec of;           ///< without its content
  std::string_view source; ///< "Element", "File" or "Fill"
  /// As the type holds them; none: not computed within the limit. Of one element both are the same.
  std::optional<std::string> first, last;
  std::uint64_t first_at = 0, last_at = 0; ///< of those that are verified
  std::vector<double> some;  ///< spread over what is verified, the first and the last among them
  double ns_per_element = 0; ///< the mean of those tried, at least that where `late`; 0: of a file
  std::optional<std::uint64_t> not_finite; ///< one of those tried, at this index
  bool late = false;                       ///< one was not computed within the limit
  bool none_verified = false; ///< none was found within the limit: nothing else is known

  /// On this machine's processor, one after the other.
  double seconds_for_all() const;
};

/// @param limit for one element
/// @throws InputError naming output and element, or a file; EvaluationError likewise
std::vector<ElementReport> element_reports(const KernelInstance& instance,
                                           std::chrono::milliseconds limit);

/// "out[0] = 0.5, out[1023] = 2; 25 ns an element, 26 us for all 1024", one line
std::string to_text(const ElementReport& report);
nlohmann::json to_json(const ElementReport& report);

} // namespace gridsmith
