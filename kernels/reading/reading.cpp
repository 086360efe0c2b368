// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/reading.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/reading/json_document.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// Its parent_path() is the folder above: that of "DIR/." is DIR, and that of "DIR/.." too.
fs::path folder_of(const fs::path& json_file) {
  fs::path folder = fs::absolute(json_file).parent_path();
  while (folder.filename() == ".")
    folder = folder.parent_path();
  std::error_code error;
  const fs::path real = folder.filename() == ".." ? fs::canonical(folder, error) : fs::path();
  return real.empty() ? folder : real;
}

/// NAME, or NAME/NAME as the kernels of a catalogue lie, of a source: nobody's key or list is named so.
bool is_kernel_of_its_own(const fs::path& name) {
  const std::string stem = name.filename().native().substr(0, name.filename().native().find('.'));
  return has_source_ending(name) && !is_hidden(name) &&
         (!name.has_parent_path() || name.parent_path() == stem);
}

/// The source outside of the definition's folder that it may name; "" where there is none.
fs::path source_above(const fs::path& json_file, const fs::path& name) {
  const fs::path folder = folder_of(json_file), parent = folder.parent_path();
  std::error_code error;
  const bool elsewhere = is_kernel_of_its_own(name) && !fs::exists(folder / name, error) &&
                         fs::exists(parent / name, error);
  return elsewhere ? fs::weakly_canonical(parent) / name : fs::path();
}

void check_readable(const JsonField& field, const fs::path& file,
                    const KernelDefinition& definition) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  try {
    readable_file(file, definition.readable);
  } catch (const InputError& refused) {
    field.fail(refused.what());
  }
  if (fs::exists(fs::file_status(type)) && type != fs::file_type::regular)
    field.fail(file.string() + " is not a regular file");
}

std::int64_t read_extent(const JsonField& field) {
  try {
    const double extent = to_number(field.expression().evaluate(Bindings{}));
    if (extent >= 1 && extent <= 9e15 &&
        extent == static_cast<double>(static_cast<std::int64_t>(extent)))
      return static_cast<std::int64_t>(extent);
  } catch (const EvaluationError& error) {
    field.fail(error.what());
  }
  field.fail("expected a positive integer");
}

/// Names by which other tools call a field.
std::string_view name_here(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> others{
      {{"Constraints", "Conditions"},
       {"Restrictions", "Conditions"},
       {"Parameters", "TuningParameters"},
       {"BlockSize", "LocalSize"},
       {"GridSize", "GlobalSize"}}};
  const auto found = std::find_if(others.begin(), others.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == others.end() ? "" : found->second;
}

/// The field of those that are read which this may have been meant to be; "" unknown.
std::string meant_field(const std::string& name, const std::vector<std::string>& read) {
  const std::string_view here = name_here(name);
  return std::find(read.begin(), read.end(), here) != read.end() ? std::string(here)
                                                                 : nearest_name(name, read);
}

} // namespace

std::vector<std::string> argument_names(const KernelDefinition& definition,
                                        const std::function<bool(const Argument&)>& which) {
  std::vector<std::string> names;
  for (const Argument& argument : definition.arguments)
    if (which(argument))
      names.push_back(argument.name);
  return names;
}

void tell_unknown(const JsonField& object, const std::vector<std::string>& read,
                  const std::vector<std::string>& others, Reading& reading) {
  constexpr std::size_t few = 4; // that are listed
  if (!object.present())
    return;
  if (!object.json().is_object() && read.size() <= few)
    object.fail(fmt::format("expected an object with {}{}", fmt::join(read, ", "), object.found()));
  const std::vector<std::string> names = object.names();
  const auto in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : names) {
    const bool remark = name.empty() || name.front() == '_' || name.front() == '$';
    if (remark || in(read, name) || in(others, name))
      continue;
    const std::string meant = meant_field(name, read);
    if (!meant.empty() && !in(names, meant) && !object.find(name).json().empty())
      reading.warn(object, "unknown field '" + name + "'; did you mean '" + meant + "'?");
    else
      reading.hint(object, "unknown field '" + name + "' is not read");
  }
}

ReadableFolders readable_folders(const fs::path& json_file, const std::vector<fs::path>& include) {
  ReadableFolders folders{fs::weakly_canonical(folder_of(json_file))};
  std::error_code error;
  for (const fs::path& folder : include) {
    if (!fs::is_directory(folder, error))
      throw InputError(folder.string() + ": is no folder; expected one with headers");
    folders.push_back(fs::canonical(folder));
  }
  return folders;
}

void read_source(const JsonField& field, Reading& reading) {
  KernelDefinition& definition = reading.definition;
  definition.source = folder_of(definition.file) / field.text();
  if (const fs::path above = source_above(definition.file, field.text()); !above.empty()) {
    definition.source = folder_of(definition.file).parent_path() / field.text();
    definition.readable.push_back(above);
  }
  check_readable(field, definition.source, definition);
  std::error_code error;
  if (definition.runnable() && !fs::exists(definition.source, error))
    reading.warn(field, "there is no " + definition.source.string() +
                            " and none in the folder above; nothing can be compiled");
}

fs::path located_file(const JsonField& field, const KernelDefinition& definition) {
  const fs::path file = folder_of(definition.file) / field.text();
  check_readable(field, file, definition);
  std::error_code error;
  if (!fs::exists(file, error))
    field.fail("there is no " + file.string());
  return file;
}

void read_compiler_options(const JsonField& field, const std::vector<fs::path>& include,
                           KernelDefinition& definition) {
  std::vector<std::string> words;
  for (const JsonField& word : field.elements())
    if (const std::string text = word.text(); text.find_first_not_of(' ') != std::string::npos)
      words.push_back(text);
  if (!definition.runnable())
    return; // another compiler's; it is never started
  try {
    for (CompilerOption& option : parse_compiler_options(words)) {
      if (option.names_folder) {
        const fs::path found =
            readable_folder(folder_of(definition.file) / option.value, definition.readable);
        std::error_code error;
        if (!fs::is_directory(found, error))
          definition.remarks.push_back(
              {true,
               field.located("'-I " + option.value + "': there is no folder " + found.string())});
        option.value = found.string();
      }
      definition.compiler_options.push_back(option.word());
    }
  } catch (const InputError& error) {
    field.fail(error.what());
  }
  for (const fs::path& folder : include)
    definition.compiler_options.push_back("--include-path=" + fs::canonical(folder).string());
}

ProblemSize read_problem_size(const JsonField& field) {
  if (field.json().is_string()) {
    try {
      return problem_size_from_text(field.text());
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }
  if (field.json().is_number())
    return {{read_extent(field)}};
  ProblemSize size;
  for (const JsonField& element : field.elements())
    size.extents.push_back(read_extent(element));
  if (size.extents.empty() || size.extents.size() > 3)
    field.fail("expected 1 to 3 extents");
  return size;
}

void add_problem_size(const JsonField& field, ProblemSize size, KernelDefinition& definition) {
  auto& sizes = definition.problem_sizes;
  if (!sizes.empty() && sizes.front().extents.size() != size.extents.size())
    field.fail(to_text(size) + " has another number of extents than " + to_text(sizes.front()));
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
    sizes.push_back(std::move(size));
}

} // namespace gridsmith
