// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/gaussian_process.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXf;
using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXf;

constexpr float least_pivot = 1e-6f; // single precision keeps the factor sound down to this

} // namespace

GaussianProcess::GaussianProcess(ProcessBelief belief)
    : features_(static_cast<Index>(belief.weights.size())),
      terms_(static_cast<Index>(belief.term_means.size())), belief_(std::move(belief)),
      weights_(Eigen::Map<const ArrayXf>(belief_.weights.data(), features_)), noise_(first_noise),
      scale_(ArrayXd::Constant(1, scale_before)) {
  // Without rows they have their columns all the same.
  pool_.resize(0, features_ + terms_);
  places_.resize(0, features_ + terms_);
}

ArrayXf GaussianProcess::covariance(const MatrixXf& rows, const Row& row) const {
  ArrayXf out = ArrayXf::Zero(rows.rows());
  for (Index f = 0; f < features_; ++f)
    out += weights_[f] * (rows.col(f).array() - row[f]).square();
  out = (5.0f * out).sqrt();
  out = (1.0f + out + out.square() * (1.0f / 3.0f)) * (-out).exp();
  for (Index t = 0; t < terms_; ++t) {
    const float spread = belief_.term_spreads[static_cast<std::size_t>(t)];
    if (spread > 0)
      out += rows.col(features_ + t).array() * (row[features_ + t] * spread * spread);
  }
  return out;
}

float GaussianProcess::self_covariance(const Row& row) const {
  float out = 1;
  for (Index t = 0; t < terms_; ++t) {
    const float part = row[features_ + t] * belief_.term_spreads[static_cast<std::size_t>(t)];
    out += part * part;
  }
  return out;
}

/// What the terms explain, in units of s.
ArrayXf GaussianProcess::explained_mean(const MatrixXf& rows) const {
  ArrayXf out = ArrayXf::Zero(rows.rows());
  for (Index t = 0; t < terms_; ++t)
    out += rows.col(features_ + t).array() * belief_.term_means[static_cast<std::size_t>(t)];
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
    const float spread = belief_.term_spreads[static_cast<std::size_t>(t)];
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

/// factor^-1 of the unit vectors of these places, a column each. Values there that the others
/// foretell are those of least squares against these columns: they are what the density, in which
/// all appear together, is highest at.
MatrixXf GaussianProcess::whitened_units(const std::vector<Index>& places) const {
  MatrixXf units = MatrixXf::Zero(observed_, std::ssize(places));
  for (Index k = 0; k < units.cols(); ++k)
    units(places[static_cast<std::size_t>(k)], k) = 1;
  if (units.cols() > 0) // Eigen steps over the memory that no column has
    factor_.topLeftCorner(observed_, observed_).triangularView<Eigen::Lower>().solveInPlace(units);
  return units;
}

void GaussianProcess::set_targets(const MatrixXf& targets, Index explained,
                                  const std::vector<Index>& unknown) {
  const Index n = observed_, outputs = targets.cols(), known = n - std::ssize(unknown);
  const auto lower = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  const ArrayXf here = explained_mean(places_.topRows(n)), there = explained_mean(pool_);
  if (scale_.size() != outputs)
    scale_ = ArrayXd::Constant(outputs, scale_before);
  targets_ = targets;
  explained_ = explained;
  scale_believed_ = scale_;
  constant_ = ArrayXf::Zero(outputs);
  whitened_.resize(n, outputs);
  MatrixXf free(n, 1 + n - known); // the constant, and what is unknown
  free << lower.solve(VectorXf::Ones(n)), whitened_units(unknown);
  const Eigen::LDLT<MatrixXf> squared(free.transpose() * free);
  for (Index k = 0; k < outputs; ++k) {
    VectorXf centred = targets.col(k);
    if (k < explained)
      centred -= (static_cast<float>(scale_[k]) * here).matrix();
    centred(unknown).setZero();
    whitened_.col(k) = lower.solve(centred);
    if (known > 0) {
      const VectorXf fitted = squared.solve(free.transpose() * whitened_.col(k));
      constant_[k] = fitted[0];
      whitened_.col(k).noalias() -= free * fitted;
    } else {
      whitened_.col(k).setZero();
    }
    const double squares = whitened_.col(k).squaredNorm();
    scale_[k] = std::sqrt((squares + scale_strength * scale_before * scale_before) /
                          (static_cast<double>(known) + scale_strength));
  }
  mean_.noalias() = cross_.leftCols(n) * whitened_;
  for (Index k = 0; k < outputs; ++k) {
    if (k < explained)
      mean_.col(k).array() += static_cast<float>(scale_believed_[k]) * there;
    mean_.col(k).array() += constant_[k];
  }
}

ArrayXf GaussianProcess::smooth(const VectorXf& values, const std::vector<Index>& unknown) const {
  const Index n = observed_;
  VectorXf known = values;
  known(unknown).setZero();
  VectorXf whitened = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solve(known);
  if (!unknown.empty()) {
    const MatrixXf free = whitened_units(unknown);
    whitened -= free * (free.transpose() * free).ldlt().solve(free.transpose() * whitened);
  }
  return (cross_.leftCols(n) * whitened).array();
}

MatrixXf GaussianProcess::mean_at(const MatrixXf& rows) const {
  MatrixXf out = constant_.matrix().transpose().replicate(rows.rows(), 1);
  out.leftCols(explained_) += explained_mean(rows).matrix() *
                              scale_believed_.head(explained_).cast<float>().matrix().transpose();
  if (observed_ == 0)
    return out;
  const MatrixXf alpha = factor_.topLeftCorner(observed_, observed_)
                             .triangularView<Eigen::Lower>()
                             .transpose()
                             .solve(whitened_);
  for (Index i = 0; i < observed_; ++i)
    out += covariance(rows, places_.row(i).transpose()).matrix() * alpha.row(i);
  return out;
}

MatrixXf GaussianProcess::foretell(const std::vector<Index>& known, const MatrixXf& targets,
                                   const std::vector<Index>& unknown) const {
  const MatrixXf places = places_(known, Eigen::all), elsewhere = places_(unknown, Eigen::all);
  const Index n = places.rows();
  MatrixXf among(n, n), across(elsewhere.rows(), n);
  for (Index i = 0; i < n; ++i) {
    const Row row = places.row(i).transpose();
    among.col(i) = covariance(places, row).matrix();
    across.col(i) = covariance(elsewhere, row).matrix();
  }
  among.diagonal().array() += noise_;
  const Eigen::LLT<MatrixXf> factor(among);
  const VectorXf one = factor.solve(VectorXf::Ones(n));
  const Eigen::RowVectorXf constant = (one.transpose() * targets) / one.sum();
  MatrixXf out = across * factor.solve(targets.rowwise() - constant);
  out.rowwise() += constant;
  return out;
}

} // namespace gridsmith
