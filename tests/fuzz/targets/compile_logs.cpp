// SPDX-License-Identifier: Apache-2.0
// What the compiler leaves: its log, and a cubin (an ELF file) whose code is recognised.
#include "gridsmith/tests/fuzz/fuzz.hpp"
#include "gridsmith/tuner/compiler/log/code_hash.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"

namespace gridsmith::fuzz::compile_logs {

void run(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view log = text_of(bytes, count);
  require(first_error(log).find('\n') == std::string::npos, "the first error is not one line");
  facts_from_log(log, "k");
  facts_from_log(log, "_Z1kPf");
  const Bytes cubin(bytes, bytes + count);
  require(code_hash(cubin) == code_hash(cubin), "the same code has two hashes");
}

} // namespace gridsmith::fuzz::compile_logs
