// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/compile_patience.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr double known_of = 8; // compilations: of fewer, a usual one is waited for longer
// Times the usual compilation: what takes longer was not expected to, and is likely to take as long
// again. In the end it is waited for, but not for ever.
constexpr double unusual = 3, unusual_in_the_end = 2;
constexpr double least_s = 1, least_in_the_end_s = 0.5; // shorter is not worth a word
constexpr double as_many = 3, longest_in_the_end_s = 10;

} // namespace

void CompilePatience::learn(double compile_ms) {
  if (compile_ms > 0)
    seconds_.insert(std::upper_bound(seconds_.begin(), seconds_.end(), compile_ms / 1000),
                    compile_ms / 1000);
}

double CompilePatience::put_off_after_s(bool last) const {
  if (!timeout_.adapts || seconds_.empty())
    return std::numeric_limits<double>::infinity();
  const double usual_s =
      median(seconds_) * std::max(1.0, known_of / static_cast<double>(seconds_.size()));
  return last ? std::max(least_in_the_end_s, unusual_in_the_end * usual_s)
              : std::max(least_s, unusual * usual_s);
}

double CompilePatience::wait_in_the_end_s(double search_s, std::size_t compiled, std::size_t open) {
  const double each_s = search_s / static_cast<double>(std::max<std::size_t>(compiled, 1));
  return std::max({least_in_the_end_s, as_many * each_s * static_cast<double>(open),
                   std::min(search_s, longest_in_the_end_s)});
}

bool CompilePatience::is_unusual(double for_s) const {
  return seconds_.empty() || for_s > unusual * median(seconds_);
}

double CompilePatience::give_up_after_s() const {
  return timeout_.adapts ? std::numeric_limits<double>::infinity() : timeout_.seconds;
}

} // namespace gridsmith
