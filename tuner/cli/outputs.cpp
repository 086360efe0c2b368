// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/outputs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/presentation/kept_file.hpp"
#include "gridsmith/tuner/presentation/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// Devices, pipes and standard output are written to and lose nothing.
bool may_lose(const std::string& file) {
  std::error_code error;
  return !takes_standard_output({file}) &&
         (!fs::exists(file, error) || fs::is_regular_file(file, error));
}

[[noreturn]] void refuse(const OutputFile& output, const std::string& why) {
  throw InputError(
      fmt::format("{} {}: {}; choose another name", output.option, printable(output.file), why));
}

/// The store, which may not be there yet, and whatever else the command line names that is there.
bool reads(const CLI::App& command, const CLI::Option& option, const std::string& value) {
  std::error_code error;
  if (option.check_name("--store"))
    return !command.get_option_no_throw("--no-store") || command.count("--no-store") == 0;
  return fs::is_regular_file(value, error);
}

/// A header is made again from the one that was shipped before.
bool made_from(const OutputFile& output, const CLI::Option& option) {
  return output.format == "header" &&
         (option.check_name("--previous") || option.check_name("SHIPPED"));
}

void check_inputs(const CLI::App& command, const OutputFile& output,
                  const std::vector<OutputFile>& outputs) {
  for (const CLI::Option* option : command.get_options()) {
    const auto writes = [&](const OutputFile& one) { return option->check_name(one.option); };
    if (std::any_of(outputs.begin(), outputs.end(), writes) || made_from(output, *option))
      continue;
    for (const std::string& value :
         option->count() > 0 ? option->results() : std::vector{option->get_default_str()})
      if (reads(command, *option, value)) {
        if (same_file(value, output.file))
          refuse(output,
                 fmt::format("is what {} names",
                             option->get_positional() ? "the command" : option->get_name()));
        if (option->check_name("--store") && belongs_to(output.file, value))
          refuse(output, fmt::format("belongs to the store {}", printable(value)));
      }
  }
}

void check_others(const OutputFile& output, const std::vector<OutputFile>& outputs) {
  for (const OutputFile& other : outputs)
    if (&other != &output && may_lose(other.file) && same_file(other.file, output.file))
      refuse(output, "is written by " + (other.option == output.option
                                             ? other.option + " " + printable(other.format) + " too"
                                             : other.option + " too"));
}

/// A name that says another format would open in another program.
void check_ending(const OutputFile& output) {
  const std::string ending = fs::path(output.file).extension().string();
  if (output.format == "report" && !ending.empty() && ending != ".html" && ending != ".htm")
    throw InputError(fmt::format("{} {}: the report is HTML; give a name that ends in .html",
                                 output.option, printable(output.file)));
}

void check_content(const OutputFile& output) {
  if (const std::string why = why_kept(output.file, output.format); !why.empty())
    refuse(output, why);
}

} // namespace

std::vector<std::string> files_of(const std::vector<OutputFile>& outputs) {
  std::vector<std::string> files;
  files.reserve(outputs.size());
  for (const OutputFile& output : outputs)
    files.push_back(output.file);
  return files;
}

void check_outputs(const CLI::App& command, const std::vector<OutputFile>& outputs, bool taken) {
  const auto on_standard_output =
      std::count_if(outputs.begin(), outputs.end(),
                    [](const OutputFile& output) { return takes_standard_output({output.file}); });
  if (on_standard_output + taken > 1)
    throw InputError("only one result can go to standard output; name files for the others");
  for (const OutputFile& output : outputs) {
    if (takes_standard_output({output.file}))
      continue;
    check_writable(output.file);
    if (!may_lose(output.file))
      continue;
    check_others(output, outputs);
    check_inputs(command, output, outputs);
    check_content(output);
    check_ending(output);
  }
}

} // namespace gridsmith
