// SPDX-License-Identifier: Apache-2.0
// Sums of products of names, with whole factors: what an index reaches, as far as it is plain.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gridsmith {

class Polynomial {
public:
  using Product = std::vector<std::string>; ///< sorted names; none: 1

  Polynomial(std::int64_t number = 0);
  static Polynomial of_name(const std::string& name);

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  bool operator==(const Polynomial& other) const = default;

  /// Every product that has both names has `with` in their place. @param b "": only the first
  Polynomial replaced(const std::string& a, const std::string& b, const Polynomial& with) const;

  const std::map<Product, std::int64_t>& terms() const { return terms_; }

  double value(const std::function<double(const std::string&)>& of_name) const;
  /// As an expression: "m * k - 1"
  std::string text() const;
  /// So many terms and no more are worth the while.
  bool small() const;

private:
  std::map<Product, std::int64_t> terms_; ///< no factor is 0
};

} // namespace gridsmith
