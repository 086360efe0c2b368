// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/loops.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Instructions that are run one after the other, and the blocks that may follow.
struct Block {
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> next, before;
};

bool branches(const MachineInstruction& one) {
  return one.target || one.ends_flow() || one.name() == "BRX";
}

std::vector<std::size_t> begins_of(std::span<const MachineInstruction> code) {
  std::set<std::size_t> begins{0};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].target)
      begins.insert(*code[i].target);
    if (branches(code[i]) && i + 1 < code.size())
      begins.insert(i + 1);
  }
  return {begins.begin(), begins.end()};
}

class Graph {
public:
  explicit Graph(std::span<const MachineInstruction> code) : code_(code) {
    const std::vector<std::size_t> begins = begins_of(code);
    for (std::size_t i = 0; i < begins.size(); ++i)
      blocks_.push_back({begins[i], i + 1 < begins.size() ? begins[i + 1] : code.size(), {}, {}});
    connect();
    connect_by_register();
    order();
    dominate();
  }

  std::vector<CodeLoop> loops() const {
    std::map<std::size_t, std::set<std::size_t>> bodies; // head -> blocks
    for (const std::size_t block : order_)
      for (const std::size_t next : blocks_[block].next)
        if (dominates(next, block) && !ends_code(block) && !calls(block, next))
          add_ways(next, block, bodies[next]);
    std::vector<CodeLoop> found;
    for (const auto& [head, body] : bodies)
      found.push_back(loop_of(head, body, bodies));
    return found;
  }

private:
  void connect(std::size_t from, std::size_t to) {
    blocks_[from].next.push_back(to);
    blocks_[to].before.push_back(from);
  }

  std::size_t block_at(std::size_t position) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), position,
                                        [](std::size_t p, const Block& b) { return p < b.begin; });
    return static_cast<std::size_t>(after - blocks_.begin()) - 1;
  }

  const MachineInstruction& last_of(std::size_t block) const {
    return code_[blocks_[block].end - 1];
  }

  /// "BRA ." after the last instruction.
  bool ends_code(std::size_t block) const {
    return last_of(block).target == blocks_[block].end - 1;
  }

  /// A function that calls itself is no loop.
  bool calls(std::size_t block, std::size_t next) const {
    return last_of(block).name() == "CALL" && next != block + 1;
  }

  void connect() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (last_of(i).target)
        connect(i, block_at(*last_of(i).target));
      if (!last_of(i).ends_flow() && i + 1 < blocks_.size())
        connect(i, i + 1);
    }
  }

  void connect_by_register() {
    std::vector<std::size_t> from, to;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (last_of(i).name() == "BRX")
        from.push_back(i);
      if (i > 0 && blocks_[i].before.empty())
        to.push_back(i);
    }
    for (const std::size_t i : from)
      for (const std::size_t j : to)
        connect(i, j);
  }

  /// Reverse postorder from the begin, then from each block that is not reached.
  void order() {
    places_.assign(blocks_.size() + 1, 0);
    std::vector<bool> seen(blocks_.size());
    for (std::size_t root = 0; root < blocks_.size(); ++root)
      if (!seen[root]) {
        roots_.push_back(root);
        visit(root, seen);
      }
    std::reverse(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i)
      places_[order_[i]] = i + 1;
  }

  void visit(std::size_t root, std::vector<bool>& seen) {
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}}; // block, its next way
    seen[root] = true;
    while (!path.empty()) {
      auto& [block, way] = path.back();
      if (way == blocks_[block].next.size()) {
        order_.push_back(block);
        path.pop_back();
        continue;
      }
      const std::size_t next = blocks_[block].next[way++];
      if (!seen[next]) {
        seen[next] = true;
        path.emplace_back(next, 0);
      }
    }
  }

  /// By iteration over the order until nothing changes (Cooper, Harvey, Kennedy 2001). Above all
  /// roots stands one place that is no block.
  void dominate() {
    const std::size_t top = blocks_.size();
    immediate_.assign(blocks_.size() + 1, none);
    immediate_[top] = top;
    for (const std::size_t root : roots_)
      immediate_[root] = top;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t block : order_) {
        std::size_t common = immediate_[block] == top ? top : none;
        for (const std::size_t before : blocks_[block].before)
          if (immediate_[before] != none)
            common = common == none ? before : meet(common, before);
        changed = changed || immediate_[block] != common;
        immediate_[block] = common;
      }
    }
  }

  /// The nearest that dominates both.
  std::size_t meet(std::size_t a, std::size_t b) const {
    while (a != b) {
      std::size_t& later = places_[a] > places_[b] ? a : b;
      later = immediate_[later];
    }
    return a;
  }

  bool dominates(std::size_t above, std::size_t block) const {
    while (block != above && block != blocks_.size())
      block = immediate_[block];
    return block == above;
  }

  /// All blocks from which `last` is reached without passing the head.
  void add_ways(std::size_t head, std::size_t last, std::set<std::size_t>& body) const {
    body.insert(head);
    std::vector<std::size_t> open{last};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (body.insert(block).second)
        open.insert(open.end(), blocks_[block].before.begin(), blocks_[block].before.end());
    }
  }

  CodeLoop loop_of(std::size_t head, const std::set<std::size_t>& body,
                   const std::map<std::size_t, std::set<std::size_t>>& all) const {
    CodeLoop loop;
    loop.head = blocks_[head].begin;
    for (const std::size_t block : body)
      for (std::size_t i = blocks_[block].begin; i < blocks_[block].end; ++i)
        loop.body.push_back(i);
    for (const auto& [other, blocks] : all)
      if (other != head) {
        loop.depth += blocks.contains(head) ? 1 : 0;
        loop.innermost = loop.innermost && !body.contains(other);
      }
    return loop;
  }

  std::span<const MachineInstruction> code_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> order_, places_, roots_; ///< places in the order, from 1
  std::vector<std::size_t> immediate_;              ///< the next that every way passes
};

} // namespace

std::vector<CodeLoop> find_loops(std::span<const MachineInstruction> code) {
  return code.empty() ? std::vector<CodeLoop>{} : Graph(code).loops();
}

} // namespace gridsmith
