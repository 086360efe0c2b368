// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/element_report.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace gridsmith {
namespace {

constexpr std::uint64_t most_between = 62;  // with the first and the last 64, as a spot check
constexpr std::uint64_t most_filled = 4094; // the whole of a table
constexpr std::uint64_t enough = 8;         // beyond the first two, which are the slowest to begin
constexpr std::chrono::milliseconds between_limit{50}; // for all of them

struct Computed {
  std::uint64_t bits = 0;
  double number = 0;
};

using Moment = OutputFormula::Clock::time_point;
/// Whether an element of this index is verified; empty: each is.
using Verified = std::function<bool(std::uint64_t)>;
/// Nothing where it was not done by then.
using ElementOf = std::function<std::optional<Computed>(std::uint64_t, Moment)>;

double seconds_since(Moment begin) {
  return std::chrono::duration<double>(OutputFormula::Clock::now() - begin).count();
}

/// What was computed so far, and how long it took.
class Elements {
public:
  Elements(ElementReport& report, const ElementOf& element) : report_(report), element_(element) {}

  std::optional<std::string> one(std::uint64_t index, std::chrono::milliseconds limit) {
    const auto begin = OutputFormula::Clock::now();
    const auto computed = element_(index, begin + limit);
    add(1, seconds_since(begin));
    if (!computed) {
      report_.late = true;
      return std::nullopt;
    }
    take(index, computed->number);
    return text_of_bits(report_.of.type, computed->bits);
  }

  void between(std::uint64_t most, const Verified& verified) {
    const std::uint64_t last = report_.of.elements - 1;
    const std::uint64_t count = last > most ? most : last > 0 ? last - 1 : 0;
    const auto begin = OutputFormula::Clock::now();
    std::uint64_t done = 0;
    while (done < count) {
      const std::uint64_t part = done + 1, parts = count + 1;
      const std::uint64_t index = last / parts * part + last % parts * part / parts;
      if (OutputFormula::Clock::now() > begin + between_limit)
        break;
      ++done;
      if (verified && !verified(index))
        continue;
      const auto computed = element_(index, begin + between_limit);
      if (!computed) {
        --done;
        break;
      }
      take(index, computed->number);
    }
    if (done >= enough)
      tried_ = 0, seconds_ = 0;
    if (done > 0)
      add(done, seconds_since(begin));
  }

  double ns_per_element() const { return 1e9 * seconds_ / static_cast<double>(tried_); }

private:
  void take(std::uint64_t index, double number) {
    report_.some.push_back(number);
    if (!std::isfinite(number) && !report_.not_finite)
      report_.not_finite = index;
  }

  void add(std::uint64_t tried, double seconds) {
    tried_ += tried;
    seconds_ += seconds;
  }

  ElementReport& report_;
  const ElementOf& element_;
  std::uint64_t tried_ = 0;
  double seconds_ = 0;
};

/// Between both that are given, as far as it comes in time.
void find_verified(const Verified& verified, std::uint64_t& first, std::uint64_t& last,
                   std::chrono::milliseconds limit) {
  const auto late = OutputFormula::Clock::now() + limit;
  while (first < last && !verified(first) && OutputFormula::Clock::now() < late)
    ++first;
  while (first < last && !verified(last) && OutputFormula::Clock::now() < late)
    --last;
}

ElementReport report_of(BufferSpec of, std::string_view source, const ElementOf& element,
                        std::chrono::milliseconds limit, const Verified& verified = {}) {
  ElementReport report;
  report.of = std::move(of);
  report.source = source;
  report.last_at = report.of.elements - 1;
  if (verified) {
    find_verified(verified, report.first_at, report.last_at, limit);
    if (!verified(report.last_at)) // the search took too long
      report.last_at = report.first_at;
    report.none_verified = !verified(report.first_at);
    if (report.none_verified)
      return report;
  }
  Elements elements(report, element);
  report.first = elements.one(report.first_at, limit);
  report.last =
      report.last_at > report.first_at ? elements.one(report.last_at, limit) : report.first;
  if (!report.late)
    elements.between(source == "Fill" ? most_filled : most_between, verified);
  report.ns_per_element = source == "File" ? 0 : elements.ns_per_element();
  return report;
}

BufferSpec without_content(BufferSpec spec) {
  spec.content.reset();
  return spec;
}

void add_formulas(const KernelInstance& instance, const std::vector<ArgumentSpec>& arguments,
                  std::chrono::milliseconds limit, std::vector<ElementReport>& reports) {
  for (OutputFormula& formula :
       output_formulas(instance.definition.reference.element, arguments, extents_of(instance), 1)) {
    const ElementType type = formula.output().type;
    const auto element = [&](std::uint64_t index, Moment deadline) {
      const auto number = formula.element(index, deadline);
      return number ? std::optional(Computed{
                          bits_of_number(type, *number),
                          std::visit([](auto one) { return static_cast<double>(one); }, *number)})
                    : std::nullopt;
    };
    auto truth = verified_formula(formula.output(), arguments, extents_of(instance));
    Verified verified;
    if (truth)
      verified = [&truth, limit](std::uint64_t index) {
        return truth->element(index, OutputFormula::Clock::now() + limit) !=
               ElementNumber(std::int64_t{0});
      };
    reports.push_back(
        report_of(without_content(formula.output()), "Element", element, limit, verified));
  }
}

void add_file(const KernelInstance& instance, const std::vector<ArgumentSpec>& arguments,
              std::chrono::milliseconds limit, std::vector<ElementReport>& reports) {
  std::error_code error;
  const auto& file = instance.definition.reference.file;
  if (!file || std::filesystem::file_size(*file, error) > longest_element_file || error)
    return;
  const std::string content = expected_output(instance);
  const char* begin = content.data();
  for (const auto& [buffer, scalar] : arguments) {
    if (!buffer || !buffer->output)
      continue;
    const ElementType type = buffer->type;
    const auto element = [&](std::uint64_t index, Moment) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, begin + index * size_of(type), size_of(type)); // little-endian
      return std::optional(Computed{bits, value_of_bits(type, bits)});
    };
    reports.push_back(report_of(without_content(*buffer), "File", element, limit));
    begin += buffer->elements * size_of(type);
  }
}

void add_fills(const std::vector<ArgumentSpec>& arguments, std::chrono::milliseconds limit,
               std::vector<ElementReport>& reports) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& buffer = arguments[i].buffer;
    if (!buffer || buffer->fill != Fill::expression)
      continue;
    const FilledBuffer filled(arguments, 1, i);
    const auto element = [&](std::uint64_t index, Moment) {
      return std::optional(Computed{filled.bits(index), filled.value(index)});
    };
    reports.push_back(report_of(*buffer, "Fill", element, limit));
  }
}

} // namespace

double ElementReport::seconds_for_all() const {
  return static_cast<double>(of.elements) * ns_per_element * 1e-9;
}

std::vector<ElementReport> element_reports(const KernelInstance& instance,
                                           std::chrono::milliseconds limit) {
  std::vector<ElementReport> reports;
  std::vector<ArgumentSpec> arguments = argument_specs(instance);
  read_contents(instance, arguments);
  add_formulas(instance, arguments, limit, reports);
  add_file(instance, arguments, limit, reports);
  add_fills(arguments, limit, reports);
  return reports;
}

std::string to_text(const ElementReport& report) {
  const auto element = [&](std::uint64_t index, const std::optional<std::string>& value) {
    return fmt::format("{}[{}]{}", report.of.name, index,
                       value ? " = " + *value : " was not computed in time");
  };
  if (report.none_verified)
    return report.of.name + ": no element was found that is verified";
  std::string text = element(report.first_at, report.first);
  if (report.last_at > report.first_at)
    text += ", " + element(report.last_at, report.last);
  if (report.source == "File")
    return text + ", of the file";
  text += fmt::format("; {}{} an element", report.late ? "more than " : "",
                      duration_text(report.ns_per_element * 1e-9));
  return report.of.elements == 1
             ? text
             : text + fmt::format(", {} for all {} by this processor",
                                  duration_text(report.seconds_for_all()), report.of.elements);
}

nlohmann::json to_json(const ElementReport& report) {
  return {{"argument", report.of.name},
          {"source", report.source},
          {"elements", report.of.elements},
          {"first", or_null(report.first)},
          {"first_at", report.first_at},
          {"last", or_null(report.last)},
          {"last_at", report.last_at},
          {"ns_per_element", report.ns_per_element},
          {"seconds_for_all", report.seconds_for_all()},
          {"late", report.late},
          {"none_verified", report.none_verified}};
}

} // namespace gridsmith
