// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// What was printed in place of tables says why.
std::string said(const ProgramOutput& output) {
  const std::string text = printable(output.text.substr(0, 200));
  return text.empty() ? "" : ": " + text;
}

std::vector<fs::path> folders_below(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error))
    if (entry.path().filename().string().starts_with(prefix) && entry.is_directory(error))
      found.push_back(entry.path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

} // namespace

bool is_ncu_report(const fs::path& file) {
  return file.extension() == ".ncu-rep" || file.extension() == ".nsight-cuprof-report";
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders = folders_below("/opt/nvidia/nsight-compute", "");
  for (const fs::path& toolkit : folders_below("/usr/local", "cuda")) {
    folders.push_back(toolkit / "bin");
    for (const fs::path& inside : folders_below(toolkit, "nsight-compute"))
      folders.push_back(inside);
  }
  return folders;
}

Profile read_ncu_report(const fs::path& file, std::optional<fs::path> program) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw InputError(file.string() + ": there is no such report");
  if (!program)
    program = find_program({"ncu"}, {});
  if (!program)
    program = find_program({"ncu"}, toolkit_folders());
  // An option's value that begins with '-' would be another option.
  const std::vector<std::string> arguments = {
      "--import", fs::absolute(file).string(), "--csv", "--page", "raw", "--print-units", "base"};
  if (!program)
    throw InputError(
        fmt::format("{}: a report of Nsight Compute is read by ncu, which is neither on "
                    "PATH nor in a toolkit here; where it is, write the report as "
                    "CSV: ncu {}",
                    file.string(), fmt::join(arguments, " ")));
  const ProgramOutput output = run_program(*program, arguments, std::chrono::minutes(5));
  if (!output.good)
    throw InputError(
        fmt::format("{}: {} {}{}", file.string(), program->string(), output.ended, said(output)));
  if (output.text.find("\"Kernel Name\"") == std::string::npos)
    throw InputError(
        fmt::format("{}: {} found no kernels{}", file.string(), program->string(), said(output)));
  Profile profile = read_profile(well_formed(output.text), file.string());
  profile.file = file.string();
  return profile;
}

} // namespace gridsmith
