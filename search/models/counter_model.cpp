// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/counter_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXf;

constexpr std::size_t least_counted = 4;  // observations with counters before a model is tried
constexpr std::size_t most_channels = 12; // each costs a column of every prediction
constexpr std::size_t few_busy = 3;       // with fewer busy times than this, amounts count as well
constexpr double least_busy = 0.5;        // percent: a unit that is never busier does not matter
constexpr double busy_floor = 0.5;        // percent
constexpr double amount_floor = 1e-3;     // of the largest
constexpr double least_occupancy = 0.1;   // percent
constexpr float same_within = 0.02f;      // log: two channels closer than this say the same
constexpr float shrinkage = 0.01f; // ridge on the weights, in relative squared error per unit
constexpr int weight_rounds = 40;  // of coordinate descent
constexpr float least_cost = 1e-12f;

bool is_work(CounterRole kind) {
  return kind == CounterRole::busy || kind == CounterRole::amount;
}

bool counted(const CounterModel::Row& row) {
  return row.reading && row.reading->counted();
}

} // namespace

std::optional<double> CounterModel::Reading::counter(std::size_t index) const {
  return index < counters.size() ? counters[index] : std::nullopt;
}

std::size_t CounterModel::index_of(const std::string& name) {
  const auto [entry, added] = index_.emplace(name, kinds_.size());
  if (added)
    kinds_.push_back(kind_of_counter(name));
  return entry->second;
}

CounterModel::Reading CounterModel::read(const std::map<std::string, double>& facts) {
  Reading reading{{}, occupancy_percent(facts)};
  for (const auto& [name, value] : facts) {
    const std::size_t index = index_of(name);
    if (!is_work(kinds_[index]) || !std::isfinite(value))
      continue;
    reading.counters.resize(kinds_.size());
    reading.counters[index] = value;
  }
  return reading;
}

bool CounterModel::usable(const std::vector<Row>& rows) {
  const auto with = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), counted));
  return with >= least_counted && 3 * with >= rows.size();
}

bool CounterModel::complete(const Row& row) const {
  return counted(row) && (!with_occupancy_ || row.reading->occupancy) &&
         std::all_of(channels_.begin(), channels_.end(), [&](const Channel& channel) {
           return row.reading->counter(channel.counter).has_value();
         });
}

/// @pre the row tells the channel's counter
float CounterModel::log_work(const Channel& channel, const Row& row) const {
  const double value = *row.reading->counter(channel.counter);
  return static_cast<float>(std::log(std::max(value, channel.floor) / channel.reference) +
                            (channel.kind == CounterRole::busy ? row.log_cost : 0));
}

bool CounterModel::add_channel(std::size_t counter, const std::vector<Row>& rows, MatrixXf& work) {
  Channel channel{counter, kinds_[counter], 100, 0};
  double least = std::numeric_limits<double>::infinity(), most = 0, cost = 0;
  for (const Row& row : rows) {
    const auto value = row.reading->counter(counter);
    if (!value)
      return false;
    least = std::min(least, *value);
    most = std::max(most, *value);
    cost += row.log_cost / static_cast<double>(rows.size());
  }
  const bool busy = channel.kind == CounterRole::busy;
  if (most <= (busy ? least_busy : 0))
    return false;
  if (!busy)
    channel.reference = most / std::exp(cost); // so that weights are of the same size
  if (least <= 0)
    channel.floor = busy ? busy_floor : amount_floor * most;
  VectorXf logs(std::ssize(rows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    logs[static_cast<Index>(i)] = log_work(channel, rows[i]);
  for (Index c = 0; c < work.cols(); ++c) {
    const ArrayXf gap = (logs - work.col(c)).array();
    if ((gap - gap.mean()).abs().maxCoeff() < same_within)
      return false;
  }
  work.conservativeResize(logs.size(), work.cols() + 1);
  work.col(work.cols() - 1) = logs;
  channels_.push_back(channel);
  return true;
}

/// Busy times where there are some, amounts as well where there are few; each once.
void CounterModel::choose_channels(const std::vector<Row>& rows) {
  std::vector<Row> with;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(with), counted);
  channels_.clear();
  MatrixXf work(std::ssize(with), 0);
  for (const CounterRole kind : {CounterRole::busy, CounterRole::amount}) {
    if (kind == CounterRole::amount && channels_.size() >= few_busy)
      break;
    for (const auto& [name, counter] : index_)
      if (kinds_[counter] == kind && channels_.size() < most_channels)
        add_channel(counter, with, work);
  }
  with_occupancy_ = std::all_of(with.begin(), with.end(),
                                [](const Row& row) { return row.reading->occupancy.has_value(); });
}

/// Where some were not counted: what the others foretell, as if it had been counted.
void CounterModel::fill_uncounted(const std::vector<Row>& rows, const Foretell& foretell,
                                  MatrixXf& outputs) const {
  Indices with, without;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (complete(rows[i]) ? with : without).push_back(static_cast<Index>(i));
  if (without.empty())
    return;
  const auto counters = Eigen::seqN(0, outputs.cols() - 1);
  outputs(without, counters) = foretell(with, outputs(with, counters), without);
}

MatrixXf CounterModel::terms(const MatrixXf& logs) const {
  const Index n = units();
  MatrixXf out(logs.rows(), with_occupancy_ ? 2 * n : n);
  out.leftCols(n) = logs.leftCols(n).array().exp();
  if (with_occupancy_)
    out.rightCols(n) = out.leftCols(n).array().colwise() * (-logs.col(n).array()).exp();
  return out;
}

/// Non-negative least squares of the relative error, with a ridge, by coordinate descent.
void CounterModel::weigh(const MatrixXf& logs, const ArrayXf& log_costs) {
  const MatrixXf relative = terms(logs).array().colwise() * (-log_costs).exp();
  MatrixXf gram = relative.transpose() * relative;
  const VectorXf target = relative.colwise().sum();
  gram.diagonal().array() += shrinkage;
  if (weights_.size() != target.size())
    weights_ = VectorXf::Constant(target.size(), 0.1f);
  for (int round = 0; round < weight_rounds; ++round)
    for (Index t = 0; t < target.size(); ++t)
      weights_[t] =
          std::max(0.0f, weights_[t] - (gram.row(t).dot(weights_) - target[t]) / gram(t, t));
}

MatrixXf CounterModel::learn(const std::vector<Row>& rows, const Foretell& foretell) {
  choose_channels(rows);
  MatrixXf outputs(std::ssize(rows), units() + (with_occupancy_ ? 1 : 0) + 1);
  ArrayXf costs(std::ssize(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Index>(i);
    costs[at] = static_cast<float>(rows[i].log_cost);
    if (!complete(rows[i]))
      continue;
    for (Index c = 0; c < units(); ++c)
      outputs(at, c) = log_work(channels_[static_cast<std::size_t>(c)], rows[i]);
    if (with_occupancy_)
      outputs(at, units()) = static_cast<float>(std::log(*rows[i].reading->occupancy / 100));
  }
  fill_uncounted(rows, foretell, outputs);
  weigh(outputs, costs);
  outputs.rightCols(1) = costs - (terms(outputs) * weights_).array().max(least_cost).log();
  return outputs;
}

CostOutlook CounterModel::outlook(MatrixXf outputs, const ArrayXf& variance,
                                  const Eigen::ArrayXd& scales,
                                  const std::vector<std::optional<double>>& occupancies) const {
  const Index n = units(), open = outputs.cols() - 1;
  const ArrayXf spread = scales.square().cast<float>();
  for (std::size_t i = 0; with_occupancy_ && i < occupancies.size(); ++i)
    if (occupancies[i])
      outputs(static_cast<Index>(i), n) =
          static_cast<float>(std::log(std::max(*occupancies[i], least_occupancy) / 100));
  const MatrixXf parts = terms(outputs) * weights_.asDiagonal();
  const ArrayXf whole = parts.rowwise().sum().array().max(least_cost);
  MatrixXf shares = parts.leftCols(n);
  ArrayXf doubt = ArrayXf::Constant(outputs.rows(), spread[open]);
  if (with_occupancy_) {
    shares += parts.rightCols(n);
    doubt += (parts.rightCols(n).rowwise().sum().array() / whole).square() * spread[n];
  }
  shares.array().colwise() /= whole;
  doubt += (shares.cwiseAbs2() * spread.head(n).matrix()).array();
  return {outputs.col(open).array() + whole.log(), (doubt * variance).sqrt()};
}

} // namespace gridsmith
