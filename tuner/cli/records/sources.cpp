// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/records/sources.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace gridsmith {
namespace {

/// Each file once, by whatever name it comes again.
std::vector<std::string> different(const std::vector<std::string>& files) {
  std::vector<std::string> kept;
  for (const std::string& file : files)
    if (std::error_code error; std::none_of(kept.begin(), kept.end(), [&](const std::string& one) {
          return std::filesystem::equivalent(one, file, error);
        }))
      kept.push_back(file);
  return kept;
}

/// The word after the command is a kernel elsewhere: 'gridsmith tune transpose'.
void refuse_kernel(const std::string& word) {
  std::error_code error;
  if (word != "-" && word.find_first_of("./") == word.npos && !std::filesystem::exists(word, error))
    throw InputError(word + ": there is no such store or recording; --kernel chooses a kernel of a "
                            "store");
}

} // namespace

void add_choice_options(CLI::App& command, std::string& kernel, std::string& problem) {
  command.add_option("--kernel", kernel, "Only this kernel")->type_name("KERNEL");
  command.add_option("--problem,--size", problem, "Only this problem size, e.g. 8192x8192")
      ->type_name("SIZE");
}

void add_choice_options(CLI::App& command, HoldingChoice& choice) {
  add_choice_options(command, choice.kernel, choice.problem);
  command.add_option("--device", choice.device, "Only the device of this name, e.g. 'NVIDIA H200'")
      ->type_name("NAME");
}

void add_source_options(CLI::App& command, SourceOptions& options) {
  command
      .add_option(
          "SOURCE", options.files,
          "Stores, recordings (ours, Kernel Tuner caches, T4, KTT, wisdom; .gz too) and profiles "
          "(CSV of ncu, nvprof and nsys, .ncu-rep, SQLite of nsys)")
      ->type_name("SOURCE…")
      ->default_str(usual_store);
  add_choice_options(command, options.choice);
}

std::vector<Holding> holdings_in(const std::string& file) {
  return is_ncu_report(file) ? holdings_of(read_ncu_report(file)) : holdings_of(file);
}

std::string nothing_in(const std::string& file) {
  std::error_code error;
  return file +
         (std::filesystem::file_size(file, error) == 0 ? " is empty" : ": holds no measurements");
}

std::vector<Holding> chosen_of(const SourceOptions& options) {
  std::vector<Holding> held;
  const std::vector<std::string> files = different(options.files);
  for (const std::string& file : files) {
    refuse_kernel(file);
    std::vector<Holding> of_file = holdings_in(file);
    if (of_file.empty() && files.size() > 1)
      throw InputError(nothing_in(file));
    held.insert(held.end(), std::make_move_iterator(of_file.begin()),
                std::make_move_iterator(of_file.end()));
  }
  if (held.empty()) {
    std::vector<std::string> lines;
    for (const std::string& file : files)
      lines.push_back(nothing_in(file));
    throw InputError(fmt::format("{}", fmt::join(lines, "; ")));
  }
  try {
    return chosen(std::move(held), options.choice);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", fmt::join(files, ", "), error.what()));
  }
}

} // namespace gridsmith
