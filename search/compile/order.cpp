// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace gridsmith::detail {
namespace {

using Mask = std::uint64_t; // of the group's variables

constexpr std::size_t most_exact = 12;   // variables: all 2^n sets are looked at up to here
constexpr std::size_t beam_width = 24;   // sets of the same size kept beyond it
constexpr double most_work = 1e8;        // steps of all estimates; about 0.2 s
constexpr double kept_by_conjunct = 0.6; // guess: what a conjunct leaves of the partial ones

struct Node {
  Mask reads = 0;    ///< variables
  Mask readers = 0;  ///< variables of the terms it is an operand of, sums and products apart
  double values = 1; ///< different ones, at most
};

/// A guess, for any set of assigned variables, at how many partial configurations the rest can tell
/// apart.
class StateEstimate {
public:
  StateEstimate(const TermTable& terms, const Group& group, std::span<const std::uint32_t> domain)
      : terms_(terms), nodes_(terms.size()), stamp_(terms.size(), 0) {
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      Node& node = nodes_[group.variables[i]];
      node.reads = Mask{1} << i;
      node.values = domain[group.variables[i]];
      domain_.push_back(node.values);
    }
    for (const TermId root : group.roots) {
      visit(root);
      roots_.push_back(nodes_[root].reads);
    }
  }

  double domain(std::size_t variable) const { return domain_[variable]; }

  /// Steps that one estimate takes.
  double work() const { return work_; }

  double states(Mask set) {
    double live = 1;
    ++round_;
    for (const TermId id : plain_)
      if ((nodes_[id].reads & ~set) == 0 && (nodes_[id].readers & ~set) != 0)
        live *= once(id);
    for (const TermId id : gathered_)
      if ((nodes_[id].reads & ~set) != 0 && (nodes_[id].reads & set) != 0)
        live *= partial(id, set);
    double all = 1;
    for (std::size_t i = 0; i < domain_.size(); ++i)
      all *= set >> i & 1 ? domain_[i] : 1;
    for (const Mask root : roots_)
      all *= (root & ~set) == 0 ? kept_by_conjunct : 1;
    return std::max(1.0, std::min(live, all));
  }

private:
  /// Arguments first; terms without variables do not count.
  void visit(TermId id) {
    Node& node = nodes_[id];
    const Term& term = terms_[id];
    if (seen(id))
      return;
    const bool in_any_order = gathers(term.op);
    for (const TermId argument : terms_.arguments(id)) {
      visit(argument);
      node.reads |= nodes_[argument].reads;
      node.values *= nodes_[argument].reads ? nodes_[argument].values : 1;
    }
    if (term.type == TermType::integer && term.op != TermOp::variable)
      node.values = std::min(node.values, term.high - term.low + 1);
    for (const TermId argument : terms_.arguments(id))
      if (!in_any_order)
        nodes_[argument].readers |= node.reads;
    if (node.reads != 0) {
      plain_.push_back(id);
      work_ += 1;
      if (in_any_order) {
        gathered_.push_back(id);
        work_ += static_cast<double>(terms_.arguments(id).size());
      }
    }
  }

  bool seen(TermId id) {
    if (visited_.empty())
      visited_.resize(nodes_.size());
    const bool before = visited_[id];
    visited_[id] = true;
    return before;
  }

  double once(TermId id) {
    if (stamp_[id] == round_)
      return 1;
    stamp_[id] = round_;
    return nodes_[id].values;
  }

  /// The part of a sum or product that is known; counted once when several share it.
  double partial(TermId id, Mask set) {
    double values = 1;
    std::size_t known = 0;
    TermId last = no_term;
    std::uint64_t key = 0;
    for (const TermId argument : terms_.arguments(id)) {
      if (nodes_[argument].reads == 0 || (nodes_[argument].reads & ~set) != 0)
        continue;
      values *= nodes_[argument].values;
      last = argument;
      key = mix(key, argument + 1);
      ++known;
    }
    if (known < 2)
      return known == 0 ? 1 : once(last);
    if (std::ranges::find(partials_.begin(), partials_.begin() + count(), key) !=
        partials_.begin() + count())
      return 1;
    if (partial_round_ != round_) {
      partial_round_ = round_;
      partials_.clear();
    }
    partials_.push_back(key);
    return std::min(values, terms_[id].high - terms_[id].low + 1);
  }

  std::ptrdiff_t count() const {
    return partial_round_ == round_ ? static_cast<std::ptrdiff_t>(partials_.size()) : 0;
  }

  const TermTable& terms_;
  std::vector<Node> nodes_;
  std::vector<bool> visited_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
  std::vector<TermId> plain_, gathered_;
  std::vector<Mask> roots_;
  std::vector<double> domain_;
  double work_ = 0;
  std::vector<std::uint64_t> partials_;
  std::uint32_t partial_round_ = 0;
};

/// The cheapest order by dynamic programming over all sets: what a set costs does not depend on the
/// order in which it was filled.
std::vector<std::size_t> exact_order(StateEstimate& estimate, std::size_t n) {
  const Mask all = (Mask{1} << n) - 1;
  std::vector<double> best(all + 1, std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> last(all + 1, 0);
  best[0] = 0;
  for (Mask set = 0; set < all; ++set) {
    const double states = estimate.states(set);
    for (std::size_t v = 0; v < n; ++v) {
      const Mask next = set | Mask{1} << v;
      const double cost = best[set] + states * estimate.domain(v);
      if (next == set || cost >= best[next])
        continue;
      best[next] = cost;
      last[next] = static_cast<std::uint8_t>(v);
    }
  }
  std::vector<std::size_t> order(n);
  Mask set = all;
  for (std::size_t i = n; i-- > 0; set &= ~(Mask{1} << order[i]))
    order[i] = last[set];
  return order;
}

struct Partial {
  Mask set = 0;
  double cost = 0;
  double states = 1;
  std::vector<std::size_t> order;
};

/// The same with only the most promising sets of each size.
std::vector<std::size_t> beam_order(StateEstimate& estimate, std::size_t n) {
  std::vector<Partial> beam(1);
  for (std::size_t size = 0; size < n; ++size) {
    std::vector<Partial> next;
    for (const Partial& partial : beam)
      for (std::size_t v = 0; v < n; ++v) {
        if (partial.set >> v & 1)
          continue;
        const Mask set = partial.set | Mask{1} << v;
        const double cost = partial.cost + partial.states * estimate.domain(v);
        const auto same = std::ranges::find(next, set, &Partial::set);
        const bool is_new = same == next.end();
        if (!is_new && same->cost <= cost)
          continue;
        Partial& kept = is_new ? next.emplace_back() : *same;
        if (is_new)
          kept.states = estimate.states(set);
        kept.set = set;
        kept.cost = cost;
        kept.order = partial.order;
        kept.order.push_back(v);
      }
    const auto worth = [](const Partial& p) { return p.cost + p.states; };
    std::ranges::sort(next, {}, worth);
    next.resize(std::min(next.size(), beam_width));
    beam = std::move(next);
  }
  return beam.front().order;
}

} // namespace

void choose_order(const TermTable& terms, Group& group, std::span<const std::uint32_t> domain) {
  const std::size_t n = group.variables.size();
  if (n < 3 || n > 64) // nothing to choose; beyond a word's bits the given order stands
    return;
  StateEstimate estimate(terms, group, domain);
  const auto sets =
      n <= most_exact ? std::exp2(static_cast<double>(n)) : static_cast<double>(n * n * beam_width);
  if (estimate.work() * sets > most_work)
    return; // constraints so long that no person wrote them: the given order stands
  const std::vector<std::size_t> order =
      n <= most_exact ? exact_order(estimate, n) : beam_order(estimate, n);
  std::vector<TermId> sorted;
  for (const std::size_t i : order)
    sorted.push_back(group.variables[i]);
  group.variables = std::move(sorted);
}

} // namespace gridsmith::detail
