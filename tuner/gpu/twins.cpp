// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/twins.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/metrics/code/cubin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t most_measured = 1 << 14; // kept to be shared: some KB each

/// Equal code may hold several kernels: then it matters which.
bool has_one_kernel(const Bytes& cubin) {
  const auto file = read_cubin(cubin);
  return file && std::count_if(file->sections.begin(), file->sections.end(),
                               [](const CubinSection& section) {
                                 return section.name.starts_with(".text.");
                               }) == 1;
}

} // namespace

std::string launch_key(const CodeObject& code, const Geometry& geometry) {
  if (!code.cubin || code.code_hash.empty())
    return "";
  return fmt::format("{} {} {} {}", code.code_hash, has_one_kernel(*code.cubin) ? "" : code.kernel,
                     json_text(to_fields(geometry)), fmt::join(code.variables, ","));
}

Twins::Turn Twins::join(Number number, const std::string& key) {
  if (key.empty())
    return Turn::measure;
  Family& family = families_[key];
  if (family.measured) {
    answers_[number] = family.measured;
    return Turn::share;
  }
  keys_[number] = key;
  if (!family.first) {
    family.first = number;
    return Turn::measure;
  }
  family.waiting.push_back(number);
  return Turn::wait;
}

std::vector<Twins::Number> Twins::measured(Number number, const Measurement& measurement) {
  const auto key = keys_.find(number);
  if (key == keys_.end())
    return {};
  Family& family = families_.at(key->second);
  family.measured = std::make_shared<const Measurement>(measurement);
  family.first.reset();
  const std::vector<Number> waited = std::exchange(family.waiting, {});
  for (const Number one : waited) {
    answers_[one] = family.measured;
    keys_.erase(one);
  }
  remember(key->second);
  keys_.erase(key);
  return waited;
}

void Twins::remember(const std::string& key) {
  measured_in_order_.push_back(key);
  if (measured_in_order_.size() <= most_measured)
    return;
  families_.erase(measured_in_order_.front());
  measured_in_order_.pop_front();
}

std::optional<Twins::Number> Twins::left(Number number) {
  answers_.erase(number);
  const auto key = keys_.find(number);
  if (key == keys_.end())
    return std::nullopt;
  Family& family = families_.at(key->second);
  std::optional<Number> next;
  if (family.first != number) {
    std::erase(family.waiting, number);
  } else if (family.waiting.empty()) {
    families_.erase(key->second);
  } else {
    next = family.waiting.front();
    family.waiting.erase(family.waiting.begin());
    family.first = next;
  }
  keys_.erase(key);
  return next;
}

} // namespace gridsmith
