// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compile_all.hpp"

namespace gridsmith {
std::vector<Code> compile_all(CompilerPool& pool, std::span<const CompileRequest> requests,
                              const std::stop_token& stop) {
  std::vector<Code> codes(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    pool.compile(i, requests[i]);
  for (std::size_t missing = requests.size(); missing > 0 && !stop.stop_requested();) {
    for (Compiled& one : pool.take()) {
      codes[one.id] = std::move(one.code);
      --missing;
    }
    if (missing == 0)
      break;
    pool.turn();
  }
  return codes;
}

} // namespace gridsmith
