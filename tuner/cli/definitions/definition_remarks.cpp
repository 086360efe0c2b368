// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/definition_remarks.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace gridsmith {
namespace {

Remark remark(const KernelDefinition& definition, bool warning, const std::string& field,
              const std::string& what) {
  return {warning, fmt::format("{}: {}: {}", definition.file.string(), field, what)};
}

/// Of a size or a device it may be false of another.
bool names_facts(const Expression& condition, const KernelInstance& instance) {
  return std::any_of(condition.names().begin(), condition.names().end(),
                     [&](const std::string& name) { return instance.facts.contains(name); });
}

std::vector<Remark> condition_remarks(const KernelInstance& instance, const SearchSpace& space,
                                      const SpaceWatch& watch) {
  const KernelDefinition& definition = instance.definition;
  const Configuration any = space.at(0);
  std::vector<Remark> remarks;
  for (std::size_t i = 0; i < definition.constraints.size(); ++i) {
    const auto& [expression, text] = definition.constraints[i];
    if (!space.report(watch)[i].always_true || names_facts(expression, instance))
      continue;
    const Value value = expression.evaluate(lookup_in(any, instance.facts));
    const bool compares = std::holds_alternative<bool>(value);
    remarks.push_back(remark(
        definition, !compares, fmt::format("ConfigurationSpace.Conditions[{}].Expression", i),
        fmt::format("'{}' always holds and excludes nothing{}", text,
                    compares ? "" : ": its value is a number, not a comparison")));
  }
  return remarks;
}

/// The median size of those that are not 0; 0 where all are.
double typical_size(std::vector<double> some) {
  std::erase_if(some, [](double one) { return one == 0 || !std::isfinite(one); });
  for (double& one : some)
    one = std::fabs(one);
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return some.empty() ? 0 : *middle;
}

void add_tolerance(const KernelDefinition& definition, const ElementReport& report,
                   std::vector<Remark>& remarks) {
  const Tolerance& tolerance = report.of.tolerance;
  // What an author wrote is meant, up to a tenth; the rounding of a right result is below a hundredth.
  const double part = tolerance.absolute == Tolerance{}.absolute ? 0.01 : 0.1;
  const double relative = is_real(report.of.type) ? tolerance.relative : 0; // as it is compared
  const double size = typical_size(report.some);
  const double absolute = tolerance.absolute + tolerance.magnitude * size;
  if (size == 0 || absolute <= part * size)
    return;
  const bool zeros_pass = absolute + relative * size >= size;
  const std::string what = zeros_pass
                               ? "a kernel that writes only zeros passes"
                               : fmt::format("an error of {:.2g} % passes", 100 * absolute / size);
  const bool by_magnitude = tolerance.magnitude * size > tolerance.absolute;
  remarks.push_back(remark(definition, zeros_pass,
                           by_magnitude ? "Gridsmith.Reference.MagnitudeTolerance"
                                        : "Gridsmith.Reference.AbsoluteTolerance",
                           fmt::format("{:.3g} for elements of '{}' of about {:.3g}: {}", absolute,
                                       report.of.name, size, what)));
}

/// Of a result that is compared as real numbers are; whatever its elements are.
void add_relative_tolerance(const KernelDefinition& definition, std::vector<Remark>& remarks) {
  constexpr double doubtful = 0.1;
  double relative = 0;
  for (const Argument& argument : definition.arguments)
    if (argument.output && is_real(argument.type))
      relative = std::max(relative, argument.tolerance.relative);
  if (relative < doubtful)
    return;
  const bool zeros_pass = relative >= 1;
  remarks.push_back(remark(definition, zeros_pass, "Gridsmith.Reference.RelativeTolerance",
                           fmt::format("{:.3g} is {:.3g} %: {}", relative, 100 * relative,
                                       zeros_pass ? "a kernel that writes only zeros passes"
                                                  : "so large an error passes")));
}

void add_late(const KernelDefinition& definition, const ElementReport& report,
              std::vector<Remark>& remarks) {
  const bool alone = !definition.reference.kernel;
  if (!report.late ||
      (alone && report.seconds_for_all() <= static_cast<double>(formula_limit.count())))
    return;
  remarks.push_back(remark(
      definition, alone, "Gridsmith.Reference.Element",
      fmt::format("an element of '{}' takes too long to be computed in time: {}", report.of.name,
                  alone ? "it can verify no result; use another reference"
                        : "few or none will be checked by it")));
}

} // namespace

std::vector<Remark> space_remarks(const KernelInstance& instance, const SearchSpace& space,
                                  std::vector<NamedValue>& absent) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds limit{5}; // for each of the two
  std::vector<Remark> remarks;
  const auto add = [&](auto&& find) {
    try {
      const SpaceWatch watch = [end = steady_clock::now() + limit](const SpaceProgress&) {
        return steady_clock::now() < end;
      };
      const std::vector<Remark> found = find(watch);
      remarks.insert(remarks.end(), found.begin(), found.end());
    } catch (const SpaceNotBuilt&) {
      return; // nothing is known in time; `space` has more
    }
  };
  add([&](const SpaceWatch& watch) { return condition_remarks(instance, space, watch); });
  add([&](const SpaceWatch& watch) {
    absent = absent_values(instance, space, watch);
    return absent.empty()
               ? std::vector<Remark>{}
               : std::vector{remark(instance.definition, false, to_text(instance.problem),
                                    "in no configuration: " + grouped_text(absent))};
  });
  return remarks;
}

std::vector<Remark> work_remarks(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition;
  std::vector<Remark> remarks;
  const auto check = [&](const char* field, const std::optional<Expression>& expression,
                         double amount) {
    const std::string given =
        fmt::format("gives {} at {}", number_text(amount), to_text(instance.problem));
    if (expression && !(amount >= 0))
      throw InputError(remark(definition, true, field, given + "; expected 0 or more").text);
    if (expression && amount == 0)
      remarks.push_back(remark(definition, false, field, given + ", which means unknown"));
  };
  check("Gridsmith.WorkModel.Flops", definition.flops, instance.model_flops);
  check("Gridsmith.WorkModel.Bytes", definition.bytes, instance.model_bytes);
  return remarks;
}

std::vector<Remark> input_remarks(const KernelInstance& instance) {
  std::vector<Remark> remarks;
  std::vector<ArgumentSpec> arguments = argument_specs(instance);
  read_contents(instance, arguments);
  for (const auto& [buffer, scalar] : arguments) {
    if (!buffer || !buffer->content)
      continue;
    const std::size_t size = size_of(buffer->type);
    std::uint64_t bad = 0;
    for (std::uint64_t i = 0; i < buffer->elements; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, buffer->content->data() + i * size, size); // little-endian
      bad += std::isfinite(value_of_bits(buffer->type, bits)) ? 0 : 1;
    }
    if (bad > 0)
      remarks.push_back(remark(instance.definition, bad == buffer->elements,
                               fmt::format("Gridsmith.Inputs.{}.File", buffer->name),
                               fmt::format("{} of {} elements are no finite numbers; results of "
                                           "NaN verify nothing",
                                           bad, buffer->elements)));
  }
  return remarks;
}

std::vector<Remark> element_remarks(const KernelDefinition& definition,
                                    const std::vector<ElementReport>& elements) {
  std::vector<Remark> remarks;
  const bool by_tolerance = definition.reference.accept.empty();
  if (by_tolerance)
    add_relative_tolerance(definition, remarks);
  for (const ElementReport& report : elements) {
    if (report.none_verified)
      remarks.push_back(
          remark(definition, true, "Gridsmith.Verify",
                 fmt::format("no element of {} was found that is verified", report.of.name)));
    if (report.source != "File" && report.not_finite)
      remarks.push_back(
          remark(definition, false,
                 report.source == "Fill" ? fmt::format("Gridsmith.Inputs.{}.Value", report.of.name)
                                         : "Gridsmith.Reference.Element",
                 fmt::format("{}[{}] is no finite number; results of NaN verify nothing",
                             report.of.name, *report.not_finite)));
    if (report.source != "Fill") {
      if (by_tolerance)
        add_tolerance(definition, report, remarks);
      add_late(definition, report, remarks);
    }
  }
  return remarks;
}

} // namespace gridsmith
