// SPDX-License-Identifier: Apache-2.0
// Tree-ensemble search: extremely randomised trees learn log cost less the launch mean, expected
// improvement times the chance of running chooses from a pool of candidates.
#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/trees.hpp"
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace gridsmith {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;
using Eigen::VectorXf;

constexpr std::size_t pool_size = 512;    // prediction costs trees x depth each
constexpr std::size_t tree_count = 30;    // more did not pay
constexpr std::size_t least_grown = 6;    // answers before the first forest
constexpr double growth = 1.06;           // of the answers before it is grown again
constexpr double renewal = 1.3;           // of the answers before the pool is renewed
constexpr std::size_t most_rows = 512;    // answers learnt from: the best half and the last half
constexpr std::size_t forest_batch = 4;   // the trees' spread keeps the best few apart
constexpr std::size_t forest_centres = 5; // best measured, whose neighbours join the pool
constexpr float least_success = 0.02f;    // of running: a failure nearby is no proof

class Forest final : public ProposingStrategy {
public:
  explicit Forest(const SearchProblem& problem)
      : ProposingStrategy(problem), describer_(space(), {}, true),
        pool_(describer_, pool_size, random()), design_(spread_design(describer_, random())) {}

  std::size_t batch() const override { return forest_batch; }

private:
  struct Seen {
    ConfigurationId id;
    LearnedCost cost;
  };

  std::vector<ConfigurationId> propose(std::size_t count) override;
  void learn(std::span<const Observation> observations) override;
  std::vector<ConfigurationId> likely_next(std::size_t count) const override;

  void update();
  void grow();
  void renew();
  void score();
  std::vector<std::size_t> ranked() const;
  ArrayXf believed(const Eigen::MatrixXf& rows) const;
  std::vector<std::size_t> learnt_rows() const;

  const Describer describer_;
  CandidatePool pool_;
  std::vector<ConfigurationId> design_;
  std::size_t design_next_ = 0;
  std::vector<Seen> seen_;
  ExtraTrees trees_;
  float scale_ = 0; ///< standard deviation of the targets: the expert mean's unit
  float best_ = 0;  ///< lowest target
  ArrayXf value_;   ///< per candidate; empty before the first forest
  std::size_t next_growth_ = least_grown;
  std::size_t next_renewal_ = 2 * least_grown;
};

ArrayXf Forest::believed(const Eigen::MatrixXf& rows) const {
  ArrayXf out = ArrayXf::Zero(rows.rows());
  const auto first = static_cast<Index>(describer_.features().size());
  for (std::size_t t = 0; t < describer_.terms().size(); ++t)
    out += describer_.terms()[t].mean * rows.col(first + static_cast<Index>(t)).array();
  return scale_ * out;
}

/// Indices into seen_ of what the forest learns from.
std::vector<std::size_t> Forest::learnt_rows() const {
  std::vector<std::size_t> order(seen_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most_rows)
    return order;
  const auto old_end = order.end() - most_rows / 2;
  std::stable_sort(order.begin(), old_end, [&](std::size_t a, std::size_t b) {
    const LearnedCost &left = seen_[a].cost, &right = seen_[b].cost;
    return left.valid != right.valid ? left.valid : left.log_cost < right.log_cost;
  });
  order.erase(order.begin() + most_rows / 2, old_end);
  return order;
}

void Forest::grow() {
  std::vector<ConfigurationId> ids;
  std::vector<LearnedCost> learnt;
  for (const std::size_t i : learnt_rows()) {
    ids.push_back(seen_[i].id);
    learnt.push_back(seen_[i].cost);
  }
  const std::vector<double> costs = learning_targets(learnt);
  VectorXf targets =
      Eigen::Map<const Eigen::VectorXd>(costs.data(), std::ssize(costs)).cast<float>();
  VectorXf failed(targets.size());
  best_ = targets.maxCoeff();
  for (Index i = 0; i < targets.size(); ++i) {
    const bool valid = learnt[static_cast<std::size_t>(i)].valid;
    failed[i] = valid ? 0.0f : 1.0f;
    if (valid)
      best_ = std::min(best_, targets[i]);
  }
  scale_ = std::sqrt((targets.array() - targets.mean()).square().mean());
  const Eigen::MatrixXf rows = describer_.rows(ids);
  targets -= believed(rows).matrix();
  trees_.grow(rows.leftCols(static_cast<Index>(describer_.features().size())), targets, failed,
              tree_count, random());
}

void Forest::score() {
  const ExtraTrees::Prediction seen = trees_.predict(pool_.rows());
  value_ = expected_improvement(seen.mean + believed(pool_.rows()), seen.deviation, best_) *
           (1.0f - seen.failing).max(least_success);
}

void Forest::renew() {
  std::vector<Seen> best = seen_;
  std::erase_if(best, [](const Seen& seen) { return !seen.cost.valid; });
  std::stable_sort(best.begin(), best.end(),
                   [](const Seen& a, const Seen& b) { return a.cost.log_cost < b.cost.log_cost; });
  std::vector<ConfigurationId> around;
  for (std::size_t i = 0; i < std::min(forest_centres, best.size()); ++i)
    around.push_back(best[i].id);
  const auto score_rows = [&](const Eigen::MatrixXf& rows) -> ArrayXf {
    const ExtraTrees::Prediction seen = trees_.predict(rows);
    return seen.mean + believed(rows) - seen.deviation;
  };
  pool_.renew(score_rows(pool_.rows()), around, score_rows);
}

void Forest::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    pool_.use(observation.id);
    seen_.push_back({observation.id, {observation.cost.has_value()}});
    if (observation.cost)
      seen_.back().cost.log_cost = std::log(*observation.cost);
  }
}

/// Grows and scores again when enough was learnt since; only before an ask, so that answers of
/// others cost nothing.
void Forest::update() {
  if (seen_.size() < next_growth_)
    return;
  grow();
  next_growth_ = static_cast<std::size_t>(growth * static_cast<double>(seen_.size())) + 1;
  if (seen_.size() >= next_renewal_) {
    renew();
    next_renewal_ = static_cast<std::size_t>(renewal * static_cast<double>(seen_.size())) + 1;
  }
  score();
}

/// Candidates not asked yet, best first.
std::vector<std::size_t> Forest::ranked() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < static_cast<std::size_t>(value_.size()); ++i)
    if (!asked(pool_.id(i)) && !pool_.used(i))
      order.push_back(i);
  return order;
}

std::vector<ConfigurationId> Forest::propose(std::size_t count) {
  std::vector<ConfigurationId> out;
  while (design_next_ < design_.size() && out.size() < count)
    if (!asked(design_[design_next_++]))
      out.push_back(design_[design_next_ - 1]);
  if (out.size() == count)
    return out;
  update();
  for (const ConfigurationId id : likely_next(count - out.size()))
    out.push_back(id);
  return out;
}

std::vector<ConfigurationId> Forest::likely_next(std::size_t count) const {
  std::vector<std::size_t> order = ranked();
  const std::size_t top = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const float left = value_[static_cast<Index>(a)];
                      const float right = value_[static_cast<Index>(b)];
                      return left > right || (left == right && a < b);
                    });
  std::vector<ConfigurationId> out;
  for (std::size_t i = 0; i < top; ++i)
    out.push_back(pool_.id(order[i]));
  return out;
}

} // namespace

std::unique_ptr<Strategy> make_forest(const SearchProblem& problem) {
  return std::make_unique<Forest>(problem);
}

} // namespace gridsmith
