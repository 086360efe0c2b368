// SPDX-License-Identifier: Apache-2.0
// What was chosen, as a C++17 header without dependencies for a library to compile in: for host and
// device, constexpr. It picks among what was measured, never what it does not know to be valid, and
// says how near that is to a measurement. docs/exports.md describes it for its users.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/selection/selection.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// One device of a kernel.
struct ShippedDevice {
  Selection selection;
  /// Per problem of the selection, of its best; used where there is no definition.
  std::vector<Geometry> launches;
  bool replayed = false; ///< some of it from a recording: nothing was measured for this header
};

/// One kernel. All selections are of it.
struct ShippedKernel {
  std::string name;
  const KernelDefinition* definition = nullptr; ///< none: only measured problems are served
  std::string lacks;                            ///< why there is none, one line
  std::vector<ShippedDevice> devices;
};

/// The same text for the same content. Several such files may be included in one source, of one
/// kernel too: then all their devices are chosen from.
/// @throws InputError: no kernel, one without a device or of other parameters, an expression that
/// C++ cannot say
std::string header_text(std::span<const ShippedKernel> kernels);

/// @throws InputError, one line: no header of ours, of another version, or is_changed_header().
void check_header(std::string_view text);

/// Whether it is a header of this version, and changed after it was written: by hand or by a formatter.
bool is_changed_header(std::string_view text);

} // namespace gridsmith
