// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/size_list.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace gridsmith {
namespace {

constexpr const char* line_forms =
    R"(expected a size such as 1024x1024, a weight behind it or not, or {"problem": [1024, 1024], "weight": 2})";

class Collector {
public:
  explicit Collector(const KernelDefinition& definition) : definition_(definition) {}

  /// @throws InputError
  void add(const ProblemSize& problem, double weight) {
    if (!std::isfinite(weight) || weight <= 0)
      throw InputError("a weight is a number above 0");
    check(problem);
    auto& problems = list_.problems;
    const auto place = std::find(problems.begin(), problems.end(), problem);
    if (place != problems.end()) {
      list_.weights[static_cast<std::size_t>(place - problems.begin())] += weight;
      return;
    }
    problems.push_back(problem);
    list_.weights.push_back(weight);
  }

  SizeList take() { return std::move(list_); }

private:
  void check(const ProblemSize& problem) const {
    const std::size_t wanted = definition_.default_problem().extents.size();
    if (problem.extents.size() != wanted)
      throw InputError(fmt::format("size {} has {} of the {} extents of {}", to_text(problem),
                                   problem.extents.size(), wanted, definition_.name));
  }

  const KernelDefinition& definition_;
  SizeList list_;
};

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// As an application records it; what else the line holds is its own.
void add_json(const std::string& line, Collector& sizes) {
  nlohmann::json json;
  try {
    json = json_of_text(line);
  } catch (const nlohmann::json::exception&) {
    throw InputError(line_forms);
  }
  if (!json.is_object() || !json.contains("problem") || !json["problem"].is_array())
    throw InputError(line_forms);
  ProblemSize problem;
  for (const auto& extent : json["problem"]) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 1) // beyond 2^63 it is negative
      throw InputError("an extent is a whole number above 0");
    problem.extents.push_back(extent.get<std::int64_t>());
  }
  const auto weight = json.find("weight");
  if (weight != json.end() && !weight->is_number())
    throw InputError("a weight is a number above 0");
  sizes.add(problem, weight == json.end() ? 1.0 : weight->get<double>());
}

void add_words(const std::string& line, Collector& sizes) {
  std::istringstream words(line);
  std::string size, weight, more;
  words >> size >> weight >> more;
  ProblemSize problem{extents_of(size)};
  double value = 1;
  const char* const end = weight.data() + weight.size();
  const auto [stop, error] = std::from_chars(weight.data(), end, value);
  const bool bad_weight = !weight.empty() && (error != std::errc{} || stop != end);
  if (problem.extents.empty() || bad_weight || !more.empty())
    throw InputError(line_forms);
  sizes.add(problem, value);
}

void add_file(const std::filesystem::path& file, Collector& sizes) {
  std::istringstream lines(read_unpacked(file));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool json = trimmed(line).starts_with('{');
    const std::string text = trimmed(json ? line : line.substr(0, line.find('#')));
    try {
      if (!text.empty())
        json ? add_json(text, sizes) : add_words(text, sizes);
    } catch (const InputError& error) {
      throw InputError(printable(
          fmt::format("{}:{}: '{}': {}", file.string(), number, text.substr(0, 60), error.what())));
    }
  }
}

void add_list(const std::string& text, Collector& sizes) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (trimmed(part).empty())
      throw InputError(fmt::format("sizes '{}': a size between the commas is empty", text));
    sizes.add(problem_size_from_text(trimmed(part)), 1);
  }
}

} // namespace

SizeList size_list(const std::string& text, const KernelDefinition& definition) {
  Collector sizes(definition);
  std::error_code error;
  if (text == "all")
    for (const ProblemSize& problem : definition.problem_sizes)
      sizes.add(problem, 1);
  else if (std::filesystem::is_regular_file(text, error))
    add_file(text, sizes);
  else if (text.find_first_not_of("0123456789x, ") == std::string::npos)
    add_list(text, sizes);
  else if (std::filesystem::is_directory(text, error))
    throw InputError(
        fmt::format("sizes '{}': is a folder; expected a file with a size a line", text));
  else
    throw InputError(fmt::format("sizes '{}': expected all, sizes with commas such as "
                                 "1024x1024,4096x4096, or a file, and there is none of that name",
                                 text));
  SizeList list = sizes.take();
  if (list.problems.empty())
    throw InputError(fmt::format("sizes '{}': holds no size", text));
  return list;
}

} // namespace gridsmith
