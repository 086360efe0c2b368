// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/formula/share_registers.hpp"

#include <algorithm>
#include <numeric>

namespace gridsmith::detail {
namespace {

/// Instructions from the first to the last that names a register, or that a loop repeats.
struct Span {
  std::uint32_t first = ~std::uint32_t{0}, last = 0;

  bool used() const { return first <= last; }

  void take(std::uint32_t place) {
    first = std::min(first, place);
    last = std::max(last, place);
  }
};

bool jumps(FormulaAction action) {
  return action >= FormulaAction::jump && action <= FormulaAction::advance;
}

template <class Visit>
void for_registers(FormulaStep& step, const Visit& visit) {
  if (step.action < FormulaAction::stop)
    visit(step.to);
  if (step.action == FormulaAction::begin)
    return;
  visit(step.a);
  visit(step.b);
}

std::vector<Span> spans_of(std::vector<FormulaStep>& code, std::uint32_t registers) {
  std::vector<Span> spans(registers);
  for (std::uint32_t at = 0; at < code.size(); ++at)
    for_registers(code[at], [&](std::uint32_t place) {
      if ((place & formula_constant) == 0)
        spans[place].take(at);
    });
  // The first step names the result, which is there at the end.
  if ((code.front().to & formula_constant) == 0) {
    Span& result = spans[code.front().to];
    result.take(static_cast<std::uint32_t>(code.size()));
  }
  return spans;
}

std::vector<Span> loops_of(const std::vector<FormulaStep>& code) {
  std::vector<Span> loops;
  for (std::uint32_t at = 0; at < code.size(); ++at)
    if (jumps(code[at].action) && code[at].to <= at)
      loops.push_back({code[at].to, at});
  return loops;
}

/// What is named in a loop is kept through all of it: a later round may need it. Loops touch each other,
/// so until nothing changes any more.
void keep_through(const std::vector<Span>& loops, std::vector<Span>& spans) {
  for (Span& span : spans)
    for (bool changed = span.used(); changed;) {
      const Span before = span;
      for (const Span& loop : loops)
        if (span.first <= loop.last && loop.first <= span.last) {
          span.take(loop.first);
          span.take(loop.last);
        }
      changed = span.first != before.first || span.last != before.last;
    }
}

} // namespace

std::uint32_t share_registers(std::vector<FormulaStep>& code, std::uint32_t registers) {
  std::vector<Span> spans = spans_of(code, registers);
  keep_through(loops_of(code), spans);
  std::vector<std::uint32_t> order(registers), shared(registers);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return spans[a].first < spans[b].first; });
  std::vector<std::uint32_t> until{
      ~std::uint32_t{0}}; // the last use of each; that of `i` is free never
  for (const std::uint32_t one : order) {
    if (one == formula_index || !spans[one].used())
      continue;
    const auto free = std::find_if(until.begin(), until.end(),
                                   [&](std::uint32_t last) { return last < spans[one].first; });
    shared[one] = static_cast<std::uint32_t>(free - until.begin());
    if (free == until.end())
      until.push_back(spans[one].last);
    else
      *free = spans[one].last;
  }
  for (FormulaStep& step : code)
    for_registers(step, [&](std::uint32_t& place) {
      if ((place & formula_constant) == 0)
        place = shared[place];
    });
  return static_cast<std::uint32_t>(until.size());
}

} // namespace gridsmith::detail
