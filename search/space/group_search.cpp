// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/group_search.hpp"

#include <algorithm>

namespace gridsmith::detail {
namespace {

// Both bound memory, not results.
constexpr std::size_t most_states = std::size_t{1} << 22;     // of one level
constexpr std::size_t most_remembered = std::size_t{1} << 26; // words of all levels: 0.5 GiB

constexpr std::size_t levels_told = 4; // from the first one on: their values make the progress

} // namespace

std::uint64_t StateMemory::hash_of(const Word* state) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < width_; ++i)
    hash = mix(hash, static_cast<std::uint64_t>(state[i]));
  return hash;
}

ConfigurationGraph::NodeId& StateMemory::at(const Word* state, bool& known) {
  const auto stored = [this](std::uint32_t i) { return states_.data() + i * width_; };
  const auto same = [&](std::uint32_t i) { return std::equal(state, state + width_, stored(i)); };
  const auto stored_hash = [&](std::uint32_t i) { return hash_of(stored(i)); };
  const std::uint32_t entry = interned_.intern(hash_of(state), same, stored_hash);
  known = entry < nodes_.size();
  if (known)
    return nodes_[entry];
  states_.insert(states_.end(), state, state + width_);
  return nodes_.emplace_back(ConfigurationGraph::dead);
}

GroupSearch::GroupSearch(const ConstraintCompiler& compiler, Program program,
                         std::size_t parameters, ConfigurationGraph& graph, NodeId next,
                         Watch& watch, SolveOptions options)
    : compiler_(compiler), program_(std::move(program)), graph_(graph), next_(next), watch_(watch),
      options_(options), words_(program_.constants), chosen_(program_.levels.size()),
      positions_(parameters) {
  memories_.reserve(program_.levels.size());
  std::size_t widest = 1;
  for (const Level& level : program_.levels) {
    memories_.emplace_back(level.state.size());
    has_opaque_.push_back(std::ranges::any_of(level.program, [](const Instruction& step) {
      return step.kind == Instruction::Kind::opaque;
    }));
    work_.push_back(1 + level.words.size() * (1 + level.program.size()));
    widest = std::max(widest, level.state.size());
  }
  key_.resize(widest);
}

Word GroupSearch::evaluate_opaque(const Instruction& step) {
  watch_.spend(compiler_.opaque_size(step.a), [this] { return progress(); });
  const Word result = compiler_.evaluate_opaque(step.a, positions_);
  if (result == ConstraintCompiler::too_large)
    unanswered_ = step.a;
  return result;
}

bool GroupSearch::holds(const std::vector<Instruction>& program) {
  Word* const words = words_.data();
  for (const Instruction& step : program) {
    switch (step.kind) {
    case Instruction::Kind::compute_defined:
      words[step.to] = apply_defined(step.op, words[step.a], words[step.b], words[step.c]);
      break;
    case Instruction::Kind::compute:
      words[step.to] = apply(step.op, words[step.a], words[step.b], words[step.c]);
      break;
    case Instruction::Kind::opaque:
      words[step.to] = evaluate_opaque(step);
      break;
    case Instruction::Kind::require:
      met_undefined_ = met_undefined_ || words[step.a] == undefined;
      if (words[step.a] == 0 || words[step.a] == undefined)
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
    const bool equality = is_equality(bisection.op), strict = is_strict(bisection.op);
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
  if (!here.repeats || memory.states() >= most_states || remembered_ >= most_remembered)
    return expand(level);
  for (std::size_t i = 0; i < here.state.size(); ++i)
    key_[i] = words_[here.state[i]];
  bool known = false;
  NodeId& place = memory.at(key_.data(), known);
  if (known)
    return place;
  remembered_ += here.state.size() + 2; // and the node, the slots of the table
  // Deeper levels have memories of their own: the place stays where it is.
  return place = expand(level);
}

/// By the values of the first levels.
SpaceProgress GroupSearch::progress() const {
  double part = 0, step = 1;
  for (std::size_t i = 0; i < std::min(levels_told, chosen_.size()); ++i) {
    step /= static_cast<double>(program_.levels[i].words.size());
    part += step * static_cast<double>(chosen_[i]);
  }
  return {part};
}

/// A constraint has no answer for the present values: it matters where all others allow them.
GroupSearch::NodeId GroupSearch::reach_unanswered(std::size_t level) {
  const Word term = *unanswered_;
  const NodeId child = reach(level);
  if (child != ConfigurationGraph::dead && !options_.only_constrained)
    compiler_.refuse_opaque(term, positions_);
  return child;
}

GroupSearch::NodeId GroupSearch::expand(std::size_t index) {
  Level& level = program_.levels[index];
  const std::uint64_t bits = level.tables.empty() ? ~std::uint64_t{0} : allowed(level);
  const bool has_tables = !level.tables.empty(), has_opaque = has_opaque_[index];
  const std::size_t base = pending_.size();
  bool reached = false;
  NodeId child = ConfigurationGraph::dead;
  watch_.spend(work_[index], [this] { return progress(); });
  const auto [first, last] =
      level.bisections.empty() ? std::pair{std::size_t{0}, level.words.size()} : range(level);
  for (std::size_t i = first; i < last; ++i) {
    if (has_tables && !(bits >> i & 1))
      continue;
    if (has_opaque)
      unanswered_.reset();
    words_[level.slot] = level.words[i];
    chosen_[index] = i;
    positions_[level.parameter] = level.positions[i];
    if (!holds(level.program))
      continue;
    if (has_opaque && unanswered_)
      child = reach_unanswered(index + 1);
    else if (!reached || level.changes_state)
      child = reach(index + 1);
    reached = true;
    if (child != ConfigurationGraph::dead)
      pending_.emplace_back(level.positions[i], child);
    if (options_.exists_only && child != ConfigurationGraph::dead)
      break;
  }
  chosen_[index] = 0; // nothing yet, for the progress of the next one
  const NodeId node = graph_.add({pending_.data() + base, pending_.size() - base});
  pending_.resize(base);
  return node;
}

} // namespace gridsmith::detail
