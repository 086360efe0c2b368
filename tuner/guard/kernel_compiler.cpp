#include "gridsmith/tuner/guard/kernel_compiler.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace gridsmith {
namespace {

void wait_a_moment(const CompilerPool& pool) {
  constexpr auto moment = std::chrono::milliseconds(100); // a stop is heard within it
  std::vector<pollfd> descriptors;
  pool.add_descriptors(descriptors);
  const auto until = std::min(CompilerPool::Clock::now() + moment, pool.deadline());
  const auto wait =
      std::chrono::ceil<std::chrono::milliseconds>(until - CompilerPool::Clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::max<std::int64_t>(0, wait.count())));
}

} // namespace

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
    wait_a_moment(pool);
    pool.advance();
  }
  return codes;
}

} // namespace gridsmith
