// SPDX-License-Identifier: Apache-2.0
// Depth-first search over one group: runs the programs, remembers what states lead to, and adds
// what it finds to the graph.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/compiler.hpp"
#include "gridsmith/search/compile/program.hpp"
#include "gridsmith/search/space/graph.hpp"
#include "gridsmith/search/space/solver.hpp"
#include "gridsmith/search/space/watch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gridsmith::detail {

/// What each state of one level leads to.
class StateMemory {
public:
  /// @param width words per state
  explicit StateMemory(std::size_t width) : width_(width) {}

  /// The place for a state, known or not. Valid until the next call.
  ConfigurationGraph::NodeId& at(const Word* state, bool& known);

  std::size_t states() const { return nodes_.size(); }

private:
  std::uint64_t hash_of(const Word* state) const;

  std::size_t width_;
  InternTable interned_;
  std::vector<Word> states_;
  std::vector<ConfigurationGraph::NodeId> nodes_;
};

class GroupSearch {
public:
  using NodeId = ConfigurationGraph::NodeId;

  /// @param next what follows this group
  GroupSearch(const ConstraintCompiler& compiler, Program program, std::size_t parameters,
              ConfigurationGraph& graph, NodeId next, Watch& watch, SolveOptions options);

  /// The group's first node, or dead. @throws NumberTooLarge, SpaceNotBuilt
  NodeId run() { return expand(0); }

  /// Whether a constraint was undefined for something it looked at.
  bool met_undefined() const { return met_undefined_; }

private:
  NodeId expand(std::size_t level);
  NodeId reach(std::size_t level);
  SpaceProgress progress() const;
  bool holds(const std::vector<Instruction>& program);
  Word evaluate_opaque(const Instruction& step);
  NodeId reach_unanswered(std::size_t level);
  std::uint64_t allowed(Level& level);
  std::uint64_t fill(PairTable& table, const Level& level);
  /// First and one past the last value that the bisections leave.
  std::pair<std::size_t, std::size_t> range(const Level& level);
  template <class Holds>
  std::size_t first_that(const Level& level, const Bisection& bisection, Holds holds);

  const ConstraintCompiler& compiler_;
  Program program_;
  ConfigurationGraph& graph_;
  NodeId next_;
  Watch& watch_;
  SolveOptions options_;
  bool met_undefined_ = false;
  std::optional<Word> unanswered_;  ///< opaque term that the last values are too large for
  std::vector<std::uint64_t> work_; ///< per level: operations of trying all its values
  std::vector<bool> has_opaque_;    ///< per level
  std::size_t remembered_ = 0;      ///< words of all memories
  std::vector<Word> words_;
  std::vector<std::size_t> chosen_;   ///< per level: which of its values
  std::vector<Position> positions_;   ///< per parameter
  std::vector<StateMemory> memories_; ///< per level
  std::vector<ConfigurationGraph::Branch> pending_;
  std::vector<Word> key_;
};

} // namespace gridsmith::detail
