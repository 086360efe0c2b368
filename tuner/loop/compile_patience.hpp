// SPDX-License-Identifier: Apache-2.0
// How long one compilation is waited for while others could be asked in its place: decisions only,
// without a process or a clock.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace gridsmith {

/// What a compilation may take.
struct CompileTimeout {
  bool adapts = true; ///< to what the others of the search take
  double seconds = std::numeric_limits<double>::infinity(); ///< where it does not
};

class CompilePatience {
public:
  explicit CompilePatience(CompileTimeout timeout) : timeout_(timeout) {}

  bool adapts() const { return timeout_.adapts; }

  /// One was compiled, or cancelled, after so long. From a cache: 0, which says nothing.
  void learn(double compile_ms);

  /// Seconds after which one is deferred: it goes on, but another is asked in its place. Infinite:
  /// never, or too few are known.
  /// @param last all is asked, and compilers have nothing to do
  double put_off_after_s(bool last) const;

  /// … and after which one is cancelled where no more may be deferred.
  double hopeless_after_s(bool last) const { return 10 * put_off_after_s(last); }

  /// Seconds after which one is cancelled, whatever else there is.
  double give_up_after_s() const;

  /// Once nothing is left to be asked and only compilers have work: how long those are still waited for. As
  /// long as three times as many evaluations have taken, or, up to ten seconds, as all of the search.
  /// @param search_s what the search has taken until then
  static double wait_in_the_end_s(double search_s, std::size_t compiled, std::size_t open);

  /// Whether a compilation is cancelled when that is over.
  bool is_unusual(double for_s) const;

  /// How many may be deferred at once, so that others are compiled meanwhile.
  static std::size_t most_put_off(std::size_t compilers) { return compilers / 2; }

private:
  CompileTimeout timeout_;
  std::vector<double> seconds_; ///< ascending
};

} // namespace gridsmith
