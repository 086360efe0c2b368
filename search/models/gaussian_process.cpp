#include "gridsmith/search/models/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::ArrayXf;
using Eigen::ArrayXXf;
using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

constexpr float least_pivot = 1e-6f; // single precision keeps the factor sound down to this
} // namespace

GaussianProcess::GaussianProcess(ProcessPrior prior)
    : features_(static_cast<Index>(prior.weights.size())),
      terms_(static_cast<Index>(prior.term_means.size())), prior_(std::move(prior)),
      weights_(Eigen::Map<const ArrayXf>(prior_.weights.data(), features_)), noise_(first_noise),
      scale_(scale_before), scale_believed_(scale_before) {
}

ArrayXf GaussianProcess::covariance(const MatrixXf& rows, const Row& row) const {
  ArrayXf out = ArrayXf::Zero(rows.rows());
  for (Index f = 0; f < features_; ++f)
    out += weights_[f] * (rows.col(f).array() - row[f]).square();
  out = (5.0f * out).sqrt();
  out = (1.0f + out + out.square() * (1.0f / 3.0f)) * (-out).exp();
  for (Index t = 0; t < terms_; ++t) {
    const float spread = prior_.term_spreads[static_cast<std::size_t>(t)];
    if (spread > 0)
      out += rows.col(features_ + t).array() * (row[features_ + t] * spread * spread);
  }
  return out;
}

float GaussianProcess::self_covariance(const Row& row) const {
  float out = 1;
  for (Index t = 0; t < terms_; ++t) {
    const float part = row[features_ + t] * prior_.term_spreads[static_cast<std::size_t>(t)];
    out += part * part;
  }
  return out;
}

/// In units of s, without the constant.
ArrayXf GaussianProcess::prior_mean(const MatrixXf& rows) const {
  ArrayXf out = ArrayXf::Zero(rows.rows());
  for (Index t = 0; t < terms_; ++t)
    out += rows.col(features_ + t).array() * prior_.term_means[static_cast<std::size_t>(t)];
  return out;
}

void GaussianProcess::set_candidates(const MatrixXf& rows) {
  pool_ = rows;
  refactor();
}

void GaussianProcess::clear() {
  observed_ = 0;
  refactor();
}

void GaussianProcess::refactor() {
  cross_.resize(pool_.rows(), std::max<Index>(factor_.cols(), 32));
  variance_ = ArrayXf::Ones(pool_.rows());
  for (Index t = 0; t < terms_; ++t) {
    const float spread = prior_.term_spreads[static_cast<std::size_t>(t)];
    variance_ += (pool_.col(features_ + t).array() * spread).square();
  }
  for (Index i = 0; i < observed_; ++i)
    extend(i);
}

void GaussianProcess::observe(const Row& row) {
  if (observed_ == places_.rows()) {
    const Index room = std::max<Index>(32, 2 * observed_);
    places_.conservativeResize(room, features_ + terms_);
    factor_.conservativeResize(room, room);
    cross_.conservativeResize(pool_.rows(), room);
  }
  places_.row(observed_) = row.transpose();
  extend(observed_++);
}

/// Row `index` of the factor and the column of the pool that belongs to it: one step of Cholesky's
/// algorithm, Rasmussen & Williams section A.4.
void GaussianProcess::extend(Index index) {
  const Row row = places_.row(index).transpose();
  float pivot = self_covariance(row) + noise_;
  ArrayXf column = covariance(pool_, row);
  if (index > 0) {
    VectorXf known = covariance(places_.topRows(index), row).matrix();
    factor_.topLeftCorner(index, index).triangularView<Eigen::Lower>().solveInPlace(known);
    factor_.row(index).head(index) = known.transpose();
    pivot -= known.squaredNorm();
    column.matrix().noalias() -= cross_.leftCols(index) * known;
  }
  const float root = std::sqrt(std::max(pivot, least_pivot));
  factor_(index, index) = root;
  cross_.col(index) = column.matrix() / root;
  variance_ -= cross_.col(index).array().square();
}

void GaussianProcess::set_targets(const VectorXf& targets) {
  const Index n = observed_;
  const auto lower = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  const ArrayXf believed = prior_mean(places_.topRows(n));
  scale_believed_ = scale_;
  const float scale_then = static_cast<float>(scale_);
  const VectorXf centred = (targets.array() - scale_then * believed).matrix();
  const VectorXf value = lower.solve(centred);
  const VectorXf one = lower.solve(VectorXf::Ones(n));
  constant_ = n > 0 ? value.dot(one) / one.squaredNorm() : 0.0;
  whitened_ = value - static_cast<float>(constant_) * one;
  mean_ = (cross_.leftCols(n) * whitened_).array() + scale_then * prior_mean(pool_) +
          static_cast<float>(constant_);
  scale_ = std::sqrt((whitened_.squaredNorm() + scale_strength * scale_before * scale_before) /
                     (static_cast<double>(n) + scale_strength));
}

ArrayXf GaussianProcess::deviation() const {
  return static_cast<float>(scale_) * variance_.max(1e-9f).sqrt();
}

ArrayXf GaussianProcess::smooth(const VectorXf& values) const {
  const Index n = observed_;
  const VectorXf whitened =
      factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(values);
  return (cross_.leftCols(n) * whitened).array();
}

ArrayXf GaussianProcess::mean_at(const MatrixXf& rows) const {
  ArrayXf out =
      static_cast<float>(scale_believed_) * prior_mean(rows) + static_cast<float>(constant_);
  if (observed_ == 0)
    return out;
  const VectorXf alpha = factor_.topLeftCorner(observed_, observed_)
                             .triangularView<Eigen::Lower>()
                             .transpose()
                             .solve(whitened_);
  for (Index i = 0; i < observed_; ++i)
    out += alpha[i] * covariance(rows, places_.row(i).transpose());
  return out;
}

} // namespace gridsmith
