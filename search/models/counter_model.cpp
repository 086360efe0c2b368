#include "gridsmith/search/models/counter_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gridsmith {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

constexpr std::size_t least_counted = 4;  // observations with counters before a model is tried
constexpr std::size_t most_points = 80;   // observations the process holds: its cost is cubic
constexpr std::size_t most_channels = 12; // each costs a column of every prediction
constexpr std::size_t few_busy = 3;       // with fewer busy times than this, amounts count as well
constexpr double least_busy = 0.5;        // percent: a unit that is never busier does not matter
constexpr double busy_floor = 0.5;        // percent
constexpr double amount_floor = 1e-3;     // of the largest
constexpr double same_within = 0.02;      // log: two channels closer than this say the same
constexpr double shrinkage = 0.01; // ridge on the weights, in relative squared error per unit
constexpr int weight_rounds = 40;  // of coordinate descent
constexpr double refit_growth =
    1.25; // lengths are learned anew when the observations have grown so
constexpr int first_steps = 25, later_steps = 8;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool is_work(CounterKind kind) {
  return kind == CounterKind::busy || kind == CounterKind::amount;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

CounterKind kind_of_counter(std::string_view name) {
  // <unit>__<what>.<rollup>[.<submetric>], NVIDIA Nsight Compute's metric naming convention
  if (has(name, "time_duration") || has(name, "cycles_elapsed"))
    return CounterKind::none;
  const bool percent = has(name, ".pct_of_peak_sustained");
  if (has(name, "warps_active"))
    return percent ? CounterKind::occupancy : CounterKind::none;
  if (has(name, "cycles_active") && !has(name, "pipe"))
    return CounterKind::none; // how long the chip was on: the cost over again
  if (percent)
    return CounterKind::busy;
  return name.ends_with(".sum") ? CounterKind::amount : CounterKind::none;
}

std::optional<double> occupancy_percent(const std::map<std::string, double>& facts) {
  for (const auto& [name, value] : facts)
    if (kind_of_counter(name) == CounterKind::occupancy && value > 0)
      return value;
  if (const auto predicted = facts.find("occupancy");
      predicted != facts.end() && predicted->second > 0)
    return 100 * predicted->second;
  return std::nullopt;
}

CounterModel::CounterModel(Index inputs) : process_(inputs) {
}

double CounterModel::Observed::counter(std::size_t index) const {
  return index < counters.size() ? counters[index] : unknown;
}

std::size_t CounterModel::index_of(const std::string& name) {
  const auto found = index_.find(name);
  if (found != index_.end())
    return found->second;
  index_.emplace(name, names_.size());
  kinds_.push_back(kind_of_counter(name));
  names_.push_back(name);
  return names_.size() - 1;
}

void CounterModel::add(const VectorXd& point, double cost,
                       const std::map<std::string, double>& facts) {
  Observed one{point, {}, unknown};
  if (const auto predicted = facts.find("occupancy");
      predicted != facts.end() && predicted->second > 0)
    one.occupancy = 100 * predicted->second;
  bool any = false;
  for (const auto& [name, value] : facts) {
    const std::size_t index = index_of(name);
    if (kinds_[index] == CounterKind::occupancy && value > 0)
      one.occupancy = value;
    if (!is_work(kinds_[index]) || !std::isfinite(value))
      continue;
    one.counters.resize(names_.size(), unknown);
    one.counters[index] = value;
    any = true;
  }
  with_counters_ += any ? 1 : 0;
  observed_.push_back(std::move(one));
  log_costs_.push_back(std::log(std::max(cost, 1e-12)));
}

bool CounterModel::usable() const {
  return with_counters_ >= least_counted && 3 * with_counters_ >= observed_.size();
}

bool CounterModel::counted(std::size_t row) const {
  return std::all_of(
             channels_.begin(), channels_.end(),
             [&](const Channel& c) { return std::isfinite(observed_[row].counter(c.counter)); }) &&
         (!with_occupancy_ || std::isfinite(observed_[row].occupancy));
}

std::vector<std::size_t> CounterModel::active() const {
  std::vector<std::size_t> rows(observed_.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most_points)
    return rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return log_costs_[a] < log_costs_[b]; });
  const auto best = rows.begin() + most_points / 2;
  std::sort(best, rows.end(), std::greater<>());
  rows.resize(most_points);
  std::sort(rows.begin(), rows.end());
  return rows;
}

double CounterModel::log_work(const Channel& channel, std::size_t row) const {
  const double value = observed_[row].counter(channel.counter);
  return std::log(std::max(value, channel.floor) / channel.reference) +
         (channel.kind == CounterKind::busy ? log_costs_[row] : 0);
}

bool CounterModel::add_channel(std::size_t counter, const std::vector<std::size_t>& rows,
                               MatrixXd& work) {
  Channel channel{counter, kinds_[counter], 100, 0};
  double least = std::numeric_limits<double>::infinity(), most = 0, cost = 0;
  for (const std::size_t row : rows) {
    const double value = observed_[row].counter(counter);
    if (!std::isfinite(value))
      return false;
    least = std::min(least, value);
    most = std::max(most, value);
    cost += log_costs_[row] / static_cast<double>(rows.size());
  }
  const bool busy = channel.kind == CounterKind::busy;
  if (most <= (busy ? least_busy : 0))
    return false;
  if (!busy)
    channel.reference = most / std::exp(cost); // so that weights are of the same size
  if (least <= 0)
    channel.floor = busy ? busy_floor : amount_floor * most;
  VectorXd logs(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    logs[static_cast<Index>(i)] = log_work(channel, rows[i]);
  for (Index c = 0; c < work.cols(); ++c) {
    const VectorXd gap = logs - work.col(c);
    if ((gap.array() - gap.mean()).abs().maxCoeff() < same_within)
      return false;
  }
  work.conservativeResize(logs.size(), work.cols() + 1);
  work.col(work.cols() - 1) = logs;
  channels_.push_back(channel);
  return true;
}

/// Busy times where there are some, amounts as well where there are few; each once.
void CounterModel::choose_channels(const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> with;
  for (const std::size_t row : rows)
    if (!observed_[row].counters.empty())
      with.push_back(row);
  channels_.clear();
  MatrixXd work(static_cast<Index>(with.size()), 0);
  for (const CounterKind kind : {CounterKind::busy, CounterKind::amount}) {
    if (kind == CounterKind::amount && channels_.size() >= few_busy)
      break;
    for (const auto& [name, counter] : index_)
      if (kinds_[counter] == kind && channels_.size() < most_channels)
        add_channel(counter, with, work);
  }
  with_occupancy_ = std::all_of(with.begin(), with.end(), [&](std::size_t row) {
    return std::isfinite(observed_[row].occupancy);
  });
}

/// Where some were not counted: what the others foretell, as if it had been counted.
void CounterModel::fill_uncounted(const std::vector<std::size_t>& rows, const MatrixXd& points,
                                  MatrixXd& outputs) {
  std::vector<Index> with, without;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (counted(rows[i]) ? with : without).push_back(static_cast<Index>(i));
  if (without.empty() || with.empty())
    return;
  const Index width = outputs.cols() - 1;
  process_.condition(points(with, Eigen::all), outputs(with, Eigen::seqN(0, width)));
  outputs(without, Eigen::seqN(0, width)) =
      process_.means(process_.correlate(points(without, Eigen::all)));
}

Index CounterModel::latency_terms() const {
  return with_occupancy_ ? static_cast<Index>(channels_.size()) : 0;
}

MatrixXd CounterModel::terms(const MatrixXd& logs) const {
  const auto n = static_cast<Index>(channels_.size());
  MatrixXd out(logs.rows(), n + latency_terms());
  out.leftCols(n) = logs.leftCols(n).array().exp();
  if (with_occupancy_)
    out.rightCols(n) = out.leftCols(n).array().colwise() * (-logs.col(n).array()).exp();
  return out;
}

/// Non-negative least squares of the relative error, with a ridge, by coordinate descent.
void CounterModel::weigh(const MatrixXd& logs, const VectorXd& log_costs) {
  const MatrixXd relative = terms(logs).array().colwise() * (-log_costs.array()).exp();
  MatrixXd gram = relative.transpose() * relative;
  const VectorXd target = relative.colwise().sum();
  gram.diagonal().array() += shrinkage;
  if (weights_.size() != target.size())
    weights_ = VectorXd::Constant(target.size(), 0.1);
  for (int round = 0; round < weight_rounds; ++round)
    for (Index t = 0; t < target.size(); ++t)
      weights_[t] =
          std::max(0.0, weights_[t] - (gram.row(t).dot(weights_) - target[t]) / gram(t, t));
}

void CounterModel::refresh() {
  const std::vector<std::size_t> rows = active();
  choose_channels(rows);
  const auto n = static_cast<Index>(rows.size());
  const auto units = static_cast<Index>(channels_.size());
  MatrixXd points(n, observed_.front().point.size());
  MatrixXd outputs(n, units + (with_occupancy_ ? 1 : 0) + 1);
  VectorXd costs(n);
  for (Index i = 0; i < n; ++i) {
    const std::size_t row = rows[static_cast<std::size_t>(i)];
    points.row(i) = observed_[row].point;
    costs[i] = log_costs_[row];
    for (Index c = 0; c < units; ++c)
      outputs(i, c) = log_work(channels_[static_cast<std::size_t>(c)], row);
    if (with_occupancy_)
      outputs(i, units) = std::log(observed_[row].occupancy / 100);
  }
  fill_uncounted(rows, points, outputs);
  weigh(outputs, costs);
  outputs.col(outputs.cols() - 1) =
      costs.array() - (terms(outputs) * weights_).array().max(1e-12).log();
  if (size() >= learn_at_) {
    process_.learn(points, outputs, learn_at_ == 0 ? first_steps : later_steps);
    learn_at_ = static_cast<std::size_t>(std::ceil(static_cast<double>(size()) * refit_growth));
  } else {
    process_.condition(points, outputs);
  }
}

/// Log of the sum of terms plus what it leaves open; an error of a unit's work counts by its share.
CostOutlook CounterModel::assemble(MatrixXd outputs, const VectorXd& variance,
                                   const std::vector<double>& occupancies) const {
  const auto units = static_cast<Index>(channels_.size());
  const VectorXd& spread = process_.spread();
  const Index open = outputs.cols() - 1;
  for (std::size_t i = 0; with_occupancy_ && i < occupancies.size(); ++i)
    if (std::isfinite(occupancies[i]))
      outputs(static_cast<Index>(i), units) = std::log(std::max(occupancies[i], 0.1) / 100);
  const MatrixXd parts = terms(outputs) * weights_.asDiagonal();
  const VectorXd whole = parts.rowwise().sum().cwiseMax(1e-12);
  MatrixXd shares = parts.leftCols(units);
  VectorXd doubt = VectorXd::Constant(outputs.rows(), spread[open]);
  if (with_occupancy_) {
    shares += parts.rightCols(units);
    const VectorXd latency = parts.rightCols(units).rowwise().sum().cwiseQuotient(whole);
    doubt += latency.cwiseAbs2() * spread[units];
  }
  shares.array().colwise() /= whole.array();
  doubt += shares.cwiseAbs2() * spread.head(units);
  return {outputs.col(open).array() + whole.array().log(), doubt.cwiseProduct(variance)};
}

CostOutlook CounterModel::glance(const MatrixXd& points, const MatrixXf& correlations) const {
  return assemble(process_.means(correlations), process_.variance_bounds(points, correlations), {});
}

CostOutlook CounterModel::estimate(const MatrixXd& points, const MatrixXf& correlations,
                                   const std::vector<double>& occupancies) const {
  return assemble(process_.means(correlations), process_.variances(points, correlations),
                  occupancies);
}

std::vector<UnitShare> CounterModel::bottlenecks(const VectorXd& point) const {
  const MatrixXd outputs = process_.means(process_.correlate(point.transpose()));
  const VectorXd parts = terms(outputs).row(0).transpose().cwiseProduct(weights_);
  const double whole = std::max(parts.sum(), 1e-12);
  std::vector<UnitShare> out;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const auto at = static_cast<Index>(c);
    double part = parts[at];
    if (with_occupancy_)
      part += parts[at + static_cast<Index>(channels_.size())];
    out.push_back({names_[channels_[c].counter], part / whole});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const UnitShare& a, const UnitShare& b) { return a.share > b.share; });
  return out;
}

} // namespace gridsmith
