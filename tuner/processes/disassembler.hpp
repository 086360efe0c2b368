// SPDX-License-Identifier: Apache-2.0
// The door to a disassembler: a program of the toolkit, found when it is wanted. Many machines have
// none, which is no error.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// One of the two is set.
struct Disassembly {
  std::optional<std::string> sass;
  std::optional<std::string> missing_because; ///< one line
};

class Disassembler {
public:
  /// @param program nvdisasm or cuobjdump; none: the first of them in `folders`, then on PATH.
  explicit Disassembler(std::optional<std::filesystem::path> program = std::nullopt,
                        const std::vector<std::filesystem::path>& folders = {});

  /// The program; none was found.
  const std::optional<std::filesystem::path>& program() const { return program_; }

  /// The machine code as text. Waits for the program, 30 s at most.
  Disassembly disassemble(const Bytes& cubin) const;

private:
  std::optional<std::filesystem::path> program_;
};

} // namespace gridsmith
