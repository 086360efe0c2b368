// SPDX-License-Identifier: Apache-2.0
// Which open questions are put off, and which given up, for what their compilations take (compile_patience.hpp says how
// long is long).
#pragma once

#include "gridsmith/tuner/loop/questions.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace gridsmith {

class SlowCompilations {
public:
  explicit SlowCompilations(CompileTimeout timeout) : patience_(timeout) {}

  /// Another search: none of its questions is given up.
  void begin();

  void learn(const Measurement& answer);

  /// @param state of all evaluators
  /// @param asked_all whether all that is to be asked has been, which giving up may change
  /// @param now_s since the tuning began
  void look_after(Questions& open, const EvaluatorState& state, Order order, double now_s,
                  const std::function<bool()>& asked_all);
  /// Its answer comes like any other.
  void give_up(Question& question);

  std::size_t given_up() const { return given_up_; } ///< in this search

private:
  void give_up_in_the_end(Questions& open, const EvaluatorState& state, double now_s,
                          bool asked_all);

  CompilePatience patience_;
  std::size_t compilers_ = 0; ///< most that were at work at once
  std::size_t compiled_ = 0;  ///< answers of what was compiled to its end, or was known
  std::size_t given_up_ = 0;
  std::optional<double> idle_since_s_; ///< all is asked, and the device waits for compilers
};

std::size_t count_put_off(const Questions& open);

} // namespace gridsmith
