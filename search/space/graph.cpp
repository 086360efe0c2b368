// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/graph.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace gridsmith::detail {
namespace {

constexpr std::size_t most_edges = std::size_t{1} << 26; // 1.6 GB, twice that while they grow
constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();

std::uint64_t mix_branch(std::uint64_t hash, Position position, std::uint32_t child) {
  return mix(hash, std::uint64_t{child} << 16 | position);
}

[[noreturn, gnu::cold]] void refuse_size() {
  throw InputError("the search space is too irregular to be kept: more than " +
                   std::to_string(most_edges) +
                   " values and what follows them differ; use fewer values");
}

} // namespace

ConfigurationGraph::ConfigurationGraph() : interned_(32) {
  nodes_.reserve(32);
  edges_.reserve(128);
  nodes_.push_back({0, 0, 1}); // terminal
}

ConfigurationGraph::NodeId ConfigurationGraph::add(std::span<const Branch> branches) {
  if (branches.empty())
    return dead;
  const auto same = [&](std::uint32_t i) {
    return std::ranges::equal(edges(i + 1), branches, [](const Edge& edge, const Branch& branch) {
      return edge.position == branch.first && edge.child == branch.second;
    });
  };
  const auto stored_hash = [this](std::uint32_t i) {
    std::uint64_t hash = 0;
    for (const Edge& edge : edges(i + 1))
      hash = mix_branch(hash, edge.position, edge.child);
    return hash;
  };
  std::uint64_t hash = 0;
  for (const auto& [position, child] : branches)
    hash = mix_branch(hash, position, child);
  const NodeId id = interned_.intern(hash, same, stored_hash) + 1;
  if (id < nodes_.size())
    return id;
  if (edges_.size() + branches.size() > most_edges)
    refuse_size();
  Node node{static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint32_t>(branches.size()),
            0};
  for (const auto& [position, child] : branches) {
    edges_.push_back({node.total, child, position});
    if (__builtin_add_overflow(node.total, nodes_[child].total, &node.total))
      node.total = too_many;
  }
  nodes_.push_back(node);
  return id;
}

void ConfigurationGraph::finish(NodeId root, std::vector<std::uint32_t> levels) {
  root_ = root;
  levels_ = std::move(levels);
  interned_ = InternTable();
}

void ConfigurationGraph::positions(std::uint64_t index, std::span<Position> out) const {
  NodeId node = root_;
  for (const std::uint32_t parameter : levels_) {
    const Edge* edge = edges_.data() + nodes_[node].first;
    std::uint32_t left = nodes_[node].count;
    while (left > 1) { // the last edge that begins at or before the index
      const std::uint32_t half = left / 2;
      edge += edge[half].before <= index ? half : 0;
      left -= half;
    }
    index -= edge->before;
    out[parameter] = edge->position;
    node = edge->child;
  }
}

std::optional<std::uint64_t> ConfigurationGraph::find(std::span<const Position> positions) const {
  if (root_ == dead)
    return std::nullopt;
  std::uint64_t index = 0;
  NodeId node = root_;
  for (const std::uint32_t parameter : levels_) {
    const Position wanted = positions[parameter];
    const Edge* edge = edges_.data() + nodes_[node].first;
    std::uint32_t left = nodes_[node].count;
    while (left > 1) {
      const std::uint32_t half = left / 2;
      edge += edge[half].position <= wanted ? half : 0;
      left -= half;
    }
    if (edge->position != wanted)
      return std::nullopt;
    index += edge->before;
    node = edge->child;
  }
  return index;
}

void ConfigurationGraph::each_near(std::span<const Position> positions,
                                   const std::function<void(std::uint64_t)>& visit) const {
  if (root_ == dead)
    return;
  const auto descend = [&](auto&& self, NodeId node, std::size_t level,
                           std::uint64_t index) -> void {
    if (level == levels_.size()) {
      visit(index);
      return;
    }
    const unsigned own = positions[levels_[level]];
    for (const Edge& edge : edges(node))
      if (edge.position + 1U >= own && edge.position <= own + 1U)
        self(self, edge.child, level + 1, index + edge.before);
  };
  descend(descend, root_, 0, 0);
}

void ConfigurationGraph::list(std::uint64_t first, std::uint64_t last, std::vector<Position> row,
                              Position* out) const {
  if (first >= last)
    return;
  const auto descend = [&](auto&& self, NodeId node, std::size_t level,
                           std::uint64_t index) -> void {
    if (level == levels_.size()) {
      out = std::ranges::copy(row, out).out;
      return;
    }
    Position& position = row[levels_[level]];
    for (const Edge& edge : edges(node)) {
      const std::uint64_t begin = index + edge.before;
      if (begin >= last)
        return;
      if (begin + nodes_[edge.child].total <= first)
        continue;
      position = edge.position;
      self(self, edge.child, level + 1, begin);
    }
  };
  descend(descend, root_, 0, 0);
}

} // namespace gridsmith::detail
