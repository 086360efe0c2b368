// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_ktt.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/reading/read_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gridsmith {
namespace {

constexpr double ktt_threshold = 1e-4; // where none is said

const std::vector<std::string> validation_methods{
    "SideBySideComparison", "SideBySideRelativeComparison", "AbsoluteDifference"};

/// One of them that may be missing, as files of inputs are seldom published: said, and an error once it is needed.
std::filesystem::path data_file(const JsonField& field, Reading& reading) {
  try {
    return located_file(field, reading.definition);
  } catch (const InputError&) {
    const auto file = reading.definition.file.parent_path() / field.text();
    std::error_code error;
    if (std::filesystem::exists(file, error))
      throw;
    reading.warn(field, "there is no " + file.string() + ", so nothing can be run");
    return file;
  }
}

void read_tolerance(const JsonField& entry, Argument& target, Reading& reading) {
  const JsonField method = entry.find("ValidationMethod"),
                  threshold = entry.find("ValidationThreshold");
  const double most = threshold.present() ? threshold.number() : ktt_threshold;
  const std::string word = method.present() ? method.text() : "SideBySideComparison";
  target.tolerance = {.absolute = most, .relative = 0};
  if (word == "SideBySideRelativeComparison")
    target.tolerance = {.absolute = ktt_threshold, .relative = most};
  else if (word == "AbsoluteDifference")
    reading.hint(method, "is read as SideBySideComparison: element by element, not their sum");
  else if (word != "SideBySideComparison")
    method.fail(unknown_name("validation method", word, validation_methods));
}

void read_one(const JsonField& entry, Argument& target, Reading& reading) {
  Reference& reference = reading.definition.reference;
  const JsonField fill = entry.find("FillType");
  const std::string word = fill.present() ? fill.text() : "Constant";
  std::string formula;
  if (word == "Generator")
    formula = entry.required("DataSource").text();
  else if (word == "Constant")
    formula =
        fmt::format("{}", entry.find("FillValue").present() ? entry.find("FillValue").number() : 0);
  else if (word != "BinaryRaw")
    return reading.hint(fill,
                        "'" + word + "' is not read, so '" + target.name + "' is not verified");
  target.output = true;
  read_tolerance(entry, target, reading);
  if (word == "BinaryRaw") {
    reference.file = data_file(entry.required("DataSource"), reading);
    return;
  }
  try {
    check_formula(formula, target, reading.definition);
  } catch (const InputError& error) {
    entry.find("DataSource").fail(error.what());
  }
  reference.element[target.name] = formula;
}

} // namespace

bool read_ktt_fill(const JsonField& entry, Argument& argument, Reading& reading) {
  const JsonField fill = entry.find("FillType");
  const std::string word = fill.present() && fill.json().is_string() ? fill.text() : "";
  if (word == "Script")
    fill.fail(
        "a script would be run, which Gridsmith does for no definition; a Generator, an expression of the element's "
        "index i, or a file (BinaryRaw) says the same");
  if (word != "Generator" && word != "BinaryRaw")
    return false;
  const JsonField source = entry.required("DataSource");
  InputRule rule;
  if (word == "BinaryRaw") {
    rule.fill = Fill::file;
    rule.file = data_file(source, reading);
  } else if (argument.numbers_each > 1) {
    source.fail("an element of '" + argument.name +
                "' is several numbers; give them as a file, with the FillType BinaryRaw");
  } else {
    rule.fill = Fill::expression;
    try {
      read_element_value(source, argument, reading, rule);
    } catch (const InputError& error) {
      throw InputError(std::string(error.what()) +
                       "; of Python only arithmetic of i has a meaning here");
    }
  }
  argument.input = std::move(rule);
  return true;
}

void read_ktt_reference(const JsonField& entries, Reading& reading) {
  if (!entries.present())
    return;
  auto& arguments = reading.definition.arguments;
  for (const JsonField& entry : entries.elements()) {
    const JsonField target = entry.find("TargetName");
    const std::string name = target.present() ? target.text() : "";
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& one) {
      return one.is_vector && one.name == name;
    });
    if (found == arguments.end())
      reading.warn(entry, "TargetName '" + name +
                              "' is no vector argument, so nothing is compared with it");
    else
      read_one(entry, *found, reading);
  }
  Reference& reference = reading.definition.reference;
  if (reference.file && !reference.element.empty()) {
    reading.hint(entries, "has a file and others; only the file is compared with");
    reference.element.clear();
  }
}

} // namespace gridsmith
