// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_definition.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/kernels/reading/json_document.hpp"
#include "gridsmith/kernels/reading/read_ktt.hpp"
#include "gridsmith/kernels/reading/read_section.hpp"
#include "gridsmith/kernels/reading/read_space.hpp"
#include "gridsmith/kernels/reading/read_types.hpp"
#include "gridsmith/kernels/reading/reading.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gridsmith {
namespace {

template <class T>
struct Word {
  std::string_view name;
  T meaning;
};

template <class T, std::size_t N>
T word_of(const JsonField& field, std::string_view kind, const Word<T> (&words)[N]) {
  const std::string text = field.text();
  std::vector<std::string> valid;
  for (const auto& word : words) {
    if (word.name == text)
      return word.meaning;
    valid.emplace_back(word.name);
  }
  field.fail(unknown_name(kind, text, valid));
}

constexpr Word<bool> memory_words[] = {{"Vector", true}, {"Scalar", false}};
constexpr Word<Access> access_words[] = {{"ReadOnly", Access::read_only},
                                         {"WriteOnly", Access::write_only},
                                         {"ReadWrite", Access::read_write}};
constexpr Word<Fill> fill_words[] = {{"Constant", Fill::constant}, {"Random", Fill::random}};
constexpr Word<GridUnit> unit_words[] = {
    {"CUDA", GridUnit::blocks}, {"OpenCL", GridUnit::threads}, {"Vulkan", GridUnit::blocks}};

/// A name, an expression, a number, or an array of these, whose product divides the extent.
std::vector<Expression> read_divisors(const JsonField& field, Reading& reading) {
  std::vector<Expression> divisors;
  if (!field.json().is_array())
    divisors.push_back(reading.expression(field, true));
  else
    for (const JsonField& element : field.elements())
      divisors.push_back(reading.expression(element, true));
  return divisors;
}

/// Real files carry geometry of another problem, or of a kernel that only other tools run: with
/// names that mean nothing, of an axis that the problem has not, or in a language that is not run.
bool is_stale(const std::vector<Expression>& expressions, std::size_t axis,
              const KernelDefinition& definition) {
  if (definition.runnable() && axis < definition.default_problem().extents.size())
    return false;
  const auto known = [&](const std::string& name) {
    return std::any_of(definition.parameters.begin(), definition.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name; });
  };
  return std::any_of(expressions.begin(), expressions.end(), [&](const Expression& expression) {
    const auto& names = expression.names();
    return !std::all_of(names.begin(), names.end(), known);
  });
}

/// The geometry of what is not run changes nothing here.
void tell_stale(const JsonField& field, Reading& reading) {
  const std::string what = "names something that the definition does not have, and is ignored";
  reading.definition.runnable() ? reading.warn(field, what) : reading.hint(field, what);
}

void read_grid_div(const JsonField& field, std::size_t axis, Reading& reading) {
  const std::size_t checks = reading.checks.size();
  std::vector<Expression> divisors = read_divisors(field, reading);
  if (!reading.ours && is_stale(divisors, axis, reading.definition)) {
    reading.checks.erase(reading.checks.begin() + static_cast<std::ptrdiff_t>(checks),
                         reading.checks.end());
    return tell_stale(field, reading);
  }
  reading.definition.grid_div[axis] = std::move(divisors);
}

/// Of LocalSize and GlobalSize.
void read_extent(const JsonField& field, std::size_t axis, std::optional<Expression>& extent,
                 Reading& reading) {
  if (!reading.ours && !reading.definition.runnable() &&
      is_stale({field.expression()}, axis, reading.definition))
    return tell_stale(field, reading);
  extent = reading.expression(field, true);
}

void read_geometry(const JsonField& kernel, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  tell_unknown(kernel.find("LocalSize"), {"X", "Y", "Z"}, {}, reading);
  tell_unknown(kernel.find("GlobalSize"), {"X", "Y", "Z"}, {}, reading);
  if (const JsonField type = kernel.find("GlobalSizeType"); type.present())
    definition.grid_unit = word_of(type, "GlobalSizeType", unit_words);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const JsonField divisors = kernel.find("GridDiv" + std::string(axis_names[axis]));
    if (divisors.present())
      read_grid_div(divisors, axis, reading);
    const JsonField block = kernel.find("LocalSize").find(axis_names[axis]);
    if (block.present())
      read_extent(block, axis, definition.block[axis], reading);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const JsonField grid = kernel.find("GlobalSize").find(axis_names[axis]);
    // Beside GridDiv it is stale in real files and may name anything: not even its names count.
    if (grid.present() && !definition.has_grid_div())
      read_extent(grid, axis, definition.grid[axis], reading);
  }
  if (kernel.find("GlobalSize").present() && definition.has_grid_div())
    reading.hint(kernel.find("GlobalSize"), "is ignored because there is GridDiv");
  if (const JsonField shared = kernel.find("SharedMemory"); shared.present())
    definition.dynamic_shared_bytes = reading.expression(shared, true);
}

/// Whether its elements are verified.
bool read_output(const JsonField& field) {
  const Value value = field.value();
  if (!same_value(value, true) && !same_value(value, false))
    field.fail("expected 1 or true (its elements are verified), or 0 or false");
  return is_true(value);
}

Argument read_argument(const JsonField& entry, Reading& reading) {
  tell_unknown(entry,
               {"Name", "Type", "MemoryType", "AccessType", "FillType", "FillValue", "Size",
                "Output", "MemType"},
               {"TypeSize", "DataSource", "RandomSeed", "Description", "Comment"}, reading);
  Argument argument;
  if (const JsonField name = entry.find("Name"); name.present() || reading.ours) {
    argument.name = entry.required("Name").text();
  } else { // KTT's files may leave it out
    argument.name = fmt::format("arg{}", reading.definition.arguments.size());
    reading.hint(entry, "has no Name; it is called " + argument.name + " here");
  }
  for (const Argument& other : reading.definition.arguments)
    if (other.name == argument.name)
      reading.object_to(entry.find("Name"), "argument '" + argument.name + "' appears twice");
  argument.is_vector = word_of(entry.required("MemoryType"), "memory type", memory_words);
  read_type(entry.required("Type"), argument, reading);
  if (const JsonField access = entry.find("AccessType"); access.present())
    argument.access = word_of(access, "access type", access_words);
  if (const JsonField fill = entry.find("FillType");
      !read_ktt_fill(entry, argument, reading) && fill.present())
    argument.fill = word_of(fill, "fill type", fill_words);
  if (const JsonField value = entry.find("FillValue"); value.present()) {
    if (value.json().is_string() && !argument.is_vector)
      argument.value = reading.number(value);
    else
      argument.fill_value = value.number();
  }
  if (argument.is_vector)
    argument.size = reading.expression(entry.required("Size"), true);
  if (const JsonField output = entry.find("Output"); output.present())
    argument.output = read_output(output);
  if (const JsonField access = entry.find("AccessType");
      argument.output && access.present() && argument.access == Access::read_only)
    reading.warn(access, "'" + argument.name +
                             "' is marked Output and is ReadOnly: what no kernel "
                             "writes verifies nothing; expected WriteOnly or ReadWrite");
  if (const JsonField memory = entry.find("MemType"); memory.present()) {
    argument.constant_memory = memory.text() == "Constant";
    if (!argument.constant_memory && memory.text() != "Global")
      reading.warn(memory, "'" + memory.text() + "' is not known (valid: Constant, Global), so '" +
                               argument.name + "' is in global memory");
  }
  return argument;
}

/// A parameter that names threads or a block, and a block that takes no notice of it.
void tell_unused_block(const JsonField& root, Reading& reading) {
  const KernelDefinition& definition = reading.definition;
  if (definition.automatic || definition.block[0] || definition.block[1] || definition.block[2])
    return;
  std::string candidate;
  for (const Parameter& parameter : definition.parameters) {
    if (parameter.name.starts_with("block_size_"))
      return;
    const std::string lower = lower_case(parameter.name);
    const bool counts_blocks = lower.starts_with("blocks");
    if ((lower.starts_with("block") && !counts_blocks) || lower.starts_with("threads"))
      candidate = parameter.name;
  }
  if (!candidate.empty())
    reading.hint(root.find("KernelSpecification"),
                 "has no LocalSize, so a block has 256 threads whatever '" + candidate + "' is");
}

/// A scalar of an extent's name is that extent, unless something else is said of it.
void take_extents(const JsonField& root, KernelDefinition& definition) {
  const auto entries = root.find("KernelSpecification").find("Arguments").elements();
  const auto& names = definition.extent_names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Argument& argument = definition.arguments[i];
    const bool said = entries[i].find("FillValue").present() || argument.value || argument.pitch ||
                      argument.texture || argument.layout;
    if (!argument.is_vector && !said &&
        std::find(names.begin(), names.end(), argument.name) != names.end())
      argument.value = Expression::parse(argument.name);
  }
}

/// What would be 0 because nobody says what it is.
void check_fillings(const JsonField& root, Reading& reading) {
  const KernelDefinition& definition = reading.definition;
  const auto entries = root.find("KernelSpecification").find("Arguments").elements();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Argument& argument = definition.arguments[i];
    if (entries[i].find("FillValue").present() || argument.value || argument.pitch ||
        argument.texture || !argument.field_values.empty())
      continue;
    if (!argument.is_vector)
      reading.object_to(entries[i], "the scalar '" + argument.name +
                                        "' has no value, so it would be 0; give it a FillValue, or "
                                        "an expression in Gridsmith.Scalars");
    else if (argument.fill == Fill::random && is_real(argument.type))
      reading.object_to(entries[i], "the vector '" + argument.name +
                                        "' is Random times its FillValue, which is missing and so "
                                        "would be 0; 1 gives numbers in [-1, 1)");
  }
}

/// Parameters become macros on the compiler's command line.
void check_macros(const JsonField& root, const KernelDefinition& definition) {
  const auto check_value = [](const JsonField& field, const std::string& name, const Value& value) {
    if (!is_one_line(to_macro(value)))
      field.fail("a value of '" + name + "' has characters that are not printed");
  };
  const auto entries = root.find("ConfigurationSpace").find("TuningParameters").elements();
  for (const Parameter& parameter : definition.parameters)
    for (const JsonField& entry : entries)
      if (entry.find("Name").text() == parameter.name)
        for (const Value& value : parameter.values)
          check_value(entry, parameter.name, value);
  for (const auto& [name, value] : definition.defaults)
    check_value(root.find("ConfigurationSpace"), name, value);
  for (const auto& [name, value] : definition.reference.kernel_values)
    check_value(root.find("Gridsmith").find("Reference"), name, value);
}

/// Other tools' languages have any names; one that is ours but for its letters' case is a slip.
std::string read_language(const JsonField& field) {
  const std::string language = field.text();
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  if (constexpr std::string_view ours = "CUDA";
      language != ours &&
      std::equal(language.begin(), language.end(), ours.begin(), ours.end(), same))
    field.fail("unknown language '" + language + "'; did you mean 'CUDA'?");
  return language;
}

void read_kernel(const JsonField& kernel, const std::vector<std::filesystem::path>& include,
                 Reading& reading) {
  KernelDefinition& definition = reading.definition;
  tell_unknown(kernel,
               {"Language", "KernelName", "KernelFile", "CompilerOptions", "ProblemSize",
                "GlobalSizeType", "GlobalSize", "LocalSize", "GridDivX", "GridDivY", "GridDivZ",
                "SharedMemory", "Arguments"},
               {"BenchmarkName", "Device", "Profiling", "ReferenceArguments", "SimulationInput",
                "Stream", "Misc", "Description", "Comment"},
               reading);
  definition.language = read_language(kernel.required("Language"));
  definition.kernel = kernel.required("KernelName").text();
  if (kernel_words(definition.kernel).name.empty())
    kernel.find("KernelName").fail("the name of a function is needed");
  read_source(kernel.required("KernelFile"), reading);
  read_compiler_options(kernel.find("CompilerOptions"), include, definition);
  if (const JsonField size = kernel.find("ProblemSize"); size.present()) {
    add_problem_size(size, read_problem_size(size), definition);
  }
  read_geometry(kernel, reading);
  for (const JsonField& entry : kernel.find("Arguments").elements())
    definition.arguments.push_back(read_argument(entry, reading));
  if (!reading.referred)
    read_ktt_reference(kernel.find("ReferenceArguments"), reading);
}

std::vector<std::string> fact_names(const KernelDefinition& definition) {
  std::vector<std::string> names = definition.extent_names;
  const std::size_t extents =
      definition.problem_sizes.empty() ? 0 : definition.problem_sizes.front().extents.size();
  for (std::size_t i = 0; i < extents; ++i)
    names.push_back("ProblemSize[" + std::to_string(i) + "]");
  for (const auto& [name, value] : device_facts(Device{}))
    names.push_back(name);
  return names;
}

std::vector<std::string> tunable_names(const KernelDefinition& definition) {
  std::vector<std::string> names = automatic_names(definition.automatic);
  for (const Parameter& parameter : definition.parameters)
    names.push_back(parameter.name);
  return names;
}

/// Each name once, so that an expression means one thing.
void check_clashes(const JsonField& root, const KernelDefinition& definition,
                   const NamedParts& parts) {
  std::set<std::string> seen;
  for (const std::string& name : fact_names(definition))
    if (!seen.insert(name).second)
      root.find("Gridsmith").find("Extents").fail("'" + name + "' already means something else");
  for (const std::string& name : tunable_names(definition))
    if (std::find(definition.extent_names.begin(), definition.extent_names.end(), name) !=
        definition.extent_names.end())
      root.find("Gridsmith").find("Extents").fail("'" + name + "' is a parameter already");
  for (const std::string& name : tunable_names(definition))
    seen.insert(name);
  for (const Argument& argument : definition.arguments)
    seen.insert(argument.name);
  for (const auto& [name, text] : parts.texts())
    if (seen.contains(name))
      root.find("Gridsmith").find("Let").find(name).fail("the name already means something else");
}

/// Results are JSON too, and easily taken for what they are of.
void refuse_recordings(const JsonField& root) {
  if (!root.json().is_object())
    root.fail("expected an object with ConfigurationSpace and KernelSpecification");
  if (root.find("ConfigurationSpace").present() || root.find("KernelSpecification").present())
    return;
  for (const char* name : {"gridsmith recording", "results", "cache", "Results"})
    if (root.find(name).present())
      root.fail(
          "is a recording, no kernel definition; 'gridsmith tune --recording FILE' replays it");
  for (const char* name : {"configurationSpace", "kernelSpecification", "kernel_specification"})
    if (root.find(name).present())
      root.fail(fmt::format(
          "has '{}': an older form, where T1 writes ConfigurationSpace and KernelSpecification, with "
          "LocalSize for blockSize, GlobalSize for gridSize, Size for length, FillValue for value",
          name));
  root.fail(
      "has neither ConfigurationSpace nor KernelSpecification, so it is no kernel definition; "
      "'gridsmith init NAME' writes one");
}

/// Without it all that follows would be errors of something else.
void refuse_misspelt_section(const JsonField& root) {
  if (root.find("Gridsmith").present())
    return;
  const std::vector<std::string> ours{"Gridsmith"};
  for (const std::string& name : root.names())
    if (!nearest_name(name, ours).empty())
      root.fail(unknown_name("section", name, ours));
}

/// What the tree does not show.
void tell_writing(const JsonDocument& document, const JsonField& root, Reading& reading) {
  for (const std::string& path : document.twice) {
    const JsonField field(&root.json(), reading.definition.file, path);
    if (path.starts_with("Gridsmith"))
      field.fail("appears twice");
    reading.warn(field, "appears twice; the last one counts");
  }
  if (document.comments)
    reading.hint(root, "has comments, which Gridsmith skips and other tools for T1 do not read");
}

/// Of some parameter.
bool is_text_value(const std::string& name, const KernelDefinition& definition) {
  return std::any_of(definition.parameters.begin(), definition.parameters.end(),
                     [&](const Parameter& parameter) {
                       const auto& values = parameter.values;
                       return std::find(values.begin(), values.end(), Value(name)) != values.end();
                     });
}

void check_names(const Reading& reading) {
  const std::vector<std::string> facts = fact_names(reading.definition);
  std::vector<std::string> all = tunable_names(reading.definition);
  all.insert(all.end(), facts.begin(), facts.end());
  for (const Reading::Check& check : reading.checks) {
    const auto& valid = check.parameters ? all : facts;
    for (const std::string& name : check.expression.names())
      if (std::find(check.also.begin(), check.also.end(), name) == check.also.end() &&
          std::find(valid.begin(), valid.end(), name) == valid.end())
        check.field.fail("'" + check.expression.text() + "': column " +
                         std::to_string(check.expression.column_of(name)) + ": " +
                         (is_text_value(name, reading.definition)
                              ? "a text stands between quotes: '" + name + "'"
                              : unknown_name("name", name, valid)));
  }
}

/// @throws InputError
void read(const JsonDocument& document, const JsonField& root,
          const std::vector<std::filesystem::path>& include, Reading& reading) {
  reading.definition.readable = readable_folders(reading.definition.file, include);
  refuse_recordings(root);
  refuse_misspelt_section(root);
  reading.ours = root.find("Gridsmith").present();
  reading.referred = root.find("Gridsmith").find("Reference").present();
  tell_unknown(root, {"ConfigurationSpace", "KernelSpecification", "Gridsmith"},
               {"General", "Search", "Budget", "BenchmarkConfig", "Description", "Comment"},
               reading);
  tell_writing(document, root, reading);
  reading.parts = NamedParts(root.find("Gridsmith").find("Let"));
  const JsonField space = root.required("ConfigurationSpace");
  read_space(space, reading);
  read_types(root.find("Gridsmith").find("Types"), reading);
  read_kernel(root.required("KernelSpecification"), include, reading);
  read_section(root.find("Gridsmith"), root, reading);
  take_extents(root, reading.definition);
  check_macro_names(root, reading.definition);
  if (reading.definition.runnable())
    check_macros(root, reading.definition);
  check_clashes(root, reading.definition, reading.parts);
  check_names(reading);
  tell_strange_values(space, reading);
  if (reading.definition.runnable()) {
    check_fillings(root, reading);
    tell_unused_block(root, reading);
  }
}

/// What is misspelt in one place is missing in another: the first such remark, after an error.
std::string likely_reason(const KernelDefinition& definition) {
  const std::string file = definition.file.string() + ": ";
  for (const Remark& remark : definition.remarks)
    if (remark.text.find("did you mean") != std::string::npos)
      return "; " + remark.text.substr(remark.text.starts_with(file) ? file.size() : 0);
  return "";
}

KernelDefinition definition_of(const JsonDocument& document, const std::filesystem::path& file,
                               const std::string& name,
                               const std::vector<std::filesystem::path>& include) {
  Reading reading;
  reading.definition.file = file;
  reading.definition.name = name;
  reading.definition.file_hash = document.hash;
  try {
    read(document, JsonField(&document.root, file, ""), include, reading);
  } catch (const InputError& error) {
    throw InputError(error.what() + likely_reason(reading.definition));
  }
  return std::move(reading.definition);
}

} // namespace

KernelDefinition read_definition(const std::filesystem::path& file,
                                 const std::vector<std::filesystem::path>& include) {
  return definition_of(read_document(file), file, file.stem().string(), include);
}

KernelDefinition parse_definition(const std::string& text, const std::filesystem::path& file,
                                  const std::string& name,
                                  const std::vector<std::filesystem::path>& include) {
  return definition_of(parse_document(text, file), file, name, include);
}

} // namespace gridsmith
