// SPDX-License-Identifier: Apache-2.0
// Weights and noise of a Gaussian process by maximum a posteriori: the profiled log marginal
// likelihood (Rasmussen & Williams 2006, eq. 5.8 with scale and constant profiled out) plus a
// log-normal prior, descended by resilient propagation (Riedmiller & Braun, ICNN 1993), which needs
// only signs of the gradient and so no line search.
#include "gridsmith/search/models/gaussian_process.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

using Eigen::ArrayXXf;
using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using Eigen::VectorXf;

constexpr double log_spread = 1.5; // of weights and noise around their prior: a factor 4.5
constexpr double farthest_log = 4; // and never farther than this from it
constexpr int fit_steps = 12;      // more did not pay
constexpr double first_step = 0.4, largest_step = 1.0; // in logarithms
constexpr double faster = 1.3, slower = 0.5;           // after the gradient kept, or lost, its sign

/// The descent's state: logarithms of the weights, then of the noise.
class Descent {
public:
  Descent(VectorXd start, VectorXd prior)
      : at_(std::move(start)), prior_(std::move(prior)),
        step_(VectorXd::Constant(at_.size(), first_step)), last_(VectorXd::Zero(at_.size())),
        best_(at_) {}

  const VectorXd& at() const { return at_; }

  const VectorXd& best() const { return best_; }

  /// Objective and gradient of the likelihood at at(); the prior is added here.
  void move(double objective, VectorXd gradient) {
    const VectorXd away = (at_ - prior_) / (log_spread * log_spread);
    objective += 0.5 * away.dot(at_ - prior_);
    gradient += away;
    if (objective < best_objective_) {
      best_objective_ = objective;
      best_ = at_;
    }
    for (Index k = 0; k < at_.size(); ++k) {
      const double kept = gradient[k] * last_[k];
      if (kept != 0)
        step_[k] = kept > 0 ? std::min(step_[k] * faster, largest_step) : step_[k] * slower;
      const double sign = gradient[k] > 0 ? 1.0 : gradient[k] < 0 ? -1.0 : 0.0;
      at_[k] =
          std::clamp(at_[k] - sign * step_[k], prior_[k] - farthest_log, prior_[k] + farthest_log);
    }
    last_ = gradient;
  }

private:
  VectorXd at_, prior_, step_, last_, best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
};

/// What does not change from step to step of a fit.
struct FitData {
  std::vector<MatrixXf> squares; ///< per feature: squared differences of all pairs
  MatrixXf linear;               ///< covariance of the terms
  MatrixXf targets;              ///< one column per output, less what the terms explain
};

struct Likelihood {
  double objective = 0; ///< negative logarithm, without constants; the mean over the outputs
  VectorXd gradient;
};

/// @param logs of the weights, then of the noise
Likelihood likelihood(const FitData& data, const VectorXd& logs, double scale_before,
                      double strength) {
  const Index n = data.targets.rows();
  const Index features = static_cast<Index>(data.squares.size());
  MatrixXf squared = MatrixXf::Zero(n, n);
  for (Index f = 0; f < features; ++f)
    squared += static_cast<float>(std::exp(logs[f])) * data.squares[static_cast<std::size_t>(f)];
  const ArrayXXf r = (5.0f * squared.array()).sqrt();
  const ArrayXXf decay = (-r).exp();
  const double noise = std::exp(logs[features]);
  MatrixXf covariance = ((1.0f + r + r.square() * (1.0f / 3.0f)) * decay).matrix() + data.linear;
  covariance.diagonal().array() += static_cast<float>(noise);
  const Eigen::LLT<MatrixXf> factor(covariance);
  const MatrixXf inverse = factor.solve(MatrixXf::Identity(n, n));

  const VectorXf row_sums = inverse.rowwise().sum();
  const double count = static_cast<double>(n) + strength;
  const double share = 1 / static_cast<double>(data.targets.cols());
  Likelihood out{factor.matrixLLT().diagonal().array().cast<double>().log().sum(),
                 VectorXd(features + 1)};
  ArrayXXf outer = inverse.array(); // d objective / d covariance
  for (Index k = 0; k < data.targets.cols(); ++k) {
    const float constant = row_sums.dot(data.targets.col(k)) / row_sums.sum();
    const VectorXf centred = (data.targets.col(k).array() - constant).matrix();
    const VectorXf alpha = inverse * centred;
    const double scale2 =
        (static_cast<double>(alpha.dot(centred)) + strength * scale_before * scale_before) / count;
    out.objective += 0.5 * share * count * std::log(scale2);
    outer -= (alpha * alpha.transpose()).array() / static_cast<float>(scale2 / share);
  }
  // d Matern / d distance^2 = -5/6 (1 + r) exp(-r)
  const ArrayXXf slope = (-5.0f / 6.0f) * (1.0f + r) * decay * outer;
  for (Index f = 0; f < features; ++f)
    out.gradient[f] =
        0.5 * std::exp(logs[f]) *
        static_cast<double>((slope * data.squares[static_cast<std::size_t>(f)].array()).sum());
  out.gradient[features] = 0.5 * noise * static_cast<double>(outer.matrix().trace());
  return out;
}

} // namespace

void GaussianProcess::fit(const std::vector<Index>& subset) {
  const Index n = static_cast<Index>(subset.size());
  const MatrixXf rows = places_(subset, Eigen::all);
  FitData data{{}, {}, targets_(subset, Eigen::all)};
  data.targets.leftCols(explained_) -=
      explained_mean(rows).matrix() * scale_.head(explained_).cast<float>().matrix().transpose();
  for (Index f = 0; f < features_; ++f)
    data.squares.push_back((rows.col(f).replicate(1, n) - rows.col(f).transpose().replicate(n, 1))
                               .array()
                               .square()
                               .matrix());
  const VectorXf spreads = Eigen::Map<const VectorXf>(belief_.term_spreads.data(), terms_);
  const MatrixXf terms = rows.rightCols(terms_) * spreads.asDiagonal();
  data.linear = terms * terms.transpose();

  VectorXd prior(features_ + 1), start(features_ + 1);
  prior.head(features_) =
      Eigen::Map<const VectorXf>(belief_.weights.data(), features_).cast<double>().array().log();
  prior[features_] = std::log(static_cast<double>(first_noise));
  start.head(features_) = weights_.cast<double>().log().matrix();
  start[features_] = std::log(static_cast<double>(noise_));
  Descent descent(start, prior);
  for (int step = 0; step < fit_steps; ++step) {
    Likelihood now = likelihood(data, descent.at(), scale_before, scale_strength);
    descent.move(now.objective, std::move(now.gradient));
  }
  weights_ = descent.best().head(features_).array().exp().cast<float>();
  noise_ = static_cast<float>(std::exp(descent.best()[features_]));
}

} // namespace gridsmith
