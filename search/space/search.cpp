#include "gridsmith/search/space/search.hpp"

#include "gridsmith/search/expression/arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace gridsmith::detail {
namespace {

constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15U; // 2^64 / golden ratio

/// What constraints mostly consist of, in line; arguments have answers, results too.
inline Word compute_plain(TermOp op, Word a, Word b, Word c) {
  switch (op) {
  case TermOp::sum:
    return a + b;
  case TermOp::product:
    return a * b;
  case TermOp::less:
    return a < b;
  case TermOp::less_equal:
    return a <= b;
  case TermOp::equal:
    return a == b;
  case TermOp::not_equal:
    return a != b;
  case TermOp::modulo:
    return modulo(a, b);
  case TermOp::logical_or:
    return a != 0 ? a : b;
  case TermOp::logical_and:
    return a == 0 ? a : b;
  default:
    return apply(op, a, b, c);
  }
}

} // namespace

std::size_t StateMemory::slot_of(const Word* state) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < width_; ++i)
    hash = ((hash >> 32) ^ hash ^ static_cast<std::uint64_t>(state[i])) * golden;
  return (hash >> 24) & (slots_.size() - 1);
}

void StateMemory::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 4), 0);
  for (std::size_t i = 0; i < used_; ++i) {
    std::size_t slot = slot_of(states_.data() + i * width_);
    while (slots_[slot] != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

ConfigurationGraph::NodeId& StateMemory::at(const Word* state, bool& known) {
  if (2 * used_ >= slots_.size())
    grow();
  std::size_t slot = slot_of(state);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
    if (std::equal(state, state + width_, states_.data() + (slots_[slot] - 1) * width_)) {
      known = true;
      return nodes_[slots_[slot] - 1];
    }
  known = false;
  states_.insert(states_.end(), state, state + width_);
  slots_[slot] = static_cast<std::uint32_t>(++used_);
  return nodes_.emplace_back(ConfigurationGraph::dead);
}

GroupSearch::GroupSearch(const ConstraintCompiler& compiler, Program program,
                         std::size_t parameters, ConfigurationGraph& graph, NodeId next,
                         bool exists_only)
    : compiler_(compiler), program_(std::move(program)), graph_(graph), next_(next),
      exists_only_(exists_only), words_(program_.constants), chosen_(program_.levels.size()),
      positions_(parameters) {
  memories_.reserve(program_.levels.size());
  std::size_t widest = 1;
  for (const Level& level : program_.levels) {
    memories_.emplace_back(level.state.size());
    widest = std::max(widest, level.state.size());
  }
  key_.resize(widest);
}

bool GroupSearch::holds(const std::vector<Instruction>& program) {
  Word* const words = words_.data();
  for (const Instruction& step : program) {
    switch (step.kind) {
    case Instruction::Kind::compute_plain:
      words[step.to] = compute_plain(step.op, words[step.a], words[step.b], words[step.c]);
      break;
    case Instruction::Kind::compute:
      words[step.to] = apply(step.op, words[step.a], words[step.b], words[step.c]);
      break;
    case Instruction::Kind::opaque:
      words[step.to] = compiler_.evaluate_opaque(step.a, positions_);
      break;
    case Instruction::Kind::require:
      trouble_ = trouble_ || words[step.a] == no_answer;
      if (words[step.a] == 0 || words[step.a] == no_answer)
        return false;
      break;
    }
  }
  return true;
}

std::uint64_t GroupSearch::fill(PairTable& table, const Level& level) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < level.words.size(); ++i) {
    words_[level.slot] = level.words[i];
    bits |= static_cast<std::uint64_t>(holds(table.program)) << i;
  }
  const std::size_t row = chosen_[table.earlier];
  table.known[row] = 1;
  return table.allowed[row] = bits;
}

std::uint64_t GroupSearch::allowed(Level& level) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (PairTable& table : level.tables) {
    const std::size_t row = chosen_[table.earlier];
    bits &= table.known[row] ? table.allowed[row] : fill(table, level);
  }
  return bits;
}

/// The first value for which the two sides stand like that; all later ones do, too.
template <class Holds>
std::size_t GroupSearch::first_that(const Level& level, const Bisection& bisection, Holds stands) {
  std::size_t low = 0, high = level.words.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    words_[level.slot] = level.words[middle];
    holds(bisection.program);
    const Word left = words_[bisection.left], right = words_[bisection.right];
    const bool reals = takes_reals(bisection.op);
    const int order = reals ? (to_real(left) > to_real(right)) - (to_real(left) < to_real(right))
                            : (left > right) - (left < right);
    if (stands(bisection.grows ? order : -order))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

std::pair<std::size_t, std::size_t> GroupSearch::range(const Level& level) {
  std::size_t first = 0, last = level.words.size();
  for (const Bisection& bisection : level.bisections) {
    const bool equality = bisection.op == TermOp::equal || bisection.op == TermOp::real_equal;
    const bool strict = bisection.op == TermOp::less || bisection.op == TermOp::real_less;
    const bool grows = bisection.grows;
    // `order` below is that of the sides, turned so that it grows with the variable.
    if (equality || !grows)
      first = std::max(first, first_that(level, bisection, [&](int order) {
                         return strict ? order > 0 : order >= 0;
                       }));
    if (equality || grows)
      last = std::min(last, first_that(level, bisection,
                                       [&](int order) { return strict ? order >= 0 : order > 0; }));
    if (first >= last)
      break;
  }
  return {first, last};
}

/// What the present state leads to from `level` on: remembered, or found out.
GroupSearch::NodeId GroupSearch::reach(std::size_t level) {
  if (level == program_.levels.size())
    return next_;
  const Level& here = program_.levels[level];
  StateMemory& memory = memories_[level];
  if (!here.repeats || memory.is_full())
    return expand(level);
  for (std::size_t i = 0; i < here.state.size(); ++i)
    key_[i] = words_[here.state[i]];
  bool known = false;
  NodeId& place = memory.at(key_.data(), known);
  // Deeper levels have memories of their own: the place stays where it is.
  return known ? place : place = expand(level);
}

GroupSearch::NodeId GroupSearch::expand(std::size_t index) {
  Level& level = program_.levels[index];
  const std::uint64_t bits = level.tables.empty() ? ~std::uint64_t{0} : allowed(level);
  const bool has_tables = !level.tables.empty();
  const std::size_t base = pending_.size();
  bool reached = false;
  NodeId child = ConfigurationGraph::dead;
  const auto [first, last] =
      level.bisections.empty() ? std::pair{std::size_t{0}, level.words.size()} : range(level);
  for (std::size_t i = first; i < last; ++i) {
    if (has_tables && !(bits >> i & 1))
      continue;
    words_[level.slot] = level.words[i];
    chosen_[index] = i;
    positions_[level.parameter] = level.positions[i];
    if (!holds(level.program))
      continue;
    if (!reached || level.changes_state)
      child = reach(index + 1);
    reached = true;
    if (child != ConfigurationGraph::dead)
      pending_.emplace_back(level.positions[i], child);
    if (exists_only_ && child != ConfigurationGraph::dead)
      break;
  }
  const NodeId node = graph_.add({pending_.data() + base, pending_.size() - base});
  pending_.resize(base);
  return node;
}

} // namespace gridsmith::detail
