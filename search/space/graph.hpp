// SPDX-License-Identifier: Apache-2.0
// All configurations of a space as one graph: a level per parameter, an edge per value, and parts
// that continue alike share one node. Counts on the edges give any configuration by its index.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/constraint.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gridsmith::detail {

class ConfigurationGraph {
public:
  using NodeId = std::uint32_t;
  static constexpr NodeId terminal = 0;      ///< every parameter has its value
  static constexpr NodeId dead = ~NodeId{0}; ///< nothing can follow

  /// A value and what follows it.
  using Branch = std::pair<Position, NodeId>;

  ConfigurationGraph();

  /// The node with these branches, by ascending position; dead when there are none.
  NodeId add(std::span<const Branch> branches);
  /// All that is needed. @param levels the parameter of each level, from the root on
  void finish(NodeId root, std::vector<std::uint32_t> levels);

  /// At most 2^64 - 1, which stands for anything larger.
  std::uint64_t count() const { return root_ == dead ? 0 : nodes_[root_].total; }

  std::uint64_t total(NodeId node) const { return node == dead ? 0 : nodes_[node].total; }

  /// Parameters without a level keep what is in `out`.
  void positions(std::uint64_t index, std::span<Position> out) const;
  std::optional<std::uint64_t> find(std::span<const Position> positions) const;
  /// Every configuration whose positions all differ by at most one, ascending.
  void each_near(std::span<const Position> positions,
                 const std::function<void(std::uint64_t)>& visit) const;
  /// Rows first … last-1, one after the other, each a copy of `row` with its positions set.
  void list(std::uint64_t first, std::uint64_t last, std::vector<Position> row,
            Position* out) const;

private:
  struct Node {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t total;
  };

  struct Edge {
    std::uint64_t before; ///< configurations of the node's earlier edges
    NodeId child;
    Position position;
  };

  std::span<const Edge> edges(NodeId node) const {
    return {edges_.data() + nodes_[node].first, nodes_[node].count};
  }

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  InternTable interned_; ///< while building: all nodes but the terminal, which is before them
  std::vector<std::uint32_t> levels_;
  NodeId root_ = dead;
};

} // namespace gridsmith::detail
