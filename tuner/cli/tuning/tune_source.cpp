// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/tune_source.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/json_document.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/inspection/drafted_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::array of_sources{
    "--kernel", "--run",    "--set",   "--argument",         "--field",     "--source", "--grid",
    "--block",  "--shared", "--guess", "--write-definition", "--reference", "--define"};

/// "A" and "1 + 2" of "A=1 + 2".
std::pair<std::string, std::string> named(const std::string& text, const std::string& option,
                                          const std::string& example) {
  const std::size_t equals = text.find('=');
  std::string name(trimmed(text.substr(0, equals)));
  std::string value(equals == text.npos ? "" : trimmed(std::string_view(text).substr(equals + 1)));
  if (name.empty() || value.empty())
    throw InputError(fmt::format("{} '{}': expected {}", option, text, example));
  return {std::move(name), std::move(value)};
}

/// "64,128", or a list as definitions write it.
DraftWishes::Tuned tuned_of(const std::string& text) {
  constexpr const char* example = "NAME=64,128,256 or NAME=[2**i for i in range(5, 11)]";
  auto [name, list] = named(text, "--set", example);
  const bool bare = list.find_first_of("[(") == list.npos;
  DraftWishes::Tuned tuned{std::move(name), {}};
  try {
    for (const Value& value : parse_value_list(bare ? "[" + list + "]" : list)) {
      const auto* number = std::get_if<std::int64_t>(&value);
      if (!number)
        throw InputError("whole numbers are expected");
      if (std::find(tuned.values.begin(), tuned.values.end(), *number) == tuned.values.end())
        tuned.values.push_back(*number);
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("--set '{}': {}; expected {}", text, error.what(), example));
  }
  if (tuned.values.empty())
    throw InputError(fmt::format("--set '{}': has no values; expected {}", text, example));
  return tuned;
}

/// Up to three, between commas that stand in no brackets.
std::array<std::string, 3> extents_of(const std::string& text, const char* option) {
  std::array<std::string, 3> extents;
  std::size_t axis = 0;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0)
      extents[axis] += c;
    else if (++axis == extents.size())
      throw InputError(fmt::format("{} '{}': more than three extents", option, text));
  }
  for (std::string& extent : extents)
    extent = std::string(trimmed(extent));
  if (!text.empty() &&
      std::any_of(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                  [](const std::string& one) { return one.empty(); }))
    throw InputError(fmt::format("{} '{}': an extent is empty", option, text));
  return extents;
}

/// "./app 1 2" is what a person runs: the program's own name is no argument.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  if (!words.empty() && (words.front().starts_with("./") || words.front().starts_with('/')))
    words.erase(words.begin());
  return words;
}

DraftWishes wishes_of(const FileOptions& options, const SessionSettings& session) {
  DraftWishes wishes;
  for (const std::string& text : options.set) {
    wishes.tuned.push_back(tuned_of(text));
    for (std::size_t i = 0; i + 1 < wishes.tuned.size(); ++i)
      if (wishes.tuned[i].name == wishes.tuned.back().name)
        throw InputError(fmt::format("--set names {} twice", wishes.tuned[i].name));
  }
  for (const std::string& text : options.arguments)
    if (!wishes.arguments
             .insert(named(text, "--argument", "NAME=VALUE, or for a vector NAME=ELEMENTS"))
             .second)
      throw InputError(fmt::format("--argument '{}': the argument is named twice", text));
  wishes.grid = extents_of(options.grid, "--grid");
  wishes.block = extents_of(options.block, "--block");
  wishes.shared = options.shared;
  if (options.run)
    wishes.run = words_of(*options.run);
  if (!session.problems.empty())
    wishes.sizes = session.problems.front().extents;
  wishes.reference = options.reference;
  return wishes;
}

/// A definition reads below its own folder alone.
fs::path folder_for(const fs::path& source, const std::string& written) {
  fs::path home = fs::weakly_canonical(fs::absolute(source)).parent_path();
  if (written.empty())
    return home;
  const fs::path folder = fs::weakly_canonical(fs::absolute(written)).parent_path();
  if (const fs::path below = home.lexically_relative(folder);
      below.empty() || *below.begin() == "..")
    throw InputError(fmt::format("--write-definition {}: a definition reads below its own folder; "
                                 "write it to the folder of {} or one above",
                                 written, source.string()));
  return folder;
}

/// What was guessed of a field, of what holds it and of what is in it: "Arguments[2].FillValue" is "Arguments.2.FillValue".
void forget_guesses(nlohmann::ordered_json& root, const std::string& path) {
  const auto place = nlohmann::ordered_json::json_pointer("/Gridsmith/Guesses");
  if (!root.contains(place))
    return;
  std::vector<std::string> false_now;
  for (const auto& [guessed, why] : root.at(place).items()) {
    std::string of;
    for (const char one : guessed)
      of += one == '[' ? "." : one == ']' ? "" : std::string(1, one);
    if ((of + ".").starts_with(path + ".") || (path + ".").starts_with(of + "."))
      false_now.push_back(guessed);
  }
  for (const std::string& one : false_now)
    root.at(place).erase(one);
}

/// "Gridsmith.Inputs.shape.Value" from the root; numbers are places in a list.
void set_field(nlohmann::ordered_json& root, const std::string& text) {
  const auto [path, value] =
      named(text, "--field", "PATH=VALUE, such as Gridsmith.WorkModel.Bytes=\"8 * n\"");
  nlohmann::ordered_json* at = &root;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) {
    if (at->is_array()) {
      const auto i = whole_number(part);
      if (!i || *i >= static_cast<std::int64_t>(at->size()))
        throw InputError(
            fmt::format("--field '{}': '{}' is no place of a list of {}", text, part, at->size()));
      at = &(*at)[static_cast<std::size_t>(*i)];
    } else if (at->is_object() || at->is_null()) {
      at = &(*at)[part];
    } else {
      throw InputError(
          fmt::format("--field '{}': what stands before '{}' has no fields", text, part));
    }
  }
  auto json = nlohmann::ordered_json::parse(value, nullptr, false);
  *at = json.is_discarded() ? nlohmann::ordered_json(value) : std::move(json);
  forget_guesses(root, path);
}

/// From the source's folder.
std::vector<std::string> units_of(const FileOptions& options, const fs::path& source) {
  const fs::path home = fs::weakly_canonical(fs::absolute(source)).parent_path();
  std::vector<std::string> units;
  units.reserve(options.sources.size());
  for (const std::string& file : options.sources)
    units.push_back(fs::weakly_canonical(fs::absolute(file)).lexically_relative(home).string());
  return units;
}

void refuse_missing(const DraftedFiles& files, const fs::path& source) {
  throw InputError(fmt::format(
      "{}: {}: the file does not say all that a launch needs. Give {}. Or --guess takes the "
      "guesses of 'gridsmith init --from {}'",
      source.string(), files.kernel, fmt::join(files.missing, "; "), source.string()));
}

std::string shown(const DraftedFiles& files, const FileOptions& options, const fs::path& source) {
  std::string text = fmt::format("{} of {}, by {}, ", files.kernel, source.string(),
                                 files.by_nvcc ? "nvcc" : "NVRTC");
  text += options.write.empty()
              ? "with this definition (--write-definition FILE keeps it):\n\n"
              : fmt::format("with the definition that is kept in {}:\n\n", options.write);
  text += files.definition_text;
  if (!files.diff.empty())
    text += fmt::format("\nValues are put into a copy of the source:\n\n{}", files.diff);
  text +=
      options.reference.empty()
          ? "\nResults are compared with those of the default values, which nothing else confirms.\n\n"
          : fmt::format("\nResults are compared with those of {}.\n\n", options.reference);
  return text;
}

} // namespace

void add_file_options(CLI::App& command, FileOptions& options) {
  constexpr const char* group = "A kernel of a source FILE.cu";
  add_source_kernel_option(command, options.kernel)->group(group);
  command
      .add_option(
          "--set", options.set,
          "Tune this name with these values: a macro or a constant of the source, a "
          "parameter of the kernel's template, a variable of the launch's block or grid, or "
          "block_size_x, _y, _z; default: what looks like a block or an unrolling; may be "
          "repeated")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false)
      ->group(group);
  add_define_option(command, options.macros)->group(group);
  command
      .add_option("--run", options.run,
                  "Arguments that the program is run with, \"1024 100\": sizes, scalars and launch "
                  "are what its host code makes of them; the program itself is not run")
      ->type_name("ARGUMENTS")
      ->group(group);
  command
      .add_option("--argument", options.arguments,
                  "Value of a scalar, or elements of a vector, as an expression of numbers and "
                  "extents, where the file's host code does not say it; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--grid", options.grid,
                  "Blocks along x, y, z, as expressions of extents and tuned names; default: as "
                  "the file launches the kernel")
      ->type_name("X[,Y[,Z]]")
      ->group(group);
  command
      .add_option("--block", options.block,
                  "Threads along x, y, z: numbers or names that are tuned; default: likewise")
      ->type_name("X[,Y[,Z]]")
      ->group(group);
  command
      .add_option("--shared", options.shared, "Bytes of dynamic shared memory; default: likewise")
      ->type_name("BYTES")
      ->group(group);
  command
      .add_option("--field", options.fields,
                  "Any other field of the definition, such as "
                  "Gridsmith.Inputs.shape.Value=\"1024 ** (2 - i)\", as JSON or as a text; may be "
                  "repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--source", options.sources,
                  "Another source with device functions that the kernel calls: compiled by itself "
                  "and linked; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--reference", options.reference,
                  "Kernel of the source whose results are right; default: the kernel itself with "
                  "the values that the source has")
      ->type_name("KERNEL")
      ->group(group);
  command
      .add_flag("--guess", options.guess,
                "Guess what neither the file nor an option says, as 'gridsmith init --from' does")
      ->group(group);
  command
      .add_option("--write-definition", options.write,
                  "Keep the definition that is made of the source; a file that exists is not "
                  "replaced")
      ->type_name("FILE")
      ->group(group);
}

std::optional<SourceDraft> draft_source(const CLI::App& command, const FileOptions& options,
                                        const SessionSettings& session) {
  const fs::path source = session.kernel;
  if (!has_source_ending(source)) {
    for (const char* option : of_sources)
      if (command.count(option) > 0)
        throw InputError(
            fmt::format("{} is of a source, such as 'gridsmith tune main.cu', and {}", option,
                        session.kernel.empty() ? "none is named" : session.kernel + " is none"));
    return std::nullopt;
  }
  if (session.recording)
    throw InputError("--recording replays a definition's kernel, and " + session.kernel +
                     " is a source");
  if (!options.write.empty())
    check_absent(options.write);
  const DraftOrder order{.file = source,
                         .kernel = options.kernel,
                         .name = {},
                         .folder = folder_for(source, options.write),
                         .include = session.include,
                         .helpers = session.helpers,
                         .wishes = wishes_of(options, session),
                         .units = units_of(options, source),
                         .macros = options.macros,
                         .in_place = true};
  DraftedFiles files = draft_files(order);
  std::erase_if(files.missing, [&](const std::string& one) {
    return std::any_of(options.fields.begin(), options.fields.end(), [&](const std::string& field) {
      return one.starts_with("--field " + field.substr(0, field.find('=')));
    });
  });
  if (!files.missing.empty() && !options.guess)
    refuse_missing(files, source);
  if (!files.uncompiled.empty())
    throw InputError(fmt::format("{}: {} does not compile: {}", source.string(), files.kernel,
                                 files.uncompiled));
  if (!options.fields.empty()) {
    auto json = nlohmann::ordered_json::parse(files.definition_text);
    for (const std::string& field : options.fields)
      set_field(json, field);
    files.definition_text = definition_text(json);
  }
  const fs::path file = options.write.empty() ? source : fs::path(options.write);
  KernelDefinition definition = parse_definition(
      files.definition_text, file, options.write.empty() ? files.kernel : file.stem().string(),
      session.include);
  std::erase_if(definition.remarks, [](const Remark& one) { // shown with the definition
    return one.text.find("Gridsmith.Guesses") != std::string::npos;
  });
  SourceDraft draft;
  draft.definition = std::make_shared<const KernelDefinition>(std::move(definition));
  if (!options.write.empty())
    write_packed(options.write, files.definition_text);
  draft.text = shown(files, options, source);
  return draft;
}

} // namespace gridsmith
