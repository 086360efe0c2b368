// A Gaussian process over described configurations, kept for a pool of candidates: each observation
// costs one row of the Cholesky factor and one pass over the pool, so the posterior of every
// candidate is always there. Knows numbers only: no space, no cost transform, no acquisition.
//
// Covariance: s^2 (Matern 5/2 of the weighted distance + linear terms + noise), Rasmussen &
// Williams (2006) eq. 4.17; its scale s^2 and its constant mean are profiled out (eq. 2.42, 5.8).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace gridsmith {

/// What is believed of the process before any observation.
struct ProcessPrior {
  std::vector<float> weights;      ///< per feature: squared inverse length scale
  std::vector<float> term_means;   ///< per linear term, in units of s
  std::vector<float> term_spreads; ///< per linear term, in units of s
};

class GaussianProcess {
public:
  /// A described configuration: the features, then the terms.
  using Row = Eigen::VectorXf;

  explicit GaussianProcess(ProcessPrior prior);

  std::size_t width() const { return static_cast<std::size_t>(features_ + terms_); }

  /// The candidates, one row each; what was observed stays observed.
  void set_candidates(const Eigen::MatrixXf& rows);

  Eigen::Index candidates() const { return pool_.rows(); }

  /// Forgets all observations, keeps the candidates and the fitted weights.
  void clear();
  /// One more observed place; its target comes later. O(n * candidates).
  void observe(const Row& row);

  Eigen::Index observations() const { return observed_; }

  /// Takes the targets of all observed places, in the order observed: posterior of every
  /// candidate. O(n^2 + n * candidates).
  void set_targets(const Eigen::VectorXf& targets);

  const Eigen::ArrayXf& mean() const { return mean_; }

  /// Of the noiseless value.
  Eigen::ArrayXf deviation() const;

  double scale() const { return scale_; } ///< s

  /// Per feature, as fitted.
  const Eigen::ArrayXf& weights() const { return weights_; }

  /// Posterior mean of another quantity seen at the same places, with prior mean 0 and this
  /// covariance without terms' means (failed: 1, ran: 0).
  Eigen::ArrayXf smooth(const Eigen::VectorXf& values) const;

  /// Posterior mean at any rows, without making them candidates. @pre set_targets was called
  Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const;

  /// Weights and noise of highest posterior density, given targets of `subset` of the observed
  /// places; some steps of resilient propagation from the present ones. O(subset^3) per step.
  void fit(const Eigen::VectorXf& targets, const std::vector<Eigen::Index>& subset);

private:
  /// s before any target (costs differ by a third), and how many observations that counts for.
  static constexpr double scale_before = 0.3, scale_strength = 3;
  static constexpr float first_noise = 0.01f; ///< in units of s^2; measuring noise is below it

  Eigen::ArrayXf covariance(const Eigen::MatrixXf& rows, const Row& row) const;
  float self_covariance(const Row& row) const;
  Eigen::ArrayXf prior_mean(const Eigen::MatrixXf& rows) const;
  void refactor();
  void extend(Eigen::Index index);

  Eigen::Index features_;
  Eigen::Index terms_;
  ProcessPrior prior_;
  Eigen::ArrayXf weights_;
  float noise_;
  double scale_;
  double scale_believed_; ///< s that the prior means were taken at
  double constant_ = 0;

  Eigen::Index observed_ = 0;
  Eigen::MatrixXf places_;   ///< observed rows
  Eigen::MatrixXf factor_;   ///< lower Cholesky factor of their covariance
  Eigen::VectorXf whitened_; ///< factor^-1 (targets - mean)

  Eigen::MatrixXf pool_;
  Eigen::MatrixXf cross_; ///< candidates x observations: covariance times factor^-T
  Eigen::ArrayXf variance_;
  Eigen::ArrayXf mean_;
};

} // namespace gridsmith
