// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/drafted_files.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/draft/device_part.hpp"
#include "gridsmith/kernels/host_code/kernel_launch.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/kernels/source/readable_files.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"
#include "gridsmith/tuner/inspection/signature_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;

constexpr int draft_capability = 90; // as of check-definition

/// One line where it is short, else one for each part.
std::string written(const Ordered& json, std::size_t indent) {
  constexpr std::size_t widest = 150; // an argument in one line
  std::string line = json_text(json);
  if (!json.is_structured() || json.empty() || indent + line.size() <= widest)
    return line;
  const std::string blanks(indent + 2, ' ');
  std::string text;
  for (auto part = json.begin(); part != json.end(); ++part) {
    text += (text.empty() ? "\n" : ",\n") + blanks;
    if (json.is_object())
      text += json_text(Ordered(part.key())) + ": ";
    text += written(part.value(), indent + 2);
  }
  return (json.is_object() ? "{" : "[") + text + "\n" + std::string(indent, ' ') +
         (json.is_object() ? "}" : "]");
}

ReadableFolders readable(const DraftOrder& order) {
  ReadableFolders folders{fs::weakly_canonical(fs::absolute(order.file).parent_path())};
  for (const fs::path& folder : order.include)
    folders.push_back(fs::weakly_canonical(folder));
  return folders;
}

std::shared_ptr<const SourceBundle> read_source_of(const DraftOrder& order) {
  std::error_code error;
  if (fs::is_directory(order.file, error))
    throw InputError(order.file.string() + ": is a folder; name a source, such as kernel.cu");
  HeaderSearch search;
  for (const fs::path& folder : order.include)
    search.folders.push_back(fs::weakly_canonical(folder).string());
  search.units = order.units;
  const auto bundle =
      read_bundle(fs::weakly_canonical(fs::absolute(order.file)), search, readable(order));
  if (!bundle)
    throw InputError(order.file.string() + (fs::exists(order.file, error)
                                                ? ": cannot be read"
                                                : ": there is no such file"));
  const std::string& text = bundle->main.text;
  if (text.find('\0') != text.npos || well_formed(text) != text)
    throw InputError(order.file.string() + ": is no text in UTF-8, so no source");
  return bundle;
}

/// Headers that have what the file lacks.
void refuse_without_kernel(const DraftOrder& order, const SourceBundle& bundle) {
  std::string others;
  for (const SourceFile& header : bundle.headers)
    if (const auto names = kernel_names(header.text); !names.empty())
      others +=
          fmt::format("{}{} ({})", others.empty() ? "" : ", ", header.name, fmt::join(names, ", "));
  if (!others.empty())
    throw InputError(
        fmt::format("{}: no kernel is in it, but in headers that it includes; name one of "
                    "them: {}",
                    order.file.string(), others));
}

bool is_launched(const ReadSource& source, const KernelSignature& kernel) {
  return launch_of(source.tokens, source.kernels, kernel).launch.has_value();
}

/// Sources of the same folder that include this file, as they are called there.
std::vector<fs::path> including_files(const fs::path& file) {
  constexpr std::size_t most = 200; // of a folder that is no project's
  static const std::set<fs::path> extensions{".cu", ".cuh", ".cpp", ".cc"};
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : entries_of(file.parent_path(), error))
    if (extensions.contains(entry.path().extension()) && entry.path() != file &&
        entry.is_regular_file(error) && found.size() < most)
      found.push_back(entry.path());
  std::erase_if(found, [&](const fs::path& one) {
    const auto text = read_start(one, longest_source);
    return !text || text->find('"' + file.filename().string() + '"') == text->npos;
  });
  std::sort(found.begin(), found.end());
  return found;
}

/// With another file's host code; nothing where that does not launch the kernel, or cannot be read.
std::optional<ReadSource> read_with(const DraftOrder& order, const ReadSource& source,
                                    const fs::path& host, const std::string& kernel) {
  try {
    DraftOrder asked = order;
    asked.file = host;
    ReadSource found(source.bundle, order.macros, read_source_of(asked));
    const KernelSignature& same = kernel_named(found, kernel, host.string());
    return found.has(same) && is_launched(found, same) ? std::optional(std::move(found))
                                                       : std::nullopt;
  } catch (const InputError&) { // it is not what is drafted
    return std::nullopt;
  }
}

/// Where the file launches the kernel nowhere, with the host code of the only one that includes it and does.
/// @param note what is to be said of that
ReadSource with_host_code(const DraftOrder& order, ReadSource source, const std::string& kernel,
                          std::string& note) {
  if (is_launched(source, kernel_named(source, kernel, order.file.string())))
    return source;
  std::vector<std::string> launching;
  std::optional<ReadSource> found;
  for (const fs::path& other : including_files(fs::weakly_canonical(fs::absolute(order.file))))
    if (auto one = read_with(order, source, other, kernel)) {
      launching.push_back(other.filename().string());
      found = std::move(one);
    }
  if (launching.size() == 1)
    note = fmt::format("the host code is that of {}, which includes this file", launching[0]);
  else if (!launching.empty())
    note = fmt::format("{} include this file and launch the kernel: --from with one of them takes "
                       "its host code",
                       fmt::join(launching, " and "));
  return launching.size() == 1 ? *std::move(found) : std::move(source);
}

/// The source that is tuned: the file as it is, or its device part.
struct CompiledSource {
  std::optional<DevicePart> part;
  SignatureTypes signature;
  Compiler compiler = Compiler::nvrtc;
  std::vector<std::string> options = {}; ///< that it does not compile without
};

std::string note_of(const std::string& error) {
  return printable(error.substr(0, 300));
}

/// @throws InputError: no name of a macro
std::vector<std::string> options_of(const DraftOrder& order) {
  std::vector<std::string> options;
  options.reserve(order.macros.size());
  for (const std::string& macro : order.macros)
    options.push_back(parse_compiler_options({"-D" + macro}).front().word());
  return options;
}

class Compiling {
public:
  Compiling(const DraftOrder& order, std::shared_ptr<const SourceBundle> bundle,
            const KernelChoice& choice)
      : order_(order), bundle_(std::move(bundle)), choice_(choice) {}

  /// @param copy the file cannot be named where the definition is
  CompiledSource compile(bool copy) {
    CompiledSource whole{{}, tried(bundle_, Compiler::nvrtc)};
    const bool as_it_is = (whole.signature.error.empty() || !asked_) && order_.units.empty();
    if (as_it_is && !copy)
      return whole;
    if (order_.in_place)
      return by_nvcc();
    DevicePart part = device_part(*bundle_);
    const auto source = make_bundle({bundle_->main.name, part.text}, {}, bundle_->folders);
    CompiledSource cut{part, tried(source, Compiler::nvrtc)};
    if (!cut.signature.error.empty())
      if (SignatureTypes all = tried(source, Compiler::nvrtc, {std::string(all_is_of_device)});
          all.error.empty())
        cut = {part, std::move(all), Compiler::nvrtc, {std::string(all_is_of_device)}};
    if (!cut.signature.error.empty() && asked_ && !copy)
      if (CompiledSource other = by_nvcc(); other.signature.error.empty())
        return other;
    const bool worth = cut.signature.error.empty() || part.left_out > 0 || copy;
    return worth ? cut : whole;
  }

private:
  CompiledSource by_nvcc() {
    std::vector<std::string> advised; // by nvcc's errors, one after the other
    CompiledSource whole{{}, tried(bundle_, Compiler::nvcc), Compiler::nvcc};
    for (const char* option : {"--expt-relaxed-constexpr", "--extended-lambda"})
      if (whole.signature.error.find(option) != std::string::npos) {
        advised.emplace_back(option);
        whole = {{}, tried(bundle_, Compiler::nvcc, advised), Compiler::nvcc, advised};
      }
    return whole;
  }

  SignatureTypes tried(const std::shared_ptr<const SourceBundle>& source, Compiler compiler,
                       std::vector<std::string> options = {}) {
    try {
      if (!pool_)
        pool_.emplace(settings());
      asked_ = true;
      for (const std::vector<std::string>& more : {options_of(order_), usual_values()})
        options.insert(options.end(), more.begin(), more.end());
      CompileRequest request{rewritten(source, choice_.rewritten),
                             choice_.plain_name,
                             std::move(options),
                             {},
                             compiler};
      if (compiler == Compiler::nvcc)
        request.units = order_.units;
      return signature_types(*pool_, std::move(request));
    } catch (const HelperError& error) {
      return {{}, std::string("not compiled: ") + error.what()};
    } catch (const InputError& error) { // what is tuned is not in the device part
      return {{}, error.what()};
    }
  }

  std::vector<std::string> usual_values() const {
    std::vector<std::string> options;
    for (const Tunable& one : choice_.tunables)
      if (choice_.rewritten.contains(one.name))
        options.push_back(fmt::format("-D{}={}", value_macro(one.name), one.usual));
    return options;
  }

  CompilerSettings settings() const {
    HelperSettings helpers = order_.helpers;
    helpers.compilers = 1;
    helpers.cache = false;
    return compiler_settings(helpers, readable(order_), draft_capability);
  }

  const DraftOrder& order_;
  std::shared_ptr<const SourceBundle> bundle_;
  const KernelChoice& choice_;
  std::optional<CompilerPool> pool_;
  bool asked_ = false;
};

KernelChoice wished_choice(const DraftOrder& order, const ReadSource& source,
                           const KernelSignature& kernel, std::vector<std::string> templates) {
  try {
    DraftWishes wishes = order.wishes;
    wishes.templates = std::move(templates);
    wishes.overload = !kernel_words(order.kernel).parameters.empty();
    if (!wishes.reference.empty())
      kernel_named(source, wishes.reference, order.file.string());
    return choice_of(source, kernel, std::move(wishes));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", order.file.string(), kernel.name, error.what()));
  }
}

} // namespace

void check_absent(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::not_found)
    throw InputError(file.string() + ": exists, and is not replaced; choose another name");
}

std::string definition_text(const nlohmann::ordered_json& definition) {
  return written(definition, 0) + "\n";
}

DraftedFiles draft_files(const DraftOrder& order) {
  const auto bundle = read_source_of(order);
  ReadSource read(bundle, order.macros);
  if (read.kernels.empty())
    refuse_without_kernel(order, *bundle);
  auto [name, templates] = kernel_and_templates(order.kernel);
  std::string host_note;
  const ReadSource source = with_host_code(order, std::move(read), name, host_note);
  const KernelSignature& kernel = kernel_named(source, name, order.file.string());
  KernelChoice choice = wished_choice(order, source, kernel, std::move(templates));
  if (!host_note.empty())
    choice.guesses.push_back({"KernelSpecification.GlobalSize", host_note});
  const fs::path home = fs::absolute(order.file).parent_path();
  const fs::path folder = order.folder.empty() ? order.file.parent_path() : order.folder;
  const bool elsewhere = !order.folder.empty() && !order.in_place &&
                         fs::weakly_canonical(fs::absolute(folder)) != fs::weakly_canonical(home);
  const CompiledSource compiled = Compiling(order, bundle, choice).compile(elsewhere);
  DraftedFiles files;
  files.kernel = kernel.name;
  files.definition = folder / ((order.name.empty() ? kernel.name : order.name) + ".json");
  files.source = compiled.part ? folder / (order.file.stem().string() + "_device.cu") : order.file;
  files.source_text = compiled.part ? compiled.part->text : "";
  files.left_out = compiled.part ? compiled.part->left_out : 0;
  files.uncompiled = note_of(compiled.signature.error);
  try {
    Draft draft = draft_of(
        source, kernel, choice, compiled.signature.types,
        order.in_place
            ? fs::weakly_canonical(fs::absolute(order.file)).lexically_relative(folder).string()
            : files.source.filename().string());
    files.guesses = draft.guesses;
    files.missing = std::move(draft.missing);
    if (!compiled.part)
      files.diff = rewriting_diff(*bundle, *rewritten(bundle, choice.rewritten));
    files.by_nvcc = compiled.compiler == Compiler::nvcc;
    if (files.by_nvcc)
      draft.json["Gridsmith"]["Compiler"] = "nvcc";
    for (const std::string& option : options_of(order))
      draft.json["KernelSpecification"]["CompilerOptions"].push_back(option);
    for (const std::string& option : compiled.options)
      draft.json["KernelSpecification"]["CompilerOptions"].push_back(option);
    for (const std::string& unit : order.units)
      draft.json["Gridsmith"]["Sources"].push_back((fs::weakly_canonical(home) / unit)
                                                       .lexically_normal()
                                                       .lexically_relative(folder)
                                                       .string());
    files.definition_text = definition_text(draft.json);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", order.file.string(), kernel.name, error.what()));
  }
  return files;
}

} // namespace gridsmith
