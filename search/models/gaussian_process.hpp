// SPDX-License-Identifier: Apache-2.0
// A Gaussian process over described configurations, kept for a pool of candidates: each observation
// costs one row of the Cholesky factor and one pass over the pool, so the posterior of every
// candidate is always there. Several outputs may be seen at the same places: they share kernel and
// factor, so that each helps to learn what matters. Knows numbers only: no space, no cost
// transform, no acquisition.
//
// Covariance: s^2 (Matern 5/2 of the weighted distance + linear terms + noise), Rasmussen &
// Williams (2006) eq. 4.17; its scale s^2 and its constant mean are profiled out (eq. 2.42, 5.8).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace gridsmith {

/// What is believed of the process before any observation.
struct ProcessBelief {
  std::vector<float> weights;      ///< per feature: squared inverse length scale
  std::vector<float> term_means;   ///< per linear term, in units of s
  std::vector<float> term_spreads; ///< per linear term, in units of s
};

class GaussianProcess {
public:
  /// A described configuration: the features, then the terms.
  using Row = Eigen::VectorXf;

  explicit GaussianProcess(ProcessBelief belief);

  std::size_t width() const { return static_cast<std::size_t>(features_ + terms_); }

  /// The candidates, one row each; what was observed stays observed.
  void set_candidates(const Eigen::MatrixXf& rows);

  Eigen::Index candidates() const { return pool_.rows(); }

  /// Forgets all observations, keeps the candidates and the fitted weights.
  void clear();
  /// One more observed place; its target comes later. O(n * candidates).
  void observe(const Row& row);

  Eigen::Index observations() const { return observed_; }

  /// Takes the targets of all observed places, in the order observed, one column per output:
  /// posterior of every candidate. Only the first `explained` outputs follow the terms' means. What
  /// is `unknown` among the places counts as what the others foretell there, whatever its targets:
  /// it leaves the mean as it is and lowers the variance. O((n^2 + n * candidates) * outputs +
  /// n^2 * unknown).
  void set_targets(const Eigen::MatrixXf& targets, Eigen::Index explained = 1,
                   const std::vector<Eigen::Index>& unknown = {});

  /// Candidates × outputs.
  const Eigen::MatrixXf& mean() const { return mean_; }

  /// Per candidate, of the noiseless value, in units of scale()^2.
  Eigen::ArrayXf variance() const { return variance_.max(1e-9f); }

  /// s of each output.
  const Eigen::ArrayXd& scale() const { return scale_; }

  /// Per feature, as fitted.
  const Eigen::ArrayXf& weights() const { return weights_; }

  /// Posterior mean of another quantity seen at the same places, with prior mean 0 and this
  /// covariance without terms' means (failed: 1, ran: 0); `unknown` as for targets.
  Eigen::ArrayXf smooth(const Eigen::VectorXf& values,
                        const std::vector<Eigen::Index>& unknown = {}) const;

  /// Posterior mean at any rows, without making them candidates. @pre set_targets was called
  Eigen::MatrixXf mean_at(const Eigen::MatrixXf& rows) const;

  /// What `targets` at the observed places `known` (rows like it) foretell at the observed places
  /// `unknown`, without terms' means. O(known^3).
  Eigen::MatrixXf foretell(const std::vector<Eigen::Index>& known, const Eigen::MatrixXf& targets,
                           const std::vector<Eigen::Index>& unknown) const;

  /// Weights and noise of highest posterior density, given what set_targets() took at `subset` of
  /// the observed places; some steps of resilient propagation from the present ones.
  /// O(subset^3) per step.
  void fit(const std::vector<Eigen::Index>& subset);

private:
  /// s before any target (costs differ by a third), and how many observations that counts for.
  static constexpr double scale_before = 0.3, scale_strength = 3;
  static constexpr float first_noise = 0.01f; ///< in units of s^2; measuring noise is below it

  Eigen::ArrayXf covariance(const Eigen::MatrixXf& rows, const Row& row) const;
  float self_covariance(const Row& row) const;
  Eigen::ArrayXf explained_mean(const Eigen::MatrixXf& rows) const;
  Eigen::MatrixXf whitened_units(const std::vector<Eigen::Index>& places) const;
  void refactor();
  void extend(Eigen::Index index);

  Eigen::Index features_;
  Eigen::Index terms_;
  ProcessBelief belief_;
  Eigen::ArrayXf weights_;
  float noise_;

  Eigen::Index observed_ = 0;
  Eigen::MatrixXf places_;  ///< observed rows
  Eigen::MatrixXf factor_;  ///< lower Cholesky factor of their covariance
  Eigen::MatrixXf targets_; ///< observations × outputs, like whitened_

  // Per output; of explained_ of them the terms' means are taken out.
  Eigen::Index explained_ = 0;
  Eigen::ArrayXd scale_;
  Eigen::ArrayXd scale_believed_; ///< s that the terms' means were taken at
  Eigen::ArrayXf constant_;
  Eigen::MatrixXf whitened_; ///< factor^-1 (targets - mean)

  Eigen::MatrixXf pool_;
  Eigen::MatrixXf cross_; ///< candidates × observations: covariance times factor^-T
  Eigen::ArrayXf variance_;
  Eigen::MatrixXf mean_;
};

} // namespace gridsmith
