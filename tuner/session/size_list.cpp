// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/size_list.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/session/size_pattern.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

namespace gridsmith {
namespace {

constexpr const char* line_forms =
    R"(expected a size such as 1024x1024, a weight behind it or not, or {"problem": [1024, 1024], "weight": 2})";

constexpr const char* list_forms =
    "expected all, auto, sizes such as 1024x1024, ranges such as 1024..8192:x2, 1000..5000:+500 or "
    "256..1024:x2x64, or around:4096x4096, with commas between them; or a file, and there is none of "
    "that name";

constexpr std::size_t usual_added = 8; // sizes, of "auto"
constexpr double longest_list = 4096;  // more are a slip: no search measures so many

class Collector {
public:
  /// Of one kernel.
  explicit Collector(const KernelDefinition& definition)
      : definition_(&definition), extents_{definition.default_problem().extents.size()} {}

  /// Of any kernel.
  Collector() : extents_{1, 2, 3} {}

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

  /// @throws InputError
  void add(const SizePattern& pattern) {
    for (const std::size_t extents : extents_)
      for (const ProblemSize& problem : sizes_of(pattern, extents))
        add(problem, 1);
  }

  /// The definition's.
  void add_all() {
    has_all_ = true;
    if (definition_)
      for (const ProblemSize& problem : definition_->problem_sizes)
        add(problem, 1);
  }

  /// The search adds some to these.
  void add_more() { list_.adds = usual_added; }

  bool has_all() const { return has_all_; }

  bool is_of_another(const nlohmann::json& kernel) const {
    return definition_ && kernel.is_string() && kernel != definition_->name;
  }

  bool adds() const { return list_.adds > 0; }

  bool empty() const { return list_.problems.empty(); }

  SizeList take() { return std::move(list_); }

private:
  void check(const ProblemSize& problem) const {
    if (definition_ && problem.extents.size() != extents_.front())
      throw InputError(fmt::format("size {} has {} of the {} extents of {}", to_text(problem),
                                   problem.extents.size(), extents_.front(), definition_->name));
  }

  const KernelDefinition* definition_ = nullptr;
  std::vector<std::size_t> extents_; ///< that sizes may have
  SizeList list_;
  bool has_all_ = false;
};

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "1024x1024" as a generated header records it; nothing where an extent is 0 or less, as no work is in it.
std::optional<ProblemSize> recorded_problem(const std::string& text) {
  std::istringstream extents(text);
  for (std::string extent; std::getline(extents, extent, 'x');)
    if (extent == "0" || extent.starts_with('-'))
      return std::nullopt;
  return problem_size_from_text(text);
}

/// @throws InputError
ProblemSize problem_of(const nlohmann::json& extents) {
  if (!extents.is_array())
    throw InputError(line_forms);
  ProblemSize problem;
  for (const auto& extent : extents) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 1) // beyond 2^63 it is negative
      throw InputError("an extent is a whole number above 0");
    problem.extents.push_back(extent.get<std::int64_t>());
  }
  return problem;
}

/// As an application or a generated header records it; what else the line holds is its own.
void add_json(const std::string& line, Collector& sizes) {
  nlohmann::json json;
  try {
    json = json_of_text(line);
  } catch (const nlohmann::json::exception&) {
    throw InputError(line_forms);
  }
  if (!json.is_object() || !json.contains("problem"))
    throw InputError(line_forms);
  if (json.contains("kernel") && sizes.is_of_another(json["kernel"]))
    return;
  const nlohmann::json& said = json["problem"];
  const std::optional<ProblemSize> problem =
      said.is_string() ? recorded_problem(said.get<std::string>()) : problem_of(said);
  const auto weight = json.find("weight");
  if (weight != json.end() && !weight->is_number())
    throw InputError("a weight is a number above 0");
  if (problem)
    sizes.add(*problem, weight == json.end() ? 1.0 : weight->get<double>());
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

/// @throws InputError
SizePattern pattern_of(const std::string& item) {
  if (item.find_first_not_of("0123456789x") == std::string::npos)
    problem_size_from_text(item); // knows best what is wrong with it
  const auto pattern = size_pattern(item);
  if (!pattern)
    throw InputError(fmt::format("'{}': {}", item, list_forms));
  return *pattern;
}

/// The items but for "all" and "auto", which are added.
std::vector<SizePattern> patterns_of(const std::string& text, Collector& sizes) {
  std::vector<SizePattern> patterns;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    item = trimmed(item);
    if (item.empty())
      throw InputError("a size between the commas is empty");
    if (item == "all")
      sizes.add_all();
    else if (item == "auto")
      sizes.add_more();
    else
      patterns.push_back(pattern_of(item));
  }
  return patterns;
}

void add_list(const std::string& text, Collector& sizes) {
  const std::vector<SizePattern> patterns = patterns_of(text, sizes);
  double count = 0;
  for (const SizePattern& pattern : patterns)
    count += count_of(pattern);
  if (count > longest_list)
    throw InputError(fmt::format("are {:.15g} sizes; at most {} are taken", count, longest_list));
  for (const SizePattern& pattern : patterns)
    sizes.add(pattern);
}

void add_text(const std::string& text, Collector& sizes) {
  std::error_code error;
  const bool word = text == "all" || text == "auto";
  if (!word && std::filesystem::is_regular_file(text, error))
    return add_file(text, sizes);
  try {
    if (std::filesystem::is_directory(text, error) && !word)
      throw InputError("is a folder; expected a file with a size a line");
    add_list(text, sizes);
  } catch (const InputError& failed) {
    throw InputError(printable(fmt::format("sizes '{}': {}", text, failed.what())));
  }
}

} // namespace

SizeList size_list(const std::string& text, const KernelDefinition& definition) {
  Collector sizes(definition);
  add_text(text, sizes);
  if (sizes.adds() && sizes.empty())
    sizes.add_all();
  SizeList list = sizes.take();
  if (list.problems.empty())
    throw InputError(fmt::format("sizes '{}': holds no size of {}", text, definition.name));
  return list;
}

std::vector<ProblemSize> sizes_for_all(const std::string& text) {
  Collector sizes;
  add_text(text, sizes);
  if (sizes.adds())
    throw InputError(fmt::format("sizes '{}': auto is for one kernel", text));
  std::vector<ProblemSize> problems = sizes.take().problems;
  if (sizes.has_all())
    problems.clear();
  else if (problems.empty())
    throw InputError(fmt::format("sizes '{}': holds no size", text));
  return problems;
}

} // namespace gridsmith
