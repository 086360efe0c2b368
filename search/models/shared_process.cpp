#include "gridsmith/search/models/shared_process.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

// Priors of the logs: lengths around the width of the cube, standardised outputs of unit size, and
// a noise of a twentieth; one natural-log unit of doubt each.
const double usual_noise = std::log(0.05);
constexpr double least_log_length = -3, most_log_length = 3;
constexpr double jitter = 1e-8;
// An inverse-gamma prior on each output's spread, worth this many observations of unit spread.
constexpr double spread_weight = 4;

MatrixXd squared_distances(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd squared = -2 * a * b.transpose();
  squared.colwise() += a.rowwise().squaredNorm();
  squared.rowwise() += b.rowwise().squaredNorm().transpose();
  return squared.cwiseMax(0);
}

} // namespace

struct SharedProcess::Terms {
  MatrixXd scaled; ///< points over lengths
  ArrayXXd root;   ///< sqrt(5) distance
  ArrayXXd decay;  ///< variance * exp(-root)
  MatrixXd matern, linear;
};

SharedProcess::SharedProcess(Index inputs) : inputs_(inputs), theta_(VectorXd::Zero(inputs + 3)) {
  theta_[inputs + 2] = std::log(0.1);
}

SharedProcess::Terms SharedProcess::terms() const {
  Terms parts;
  const VectorXd inverse = (-theta_.head(inputs_).array()).exp();
  parts.scaled = x_ * inverse.asDiagonal();
  parts.root = (5 * squared_distances(parts.scaled, parts.scaled).array()).sqrt();
  parts.decay = (-parts.root).exp() * std::exp(2 * theta_[inputs_]);
  parts.matern = (1 + parts.root + parts.root.square() / 3) * parts.decay;
  const MatrixXd centred = x_.rowwise() - middle_.transpose();
  parts.linear = centred * centred.transpose();
  parts.linear.array() += 1;
  parts.linear *= std::exp(2 * theta_[inputs_ + 1]);
  return parts;
}

void SharedProcess::standardise(const MatrixXd& y) {
  centre_ = y.colwise().mean();
  y_ = y.rowwise() - centre_.transpose();
  scale_ = (y_.array().square().colwise().mean().sqrt() + 1e-6).matrix();
  for (Index c = 0; c < y_.cols(); ++c)
    y_.col(c) /= scale_[c];
}

void SharedProcess::factor(const Terms& parts) {
  MatrixXd kernel = parts.matern + parts.linear;
  kernel.diagonal().array() += std::exp(2 * theta_[inputs_ + 2]) + jitter;
  factor_.compute(kernel);
  weights_ = factor_.solve(y_);
  const double n = static_cast<double>(y_.rows());
  shrink_.resize(y_.cols());
  for (Index c = 0; c < y_.cols(); ++c)
    shrink_[c] = (y_.col(c).dot(weights_.col(c)) + spread_weight) / (n + spread_weight);
  spread_ = shrink_.array() * scale_.array().square();
}

/// Of the negative log posterior with each output's spread at its mode, averaged over the outputs:
/// d/dt = tr((K⁻¹ - mean of a aᵀ / spread) dK/dt) / 2, a = K⁻¹ y; plus the prior's part.
VectorXd SharedProcess::gradient(const Terms& parts) const {
  const Index n = x_.rows();
  MatrixXd w = factor_.solve(MatrixXd::Identity(n, n));
  const MatrixXd scaled =
      weights_ *
      (shrink_.array() * static_cast<double>(y_.cols())).sqrt().inverse().matrix().asDiagonal();
  w.noalias() -= scaled * scaled.transpose();
  VectorXd out = theta_;
  out[inputs_ + 2] = theta_[inputs_ + 2] - usual_noise;
  const MatrixXd slope = w.cwiseProduct(((5.0 / 3.0) * (1 + parts.root) * parts.decay).matrix());
  const VectorXd sums = slope.rowwise().sum();
  const MatrixXd product = slope * parts.scaled;
  for (Index d = 0; d < inputs_; ++d) {
    const auto column = parts.scaled.col(d);
    out[d] += column.cwiseAbs2().dot(sums) - column.dot(product.col(d));
  }
  out[inputs_] += w.cwiseProduct(parts.matern).sum();
  out[inputs_ + 1] += w.cwiseProduct(parts.linear).sum();
  out[inputs_ + 2] += w.trace() * std::exp(2 * theta_[inputs_ + 2]);
  return out;
}

void SharedProcess::limit() {
  const auto within = [](double& value, double low, double high) {
    value = std::clamp(value, low, high);
  };
  for (Index d = 0; d < inputs_; ++d)
    within(theta_[d], least_log_length, most_log_length);
  within(theta_[inputs_], std::log(0.05), std::log(5.0));
  within(theta_[inputs_ + 1], std::log(0.01), std::log(5.0));
  within(theta_[inputs_ + 2], std::log(0.005), std::log(1.0));
}

void SharedProcess::learn(const Points& x, const MatrixXd& y, int steps) {
  x_ = x;
  middle_ = x.colwise().mean();
  standardise(y);
  VectorXd before = VectorXd::Zero(theta_.size());
  VectorXd step = VectorXd::Constant(theta_.size(), 0.2);
  for (int i = 0; i < steps; ++i) {
    const Terms parts = terms();
    factor(parts);
    const VectorXd slope = gradient(parts);
    for (Index t = 0; t < theta_.size(); ++t) {
      const double agreement = slope[t] * before[t];
      if (agreement != 0)
        step[t] = agreement > 0 ? std::min(step[t] * 1.3, 0.7) : step[t] * 0.5;
      theta_[t] -= slope[t] > 0 ? step[t] : slope[t] < 0 ? -step[t] : 0;
    }
    before = slope;
    limit();
  }
  factor(terms());
}

void SharedProcess::condition(const Points& x, const MatrixXd& y) {
  x_ = x;
  middle_ = x.colwise().mean();
  standardise(y);
  factor(terms());
}

MatrixXf SharedProcess::correlate(const Points& points) const {
  const VectorXd inverse = (-theta_.head(inputs_).array()).exp();
  const MatrixXf a = (points * inverse.asDiagonal()).cast<float>();
  const MatrixXf b = (x_ * inverse.asDiagonal()).cast<float>();
  MatrixXf out = -2 * a * b.transpose();
  out.colwise() += a.rowwise().squaredNorm();
  out.rowwise() += b.rowwise().squaredNorm().transpose();
  out = (5 * out.array().max(0.0F)).sqrt().matrix();
  const auto variance = static_cast<float>(std::exp(2 * theta_[inputs_]));
  out = ((1 + out.array() + out.array().square() / 3) * (-out.array()).exp() * variance).matrix();
  const auto slope = static_cast<float>(std::exp(theta_[inputs_ + 1]));
  const MatrixXf ca = (points.rowwise() - middle_.transpose()).cast<float>() * slope;
  const MatrixXf cb = (x_.rowwise() - middle_.transpose()).cast<float>() * slope;
  out.noalias() += ca * cb.transpose();
  out.array() += slope * slope;
  return out;
}

MatrixXd SharedProcess::means(const MatrixXf& correlations) const {
  const MatrixXf weights = (weights_ * scale_.asDiagonal()).cast<float>();
  MatrixXd out = (correlations * weights).cast<double>();
  out.rowwise() += centre_.transpose();
  return out;
}

VectorXd SharedProcess::prior_variance(const Points& points) const {
  const double slope = std::exp(2 * theta_[inputs_ + 1]);
  return ((points.rowwise() - middle_.transpose()).array().square().rowwise().sum() + 1) * slope +
         std::exp(2 * theta_[inputs_]);
}

VectorXd SharedProcess::variances(const Points& points, const MatrixXf& correlations) const {
  const MatrixXd across = correlations.transpose().cast<double>();
  const MatrixXd solved = factor_.matrixL().solve(across);
  return (prior_variance(points) - solved.colwise().squaredNorm().transpose()).cwiseMax(1e-9);
}

VectorXd SharedProcess::variance_bounds(const Points& points, const MatrixXf& correlations) const {
  const double noise = std::exp(2 * theta_[inputs_ + 2]);
  const Eigen::VectorXf known =
      (prior_variance(x_).array() + noise).inverse().sqrt().cast<float>().matrix();
  const Eigen::VectorXf best =
      (correlations * known.asDiagonal()).rowwise().lpNorm<Eigen::Infinity>();
  return (prior_variance(points) - best.cast<double>().cwiseAbs2()).cwiseMax(1e-9);
}

} // namespace gridsmith
