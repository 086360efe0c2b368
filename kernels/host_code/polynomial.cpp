// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/polynomial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridsmith {
namespace {

/// Wraps in place of being undefined: a factor so large is no index.
std::int64_t wrapped(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

std::uint64_t bits(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

} // namespace

Polynomial::Polynomial(std::int64_t number) {
  if (number != 0)
    terms_[{}] = number;
}

Polynomial Polynomial::of_name(const std::string& name) {
  Polynomial made;
  made.terms_[{name}] = 1;
  return made;
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  for (const auto& [product, factor] : other.terms_) {
    std::int64_t& mine = sum.terms_[product];
    mine = wrapped(bits(mine) + bits(factor));
    if (mine == 0)
      sum.terms_.erase(product);
  }
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [mine, factor] : terms_)
    for (const auto& [theirs, times] : other.terms_) {
      Polynomial one;
      Product product = mine;
      product.insert(product.end(), theirs.begin(), theirs.end());
      std::sort(product.begin(), product.end());
      if (const std::int64_t number = wrapped(bits(factor) * bits(times)))
        one.terms_[product] = number;
      result = result + one;
    }
  return result;
}

Polynomial Polynomial::replaced(const std::string& a, const std::string& b,
                                const Polynomial& with) const {
  Polynomial result;
  for (const auto& [product, factor] : terms_) {
    Product left = product;
    Polynomial one(1);
    for (bool more = true; more && one.small();) {
      const auto first = std::find(left.begin(), left.end(), a);
      const auto second = b.empty() ? first : std::find(left.begin(), left.end(), b);
      more = first != left.end() && second != left.end();
      if (!more)
        continue;
      left.erase(std::max(first, second));
      if (first != second)
        left.erase(std::min(first, second));
      one = one * with;
    }
    Polynomial rest(factor);
    for (const std::string& name : left)
      rest = rest * of_name(name);
    result = result + rest * one;
  }
  return result;
}

double Polynomial::value(const std::function<double(const std::string&)>& of_name) const {
  double sum = 0;
  for (const auto& [product, factor] : terms_) {
    double one = static_cast<double>(factor);
    for (const std::string& name : product)
      one *= of_name(name);
    sum += one;
  }
  return sum;
}

std::string Polynomial::text() const {
  std::string text;
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    const auto& [product, factor] = *term;
    const std::uint64_t size = factor < 0 ? 0 - bits(factor) : bits(factor);
    text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    if (size != 1 || product.empty())
      text += fmt::format("{}{}", size, product.empty() ? "" : " * ");
    text += fmt::format("{}", fmt::join(product, " * "));
  }
  return text.empty() ? "0" : text;
}

bool Polynomial::small() const {
  constexpr std::size_t most_terms = 24, most_names = 8;
  return terms_.size() <= most_terms &&
         std::all_of(terms_.begin(), terms_.end(),
                     [&](const auto& term) { return term.first.size() <= most_names; });
}

} // namespace gridsmith
