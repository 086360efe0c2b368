// SPDX-License-Identifier: Apache-2.0
// A portfolio: all members hear of every answer and take turns, and those whose asks found new
// bests get more of them. Credit is
// the area under the curve of a multi-armed bandit (Fialho, Da Costa, Schoenauer & Sebag, Analyzing
// bandit-based adaptive operator selection, 2010; OpenTuner: Ansel et al., PACT 2014, section 3.2).
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <unordered_map>

namespace gridsmith {
namespace {

constexpr std::array member_names{"bayesian", "forest", "genetic", "greedy"};
constexpr std::size_t window = 60;       // asks remembered: a member's luck changes
constexpr double exploration = 0.1;      // weight of "has not been tried lately"
constexpr std::size_t most_repeats = 16; // asks of one member for what another has asked
constexpr std::size_t shared_batch = 4;  // no more than any member asks for

class Portfolio final : public ProposingStrategy {
public:
  explicit Portfolio(const SearchProblem& problem) : ProposingStrategy(problem) {
    for (const char* name : member_names) {
      SearchProblem theirs = problem;
      theirs.seeds.clear(); // asked here, told to all
      theirs.seed = random()();
      members_.push_back(make_strategy(name, theirs));
    }
  }

  std::size_t batch() const override { return shared_batch; }

private:
  struct Ask {
    std::size_t member;
    bool paid;
  };

  std::vector<ConfigurationId> propose(std::size_t count) override;
  void learn(std::span<const Observation> observations) override;
  void unlearn(ConfigurationId id) override;
  std::vector<ConfigurationId> likely_next(std::size_t count) const override;

  std::vector<ConfigurationId> ask_member(std::size_t member, std::size_t count);
  std::vector<std::size_t> ranked() const;

  std::vector<std::unique_ptr<Strategy>> members_;
  std::unordered_map<ConfigurationId, std::size_t> askers_; ///< not told yet
  std::deque<Ask> asks_;                                    ///< the last ones told, oldest first
  double best_ = failed_cost;
};

/// Members by credit, best first. The area gives a payment of today more than one of long ago.
std::vector<std::size_t> Portfolio::ranked() const {
  std::vector<double> area(members_.size(), 0.0), uses(members_.size(), 0.0);
  for (const Ask& ask : asks_) {
    uses[ask.member] += 1;
    area[ask.member] += ask.paid ? uses[ask.member] : 0.0;
  }
  std::vector<std::pair<double, std::size_t>> credit;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const double pending = static_cast<double>(std::count_if(
        askers_.begin(), askers_.end(), [&](const auto& entry) { return entry.second == m; }));
    const double tried = uses[m] + pending;
    const double paid = uses[m] > 0 ? 2 * area[m] / (uses[m] * (uses[m] + 1)) : 0.0;
    const double rare =
        std::sqrt(2 * std::log(1.0 + static_cast<double>(asks_.size())) / std::max(tried, 0.5));
    credit.emplace_back(-(paid + exploration * rare), m);
  }
  std::stable_sort(credit.begin(), credit.end());
  std::vector<std::size_t> order;
  for (const auto& entry : credit)
    order.push_back(entry.second);
  return order;
}

/// What a member asks that nobody has asked. It hears of the rest as it was told to the others.
std::vector<ConfigurationId> Portfolio::ask_member(std::size_t member, std::size_t count) {
  std::vector<ConfigurationId> fresh;
  for (std::size_t repeat = 0; repeat < most_repeats && fresh.empty(); ++repeat) {
    const std::vector<ConfigurationId> candidates = members_[member]->ask(count);
    if (candidates.empty())
      break;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(fresh),
                 [this](ConfigurationId id) { return !asked(id); });
  }
  return fresh;
}

std::vector<ConfigurationId> Portfolio::propose(std::size_t count) {
  std::vector<ConfigurationId> out;
  for (const std::size_t member : ranked()) {
    for (const ConfigurationId id : ask_member(member, count)) {
      out.push_back(id);
      askers_.emplace(id, member);
    }
    if (!out.empty())
      break;
  }
  return out;
}

void Portfolio::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    const double cost = observation.cost.value_or(failed_cost);
    const bool better = cost < best_;
    best_ = std::min(best_, cost);
    if (const auto asker = askers_.extract(observation.id)) {
      asks_.push_back({asker.mapped(), better});
      if (asks_.size() > window)
        asks_.pop_front();
    }
  }
  for (const auto& member : members_)
    member->tell(observations);
}

void Portfolio::unlearn(ConfigurationId id) {
  askers_.erase(id);
  for (const auto& member : members_)
    member->withdraw(id);
}

std::vector<ConfigurationId> Portfolio::likely_next(std::size_t count) const {
  std::vector<ConfigurationId> out;
  for (const std::size_t member : ranked())
    for (const ConfigurationId id : members_[member]->likely(count))
      if (out.size() < count)
        out.push_back(id);
  return out;
}

} // namespace

std::unique_ptr<Strategy> make_portfolio(const SearchProblem& problem) {
  return std::make_unique<Portfolio>(problem);
}

} // namespace gridsmith
