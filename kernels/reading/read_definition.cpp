#include "gridsmith/kernels/reading/read_definition.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/reading/read_section.hpp"
#include "gridsmith/kernels/reading/reading.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/search/expression/value_list.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace gridsmith {
namespace {

constexpr std::array<std::string_view, 3> axes{"X", "Y", "Z"};

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

constexpr Word<ElementType> type_words[] = {
    {"float", ElementType::float32},  {"float32", ElementType::float32},
    {"double", ElementType::float64}, {"float64", ElementType::float64},
    {"half", ElementType::float16},   {"float16", ElementType::float16},
    {"int8", ElementType::int8},      {"char", ElementType::int8},
    {"uint8", ElementType::uint8},    {"uchar", ElementType::uint8},
    {"int16", ElementType::int16},    {"short", ElementType::int16},
    {"uint16", ElementType::uint16},  {"ushort", ElementType::uint16},
    {"int32", ElementType::int32},    {"int", ElementType::int32},
    {"uint32", ElementType::uint32},  {"uint", ElementType::uint32},
    {"int64", ElementType::int64},    {"long", ElementType::int64},
    {"uint64", ElementType::uint64},  {"ulong", ElementType::uint64},
    {"bool", ElementType::uint8},
};
constexpr Word<bool> memory_words[] = {{"Vector", true}, {"Scalar", false}};
constexpr Word<Access> access_words[] = {{"ReadOnly", Access::read_only},
                                         {"WriteOnly", Access::write_only},
                                         {"ReadWrite", Access::read_write}};
constexpr Word<Fill> fill_words[] = {{"Constant", Fill::constant}, {"Random", Fill::random}};
constexpr Word<GridUnit> unit_words[] = {
    {"CUDA", GridUnit::blocks}, {"OpenCL", GridUnit::threads}, {"Vulkan", GridUnit::blocks}};

std::vector<Value> read_values(const JsonField& field) {
  if (field.present() && field.json().is_string()) {
    try {
      return parse_value_list(field.text());
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }
  std::vector<Value> values;
  for (const JsonField& element : field.elements())
    values.push_back(element.value());
  return values;
}

void read_space(const JsonField& space, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  for (const JsonField& entry : space.required("TuningParameters").elements()) {
    Parameter parameter{entry.required("Name").text(), read_values(entry.required("Values"))};
    if (parameter.values.empty())
      entry.find("Values").fail("a parameter needs at least one value");
    if (const JsonField value = entry.find("Default"); value.present())
      definition.defaults.emplace_back(parameter.name, value.value());
    const auto same = [&](const Parameter& other) { return other.name == parameter.name; };
    if (std::any_of(definition.parameters.begin(), definition.parameters.end(), same))
      entry.find("Name").fail("parameter '" + parameter.name + "' is there twice");
    definition.parameters.push_back(std::move(parameter));
  }
  for (const JsonField& entry : space.find("Conditions").elements()) {
    const Expression expression = reading.expression(entry.required("Expression"), true);
    definition.constraints.push_back({expression, expression.text()});
  }
}

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

void read_geometry(const JsonField& kernel, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  if (const JsonField type = kernel.find("GlobalSizeType"); type.present())
    definition.grid_unit = word_of(type, "GlobalSizeType", unit_words);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const JsonField divisors = kernel.find("GridDiv" + std::string(axes[axis]));
    if (divisors.present())
      definition.grid_div[axis] = read_divisors(divisors, reading);
    const JsonField block = kernel.find("LocalSize").find(axes[axis]);
    if (block.present())
      definition.block[axis] = reading.expression(block, true);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const JsonField grid = kernel.find("GlobalSize").find(axes[axis]);
    // Beside GridDiv it is stale in real files and may name anything: not even its names count.
    if (grid.present() && !definition.has_grid_div())
      definition.grid[axis] = reading.expression(grid, true);
  }
  if (const JsonField shared = kernel.find("SharedMemory"); shared.present())
    definition.dynamic_shared_bytes = reading.expression(shared, true);
}

Argument read_argument(const JsonField& entry, Reading& reading) {
  Argument argument;
  argument.name = entry.required("Name").text();
  argument.type = word_of(entry.required("Type"), "type", type_words);
  argument.is_vector = word_of(entry.required("MemoryType"), "memory type", memory_words);
  if (const JsonField access = entry.find("AccessType"); access.present())
    argument.access = word_of(access, "access type", access_words);
  if (const JsonField fill = entry.find("FillType"); fill.present())
    argument.fill = word_of(fill, "fill type", fill_words);
  if (const JsonField value = entry.find("FillValue"); value.present()) {
    if (value.json().is_string() && !argument.is_vector)
      argument.value = reading.expression(value, false);
    else
      argument.fill_value = value.number();
  }
  if (argument.is_vector)
    argument.size = reading.expression(entry.required("Size"), true);
  if (const JsonField output = entry.find("Output"); output.present())
    argument.output = is_true(output.value());
  if (const JsonField memory = entry.find("MemType"); memory.present())
    argument.constant_memory = memory.text() == "Constant";
  return argument;
}

/// Parameters become macros on the compiler's command line.
void check_macros(const JsonField& root, const KernelDefinition& definition) {
  const auto check_value = [](const JsonField& field, const std::string& name, const Value& value) {
    if (!is_one_line(to_macro(value)))
      field.fail("a value of '" + name + "' has characters that are not printed");
  };
  const auto entries = root.find("ConfigurationSpace").find("TuningParameters").elements();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Parameter& parameter = definition.parameters[i];
    if (!is_macro_name(parameter.name))
      entries[i].fail("'" + parameter.name +
                      "' cannot be a macro of the source: letters, digits "
                      "and underscores, no digit first");
    for (const Value& value : parameter.values)
      check_value(entries[i], parameter.name, value);
  }
  for (const auto& [name, value] : definition.defaults)
    check_value(root.find("ConfigurationSpace"), name, value);
  for (const auto& [name, value] : definition.reference.kernel_values)
    check_value(root.find("Gridsmith").find("Reference"), name, value);
}

void read_kernel(const JsonField& kernel, const std::vector<std::filesystem::path>& include,
                 Reading& reading) {
  KernelDefinition& definition = reading.definition;
  definition.language = kernel.required("Language").text();
  definition.kernel = kernel.required("KernelName").text();
  read_source(kernel.required("KernelFile"), definition);
  read_compiler_options(kernel.find("CompilerOptions"), include, definition);
  if (const JsonField size = kernel.find("ProblemSize"); size.present()) {
    add_problem_size(size, read_problem_size(size), definition);
  }
  read_geometry(kernel, reading);
  for (const JsonField& entry : kernel.find("Arguments").elements())
    definition.arguments.push_back(read_argument(entry, reading));
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
  std::vector<std::string> names;
  for (const Parameter& parameter : definition.parameters)
    names.push_back(parameter.name);
  for (const std::string& name : automatic_names(definition.automatic))
    names.push_back(name);
  return names;
}

/// Each name once, so that an expression means one thing.
void check_clashes(const JsonField& root, const KernelDefinition& definition) {
  std::set<std::string> seen;
  for (const std::string& name : fact_names(definition))
    if (!seen.insert(name).second)
      root.find("Gridsmith").find("Extents").fail("'" + name + "' already means something else");
  for (const std::string& name : tunable_names(definition))
    if (std::find(definition.extent_names.begin(), definition.extent_names.end(), name) !=
        definition.extent_names.end())
      root.find("Gridsmith").find("Extents").fail("'" + name + "' is a parameter already");
}

/// A path to a file rather than a name of the catalogue.
bool looks_like_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

void check_names(const Reading& reading) {
  const std::vector<std::string> facts = fact_names(reading.definition);
  std::vector<std::string> all = tunable_names(reading.definition);
  all.insert(all.end(), facts.begin(), facts.end());
  for (const Reading::Check& check : reading.checks) {
    const auto& valid = check.parameters ? all : facts;
    for (const std::string& name : check.expression.names())
      if (std::find(valid.begin(), valid.end(), name) == valid.end())
        check.field.fail("'" + check.expression.text() + "': column " +
                         std::to_string(check.expression.column_of(name)) + ": " +
                         unknown_name("name", name, valid));
  }
}

} // namespace

KernelDefinition read_definition(const std::filesystem::path& file,
                                 const std::vector<std::filesystem::path>& include) {
  const Json document = read_json(file);
  const JsonField root(&document, file, "");
  Reading reading;
  reading.definition.file = file;
  reading.definition.name = file.stem().string();
  reading.definition.readable = readable_folders(file, include);
  if (!document.is_object())
    root.fail("expected an object with ConfigurationSpace and KernelSpecification");
  read_space(root.required("ConfigurationSpace"), reading);
  read_kernel(root.required("KernelSpecification"), include, reading);
  read_section(root.find("Gridsmith"), reading);
  if (reading.definition.runnable())
    check_macros(root, reading.definition);
  check_clashes(root, reading.definition);
  check_names(reading);
  return std::move(reading.definition);
}

std::vector<std::filesystem::path> catalogue(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto file = entry.path() / (entry.path().filename().string() + ".json");
    if (std::filesystem::is_regular_file(file, error))
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::filesystem::path find_definition(const std::string& name_or_path,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : catalogue(folder)) {
    names.push_back(file.stem().string());
    if (names.back() == name_or_path)
      return file;
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(name_or_path, error))
    return name_or_path;
  if (looks_like_path(name_or_path))
    throw InputError(name_or_path +
                     ": no such file; expected a kernel definition in JSON, or one "
                     "of the names in " +
                     folder.string());
  throw InputError(unknown_name("kernel", name_or_path, names));
}

} // namespace gridsmith
