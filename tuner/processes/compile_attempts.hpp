// SPDX-License-Identifier: Apache-2.0
// How often one compilation is asked again when its process ends, and whose fault it is then:
// decisions only, without a process. Also the pauses between processes.
#pragma once

#include <chrono>
#include <cstddef>

namespace gridsmith {

/// How a process ended, or what it said last.
enum class CompilerEnd {
  not_begun, ///< before it could begin with the compilation
  crashed,   ///< by itself, or with an answer that cannot be understood
  killed,    ///< by somebody: a person, the system short of memory
  starved,   ///< it lives and says that the machine has not enough of something
  timed_out,
};

class CompileAttempts {
public:
  enum class Verdict { again, source, machine };

  /// @param longest the time-out that ended it was the longest there is
  Verdict after(CompilerEnd end, bool longest);

  /// To be given the longest time-out: it has had a shorter one, which was guessed from others.
  bool patient() const { return patient_; }

private:
  int crashes_ = 0, kills_ = 0, shortages_ = 0;
  bool patient_ = false;
};

/// Before a process is started: nothing after the first loss, then longer each time, up to 0.6 s.
std::chrono::milliseconds pause_after(std::size_t losses_in_a_row);

} // namespace gridsmith
