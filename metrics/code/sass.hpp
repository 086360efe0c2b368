// SPDX-License-Identifier: Apache-2.0
// The text that nvdisasm and cuobjdump make of a kernel, without what changes when the code does not:
// addresses, encodings, and the numbers of labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct SassInstruction {
  std::string mnemonic; ///< with its modifiers: "LDG.E.128.CONSTANT"
  std::string text;     ///< with guard and operands: "@!P0 LDG.E.128 R4, [R2.64]"

  bool operator==(const SassInstruction&) const = default;
};

/// The instructions of one kernel in order. Labels and branch targets are numbered by their first
/// use. NOPs and the branch to itself behind the end are left out.
/// @param kernel lowered name. @return empty: the text has no such kernel
std::vector<SassInstruction> sass_of(std::string_view text, std::string_view kernel);

/// One line for each instruction.
std::string normalised_text(const std::vector<SassInstruction>& code);

} // namespace gridsmith
