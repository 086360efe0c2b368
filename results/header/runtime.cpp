// SPDX-License-Identifier: Apache-2.0
// The fixed part of a generated header, put together.
#include "gridsmith/results/header/runtime.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/plain_code.hpp"
#include "gridsmith/results/header/runtime_pieces.hpp"
#include "gridsmith/results/selection/choice_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gridsmith {
namespace {

constexpr const char* frame_text = R"tuned(
#ifndef GRIDSMITH_TUNED
#define GRIDSMITH_TUNED 0x@
#if defined(__CUDACC__) || defined(__HIPCC__)
#define GRIDSMITH_TUNED_FN __host__ __device__ constexpr
#else
#define GRIDSMITH_TUNED_FN constexpr
#endif
#ifdef __GNUC__
#define GRIDSMITH_TUNED_HOT __attribute__((always_inline)) GRIDSMITH_TUNED_FN
#else
#define GRIDSMITH_TUNED_HOT GRIDSMITH_TUNED_FN
#endif
#ifdef __CUDA_ARCH__
#define GRIDSMITH_TUNED_ROWS(table) computed_rows<table>()
#else
#define GRIDSMITH_TUNED_ROWS(table) rows_of<table>
#endif
namespace tuned { inline namespace runtime_@ {
{}
}} // namespace tuned::runtime_@
#elif GRIDSMITH_TUNED != 0x@
#error "headers of two versions of Gridsmith in one source; export them again with one of them"
#endif
)tuned";

constexpr const char* terms_head = R"tuned(
// Longer than any launch.
inline constexpr double never = 0x1p1000;

inline constexpr std::int64_t largest_plain = @LARGEST;

GRIDSMITH_TUNED_FN std::int64_t quotient_up(std::int64_t a, std::int64_t b) {{
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>((x + y - 1) / y);
}}
GRIDSMITH_TUNED_FN double up(std::int64_t a, std::int64_t b) {{ return static_cast<double>(quotient_up(a, b)); }}
GRIDSMITH_TUNED_FN double up(double a, double b) {{
  const double quotient = a / b;
  if (!(quotient < 0x1p62))
    return quotient;
  const double cut = static_cast<double>(static_cast<std::int64_t>(quotient));
  return cut + (cut < quotient ? 1.0 : 0.0);
}}
// Of correct().
inline constexpr float near_squared = {}f, own_weight = {}f;
// What the time of a launch is predicted from. Counts are integers or doubles.
template <class F, int I, class N>
GRIDSMITH_TUNED_HOT double sum_of_terms([[maybe_unused]] N blocks, [[maybe_unused]] double block_work,
                                        [[maybe_unused]] double bytes, [[maybe_unused]] N sm_count,
                                        [[maybe_unused]] N resident_blocks) {{
  double ms = 0;
)tuned";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string real_code(const ExpressionNode& node);

std::string real_chain(const ExpressionNode& node) {
  std::string text = real_code(*node.first);
  for (const ExpressionNode* right = node.first->next; right; right = right->next) {
    constexpr std::array<std::string_view, 4> words = {"+", "-", "*", "/"};
    const auto index =
        static_cast<std::size_t>(right->relation) - static_cast<std::size_t>(Operator::add);
    text = fmt::format("({} {} {})", text, words.at(index), real_code(*right));
  }
  return text;
}

/// ceil(a / b), of counts: integers where they are integers.
std::string counted_up(const ExpressionNode& quotient) {
  const bool counts = quotient.kind == NodeKind::arithmetic && quotient.children == 2 &&
                      quotient.first->next->relation == Operator::divide;
  if (!counts)
    throw std::logic_error("a feature of the cost model that a header cannot hold");
  const auto product = [](const ExpressionNode& node) {
    std::string text;
    if (node.kind == NodeKind::name)
      return std::string(node.text);
    for (const ExpressionNode* factor = node.first; factor; factor = factor->next)
      text += (text.empty() ? "" : " * ") + std::string(factor->text);
    return text;
  };
  return fmt::format("up({}, {})", product(*quotient.first), product(*quotient.first->next));
}

/// A feature of the cost model: it has no more than this.
std::string real_code(const ExpressionNode& node) {
  switch (node.kind) {
  case NodeKind::literal:
    return real_literal(to_number(node.value));
  case NodeKind::name:
    return fmt::format("static_cast<double>({})", node.text);
  case NodeKind::arithmetic:
    return real_chain(node);
  case NodeKind::call:
    if (node.function == Function::ceil)
      return counted_up(*node.first);
    return fmt::format("{}({}, {})", node.function == Function::min ? "lesser" : "greater",
                       real_code(*node.first), real_code(*node.first->next));
  default:
    throw std::logic_error("a feature of the cost model that a header cannot hold");
  }
}

/// The features of the cost model in C++.
std::string terms_text() {
  std::string text = fmt::format(terms_head, real_literal(near_squared),
                                 real_literal(1 / (model_doublings * model_doublings)));
  std::size_t index = 0;
  for (const CostFeature& feature : features())
    text += fmt::format("  ms += F::coefficient(I, {}) * {}; // {}\n", index++,
                        real_code(Expression::parse(feature.text).root()), feature.name);
  return text + "  return ms;\n}\n";
}

/// What a text declares at the level of its namespace, where no line is indented.
std::set<std::string> declared_in(const std::string& text) {
  static const std::regex type("(?:struct|enum class|using) (\\w+).*");
  static const std::regex other("(?!template|namespace)[A-Za-z][^({=;]*?(\\w+) ?[({=;].*");
  std::set<std::string> names;
  std::istringstream lines(text);
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, found, type) || std::regex_match(line, found, other))
      names.insert(found[1]);
  return names;
}

} // namespace

std::string kernel_namespace(const std::string& kernel) {
  static const std::set<std::string> taken = declared_in(runtime_text());
  const std::string name = identifier(kernel);
  return taken.contains(name) ? name + "_" : name;
}

std::string short_hash(const std::string& text) {
  return sha256_hex(text).substr(0, 8);
}

std::string runtime_text() {
  std::string body;
  for (const char* piece : {number_text, arithmetic_text, comparison_text, function_text,
                            device_text, choice_text, class_text, tables_text, nearness_text})
    body += piece;
  body += terms_text();
  for (const char* piece : {foretelling_text, correcting_text, choosing_text})
    body += piece;
  std::string framed = replaced(frame_text, "{}\n", body);
  for (const char* piece : {current_text, recording_text})
    framed += piece;
  framed = replaced(framed, "@LARGEST", fmt::format("{}", largest_plain));
  return replaced(framed, "@", short_hash(framed));
}

} // namespace gridsmith
