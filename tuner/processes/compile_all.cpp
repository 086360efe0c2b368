// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compile_all.hpp"

namespace gridsmith {

bool compile_each(CompilerPool& pool, std::size_t count,
                  const std::function<CompileRequest(std::size_t)>& request,
                  const std::function<void(std::size_t, const Code&)>& hear,
                  const std::stop_token& stop) {
  const std::size_t most_waiting = 4 * pool.size(); // so that no compiler waits for the next one
  std::size_t asked = 0;
  for (std::size_t done = 0; done < count;) {
    for (; asked < count && asked < done + most_waiting; ++asked)
      pool.compile(asked, request(asked));
    const std::vector<Compiled> news = pool.take(); // of the cache at once
    for (const Compiled& one : news)
      hear(one.id, one.code);
    done += news.size();
    if (done < count && stop.stop_requested())
      return false;
    if (news.empty())
      pool.turn();
  }
  return true;
}

std::vector<Code> compile_all(CompilerPool& pool, std::span<const CompileRequest> requests,
                              const std::stop_token& stop) {
  std::vector<Code> codes(requests.size());
  compile_each(
      pool, requests.size(), [&](std::size_t number) { return requests[number]; },
      [&](std::size_t number, const Code& code) { codes[number] = code; }, stop);
  return codes;
}

} // namespace gridsmith
