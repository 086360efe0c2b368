// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/plain_launch.hpp"

#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/header/plain_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace gridsmith {
namespace {

PlainCode known(const std::optional<PlainCode>& code, std::int64_t least) {
  if (!code || code->least < least)
    throw NotPlain{};
  return *code;
}

/// What all configurations ask of a device.
struct Needs {
  std::set<std::string> facts; ///< that are used
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t threads = 1, shared_bytes = 0;
};

/// One configuration of one kernel.
class LaunchWriter {
public:
  /// @param needs gains those of the configuration
  LaunchWriter(const KernelDefinition& definition, const KernelCode& code,
               const Configuration& configuration, Needs& needs)
      : definition_(definition), code_(code), configuration_(configuration), needs_(needs) {}

  std::string body() const {
    std::array<std::int64_t, 3> block = {};
    for (std::size_t axis = 0; axis < 3; ++axis)
      block[axis] = block_of(axis);
    std::array<std::string, 3> grid;
    for (std::size_t axis = 0; axis < 3; ++axis)
      grid[axis] = grid_of(axis, block[axis]).text;
    const PlainCode shared = definition_.dynamic_shared_bytes
                                 ? known(code_of(*definition_.dynamic_shared_bytes), 0)
                                 : PlainCode{"0", 0, 0};
    need(block, shared.most);
    return fmt::format("      launch = Launch{{{{{}}}, {{{}}}, {}}};\n{}      return {};\n",
                       fmt::join(grid, ", "), fmt::join(block, ", "), shared.text, limited(),
                       condition(block));
  }

private:
  void need(const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes) const {
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      needs_.block[axis] = std::max(needs_.block[axis], block[axis]);
      if (threads > largest_plain || block[axis] > largest_plain)
        throw NotPlain{};
      threads *= block[axis];
    }
    needs_.threads = std::max(needs_.threads, threads);
    needs_.shared_bytes = std::max(needs_.shared_bytes, shared_bytes);
  }

  std::optional<PlainCode> code_of(const Expression& expression) const {
    return plain_code(expression, [this](std::string_view name) { return meaning(name); });
  }

  /// As the interpreter looks it up: parameters, extents, facts.
  PlainName meaning(std::string_view text) const {
    const std::string name(text);
    if (const Value* value = find_value(configuration_, name))
      return *value;
    for (std::size_t i = 0; i < code_.extents.size(); ++i) {
      const bool named = i < definition_.extent_names.size() && definition_.extent_names[i] == name;
      if (named || name == fmt::format("ProblemSize[{}]", i))
        return extent(i);
    }
    return fact(name);
  }

  PlainName fact(const std::string& name) const {
    const auto facts = device_facts(Device{});
    const bool whole = !name.starts_with("peak_");
    if (!whole || std::none_of(facts.begin(), facts.end(),
                               [&](const auto& entry) { return entry.first == name; }))
      return {};
    needs_.facts.insert(name);
    return PlainCode{"d." + name, 1, largest_plain};
  }

  PlainCode extent(std::size_t axis) const {
    return axis < code_.extents.size() ? PlainCode{code_.extents[axis], 1, largest_plain}
                                       : PlainCode{"1", 1, 1};
  }

  bool is_automatic(std::size_t axis) const {
    return definition_.automatic && static_cast<int>(axis) < definition_.automatic->dimensions;
  }

  std::int64_t block_of(std::size_t axis) const {
    std::int64_t extent = definition_.automatic || axis > 0 ? 1 : 256; // Kernel Tuner's
    if (definition_.block[axis] && !is_automatic(axis)) {
      const PlainCode own = known(code_of(*definition_.block[axis]), 1);
      extent = own.constant() ? own.least : 0;
    } else if (const Value* value = find_value(configuration_, block_names[axis])) {
      const auto* whole = std::get_if<std::int64_t>(value);
      extent = whole ? *whole : 0;
    }
    if (extent < 1 || extent > std::numeric_limits<int>::max())
      throw NotPlain{};
    return extent;
  }

  PlainCode grid_of(std::size_t axis, std::int64_t block) const {
    if (definition_.has_grid_div())
      return divided(axis, block);
    if (definition_.grid[axis]) {
      const PlainCode size = known(code_of(*definition_.grid[axis]), 1);
      if (size.most > std::int64_t{1} << 53)
        throw NotPlain{};
      return definition_.grid_unit == GridUnit::threads ? plain_covering(size, block) : size;
    }
    if (definition_.grid[0] || definition_.grid[1] || definition_.grid[2])
      return {"1", 1, 1};
    return axis_cover(definition_, axis) == AxisCover::by_blocks ? extent(axis)
                                                                 : divided(axis, block);
  }

  PlainCode divided(std::size_t axis, std::int64_t block) const {
    const auto& factors = definition_.grid_div[axis];
    const AxisCover unsaid = axis_cover(definition_, axis);
    if (!factors && unsaid == AxisCover::once)
      return {"1", 1, 1};
    std::int64_t divisor = unsaid == AxisCover::by_threads && !factors ? block : 1;
    for (const Expression& factor : factors.value_or(std::vector<Expression>{})) {
      const PlainCode one = known(code_of(factor), 1);
      if (!one.constant() || one.least > largest_plain / divisor)
        throw NotPlain{};
      divisor *= one.least;
    }
    return plain_covering(extent(axis), divisor);
  }

  /// k blocks per SM instead of the whole problem.
  std::string limited() const {
    const Value* blocks = find_value(configuration_, "blocks_per_sm");
    if (!definition_.automatic || !blocks || to_number(*blocks) < 1)
      return "";
    needs_.facts.insert("sm_count");
    return fmt::format("      limit_plain(launch.grid, {} * d.sm_count);\n",
                       static_cast<std::int64_t>(to_number(*blocks)));
  }

  /// What pointers and rows have to be. Those of one alignment, a power of two, together: choosing asks
  /// it of every configuration.
  std::vector<std::string> layout() const {
    std::vector<std::string> texts;
    std::map<std::int64_t, std::string> together;
    for (const LayoutField& field : code_.layout) {
      const PlainCode needed = known(code_of(field.needed), 1);
      if (!field.alignment)
        texts.push_back(fmt::format("(p.{0} == 0 || p.{0} == {1})", field.name, needed.text));
      else if (needed.constant() && (needed.least & (needed.least - 1)) == 0)
        together[needed.least] += (together[needed.least].empty() ? "p." : " | p.") + field.name;
      else
        texts.push_back(fmt::format("p.{0} >= 0 && p.{0} % {1} == 0", field.name, needed.text));
    }
    for (const auto& [bytes, fields] : together)
      texts.push_back(fmt::format("(({}) & (INT64_MIN | {})) == 0", fields, bytes - 1));
    return texts;
  }

  std::string condition(const std::array<std::int64_t, 3>& block) const {
    std::string all;
    const auto add = [&](const PlainCode& code) {
      if (code.constant() && code.least == 0)
        all = "false";
      else if (!code.constant() && all != "false")
        all += (all.empty() ? "" : " && ") + code.text;
    };
    for (const Constraint& constraint : definition_.constraints) {
      const PlainCode holds = known(code_of(constraint.expression), 0);
      if (holds.most > 1)
        throw NotPlain{};
      add(holds);
    }
    for (const std::string& lies : layout())
      add({lies, 0, 1});
    if (definition_.automatic) {
      needs_.facts.insert("warp_size");
      std::int64_t threads = 1;
      for (int axis = 0; axis < definition_.automatic->dimensions; ++axis)
        threads *= std::min<std::int64_t>(block[static_cast<std::size_t>(axis)], 1 << 20);
      add({fmt::format("{} % d.warp_size == 0", threads), 0, 1});
    }
    return all.empty() ? "true" : all;
  }

  const KernelDefinition& definition_;
  const KernelCode& code_;
  const Configuration& configuration_;
  Needs& needs_;
};

std::string guard(const KernelCode& code, const Needs& needs) {
  std::string text;
  for (const std::string& extent : code.extents)
    text += fmt::format("{}p.{} <= largest_plain", text.empty() ? "" : " && ", extent);
  for (const std::string& fact : needs.facts)
    text += fmt::format(" && d.{0} >= 1 && d.{0} <= largest_plain", fact);
  text += fmt::format(" &&\n           block_fits({}, {}, {}, d)", fmt::join(needs.block, ", "),
                      needs.threads, needs.shared_bytes);
  return fmt::format(
      "  template <class P>\n"
      "  static GRIDSMITH_TUNED_FN bool is_plain(const P& p, const Device& d) {{\n    return {};\n  }}\n",
      text);
}

} // namespace

std::optional<std::string> plain_launches(const KernelDefinition& definition,
                                          const KernelCode& code,
                                          std::span<const Configuration> configurations) {
  Needs needs;
  std::string text = "  template <int I, class P>\n"
                     "  static GRIDSMITH_TUNED_FN bool plain_runs(const P& p, [[maybe_unused]] "
                     "const Device& d, Launch& launch) {\n";
  for (const std::string& extent : code.extents)
    text += fmt::format("    [[maybe_unused]] const std::int64_t {0} = p.{0};\n", extent);
  try {
    for (std::size_t i = 0; i < configurations.size(); ++i)
      text += fmt::format("    if constexpr (I == {}) {{\n{}    }}\n", i,
                          LaunchWriter(definition, code, configurations[i], needs).body());
  } catch (const NotPlain&) {
    return std::nullopt;
  }
  return guard(code, needs) + text + "  }\n";
}

} // namespace gridsmith
