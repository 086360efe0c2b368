// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/launch_values.hpp"

#include "gridsmith/kernels/host_code/kernel_launch.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

/// What is so many bytes; nothing where they are no whole elements.
std::optional<HostValue> elements_of(HostValue bytes, int each) {
  if (bytes.number < each || bytes.number / each > largest_size ||
      std::fmod(bytes.number, each) != 0 || !bytes.sum)
    return std::nullopt;
  Polynomial elements;
  for (const auto& [product, factor] : bytes.sum->terms()) {
    if (factor % each != 0)
      return std::nullopt;
    Polynomial term(factor / each);
    for (const std::string& name : product)
      term = term * Polynomial::of_name(name);
    elements = elements + term;
  }
  bytes.number /= each;
  bytes.sum = elements;
  return bytes;
}

bool is_word(std::span<const Token> written) {
  return written.size() == 1 && written[0].kind == TokenKind::word;
}

} // namespace

LaunchValues::LaunchValues(const Tokens& tokens, std::span<const Tokens> headers,
                           std::optional<LaunchInFile> launch, const KernelSignature& kernel,
                           std::map<std::string, std::int64_t> constants)
    : host_(tokens, headers, std::move(constants)),
      launch_(std::move(launch).value_or(LaunchInFile{})), kernel_(kernel) {
  if (launch_.arguments.size() > kernel.parameters.size() ||
      launch_.arguments.size() < least_arguments(kernel))
    launch_.arguments.clear();
}

void LaunchValues::say(const std::string& name, const std::string& as, double number) {
  host_.say(host_.names().variable(name, launch_.place), as, number);
}

void LaunchValues::say_argument(std::size_t i, const std::string& as, double number) {
  if (i >= launch_.arguments.size() || !is_word(launch_.arguments[i]))
    return;
  for (const HostVariable& one :
       host_.names().passed_on(launch_.arguments[i][0].text, launch_.place))
    host_.say(one, as, number);
}

void LaunchValues::say_block(std::size_t axis, const std::string& as, double number, bool alone) {
  if (axis >= launch_.block.size())
    return;
  if (alone && is_word(launch_.block[axis]))
    say(std::string(launch_.block[axis][0].text), as, number);
  say(fmt::format("{}.{}", launch_.block_name, "xyz"[axis]), as, number);
}

std::array<std::string, 3> LaunchValues::texts_of(const Parts& parts) {
  std::array<std::string, 3> text;
  for (std::size_t axis = 0; axis < 3 && axis < parts.size(); ++axis)
    text[axis] = text_of(parts[axis]);
  return text;
}

std::vector<HostAllocation> LaunchValues::allocations(std::size_t i) const {
  return i < launch_.arguments.size() && is_word(launch_.arguments[i])
             ? host_.names().allocations_of(launch_.arguments[i][0].text, launch_.place)
             : std::vector<HostAllocation>();
}

bool LaunchValues::is_allocated(std::size_t i) const {
  return !allocations(i).empty();
}

bool LaunchValues::is_zeroed(std::size_t i) const {
  return i < launch_.arguments.size() && is_word(launch_.arguments[i]) &&
         host_.names().is_zeroed(launch_.arguments[i][0].text, launch_.place);
}

std::string LaunchValues::place_inside(std::size_t i) const {
  if (i >= launch_.arguments.size() || launch_.arguments[i].size() < 3)
    return "";
  const std::span<const Token> written = launch_.arguments[i];
  bool inside = written.front().text == "&" && written.back().text == "]" &&
                written[written.size() - 2].text != "0";
  int depth = 0;
  for (const Token& token : written.subspan(1)) {
    depth += (token.text == "(" || token.text == "[") - (token.text == ")" || token.text == "]");
    inside = inside || (depth == 0 && (token.text == "+" || token.text == "-"));
  }
  return inside ? text_of(written) : "";
}

std::optional<HostValue> LaunchValues::part(const Parts& parts, std::size_t i,
                                            const std::optional<HostValue>& block) const {
  const std::size_t place = &parts == &launch_.grid    ? launch_.grid_place
                            : &parts == &launch_.block ? launch_.block_place
                                                       : launch_.place;
  return i < parts.size() ? host_.value(parts[i], place, block) : std::nullopt;
}

std::string LaunchValues::block_name(std::size_t axis) const {
  const auto extent = part(launch_.block, axis);
  if (!extent || !extent->sum || extent->sum->terms().size() != 1)
    return "";
  const auto& [product, factor] = *extent->sum->terms().begin();
  return product.size() == 1 && factor == 1 ? *product.begin() : "";
}

std::optional<std::int64_t> LaunchValues::block(std::size_t axis) const {
  if (axis > 0 && axis >= launch_.block.size())
    return launch_.block.empty() ? std::nullopt : std::optional<std::int64_t>(1);
  constexpr double most = 1024; // of every device
  const auto extent = part(launch_.block, axis);
  return extent && extent->whole && extent->number >= 1 && extent->number <= most
             ? std::optional(static_cast<std::int64_t>(extent->number))
             : std::nullopt;
}

std::optional<HostValue> LaunchValues::grid(std::size_t axis, const std::string& block) const {
  std::optional<HostValue> divisor;
  if (const auto threads = this->block(axis); threads && *threads > 1) {
    const auto number = whole_number(block);
    divisor = HostValue{.number = static_cast<double>(*threads),
                        .named = !number,
                        .sum = number ? Polynomial(*number) : Polynomial::of_name(block),
                        .written = ""};
  }
  auto blocks = part(launch_.grid, axis, divisor);
  return blocks && blocks->whole && blocks->number >= 1 ? blocks : std::nullopt;
}

std::vector<std::size_t> LaunchValues::arguments_in_grid(std::size_t axis) const {
  std::vector<std::size_t> found;
  const auto blocks = grid(axis, "1");
  if (!blocks || blocks->by_block || launch_.grid_place != launch_.place)
    return found;
  for (const Token& token : launch_.grid[axis])
    if (token.text == "/" || token.text == ".")
      return {};
  for (const Token& token : launch_.grid[axis])
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
      if (is_word(launch_.arguments[i]) && launch_.arguments[i][0].text == token.text)
        found.push_back(i);
  return found;
}

std::optional<HostValue> LaunchValues::shared() const {
  if (launch_.shared.empty())
    return std::nullopt;
  auto bytes = host_.value(launch_.shared, launch_.place);
  return bytes && bytes->whole && bytes->number >= 0 ? bytes : std::nullopt;
}

std::optional<std::int64_t> LaunchValues::threads() const {
  double threads = launch_.grid.empty() ? 0 : 1;
  for (const Parts* extents : {&launch_.grid, &launch_.block})
    for (std::size_t axis = 0; axis < extents->size(); ++axis) {
      const auto extent = part(*extents, axis);
      threads *= extent && !extent->named ? extent->number : 0;
    }
  return threads >= 1 && threads <= largest_size ? std::optional(static_cast<std::int64_t>(threads))
                                                 : std::nullopt;
}

std::optional<HostValue> LaunchValues::argument(std::size_t i) const {
  return i < launch_.arguments.size() || launch_.arguments.empty()
             ? part(launch_.arguments, i)
             : host_.value(tokens_of(kernel_.parameters[i].otherwise), kernel_.declaration.first);
}

std::optional<HostValue> LaunchValues::member(std::size_t i, const std::string& name) const {
  if (i >= launch_.arguments.size() || !is_word(launch_.arguments[i]))
    return std::nullopt;
  const std::string text = fmt::format("{}.{}", launch_.arguments[i][0].text, name);
  return host_.value(tokens_of(text), launch_.place);
}

std::optional<HostValue> LaunchValues::allocated(std::size_t i, int bytes) const {
  std::optional<HostValue> found;
  for (const HostAllocation& each : allocations(i)) {
    const auto one = host_.value(each.bytes, each.place);
    if (!one || !one->whole || (found && found->number != one->number))
      return std::nullopt;
    found = one;
  }
  return found ? elements_of(*found, bytes) : std::nullopt;
}

} // namespace gridsmith
