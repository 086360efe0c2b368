// A Gaussian process with several outputs over the same inputs and one kernel for all of them, so
// that every output helps to learn which inputs matter, and one factorisation serves all.
// Kernel: Matérn 5/2 with a length per input, plus a linear kernel (a plane with unknown slopes).
// Rasmussen & Williams, Gaussian Processes for Machine Learning, chapters 2 and 5.
#pragma once

#include <Eigen/Dense>

namespace gridsmith {

class SharedProcess {
public:
  /// Points are rows; a length of 1 should be a fair guess for every coordinate.
  using Points = Eigen::MatrixXd;

  explicit SharedProcess(Eigen::Index inputs);

  /// Learns lengths, the shares of both kernels and the noise from x (n × inputs) and y (n ×
  /// outputs), by the mode of the posterior over `steps` steps of resilient propagation from where
  /// it stands (Riedmiller & Braun, 1993); log-normal priors keep few points sane.
  void learn(const Points& x, const Eigen::MatrixXd& y, int steps);
  /// Takes the observations with the kernel as it stands. O(n³).
  void condition(const Points& x, const Eigen::MatrixXd& y);

  /// Kernel values between `points` (rows) and the observations (columns).
  Eigen::MatrixXf correlate(const Points& points) const;
  /// Means of all outputs (rows like `correlations`, columns like y). O(m n outputs).
  Eigen::MatrixXd means(const Eigen::MatrixXf& correlations) const;
  /// Posterior variance of each point in units of spread(): never above the prior's. O(m n²).
  Eigen::VectorXd variances(const Points& points, const Eigen::MatrixXf& correlations) const;
  /// An upper bound of variances(): what the best single observation leaves. O(m n).
  Eigen::VectorXd variance_bounds(const Points& points, const Eigen::MatrixXf& correlations) const;

  /// Variance of each output that a unit of variances() stands for.
  const Eigen::VectorXd& spread() const { return spread_; }

private:
  struct Terms; ///< the kernel matrix in parts

  Terms terms() const;
  void standardise(const Eigen::MatrixXd& y);
  void factor(const Terms& parts);
  Eigen::VectorXd gradient(const Terms& parts) const;
  void limit();
  Eigen::VectorXd prior_variance(const Points& points) const;

  Eigen::Index inputs_;
  Eigen::VectorXd theta_; ///< logs: lengths, Matérn's sd, linear sd, noise sd
  Points x_;
  Eigen::VectorXd middle_; ///< of the observations: where the planes turn
  Eigen::MatrixXd y_;      ///< standardised
  Eigen::VectorXd centre_, scale_, shrink_, spread_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::MatrixXd weights_; ///< K⁻¹ y
};

} // namespace gridsmith
