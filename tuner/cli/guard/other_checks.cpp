// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/guard/other_checks.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/profile_check.hpp"
#include "gridsmith/results/profiles/kernel_name.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/guard/static_check.hpp"
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr const char* other_checks_group = "Without launching";

// ---- compiled code

CheckResult check_compiled(const OtherChecks& checks, const CheckSettings& settings,
                           const std::stop_token& stop) {
  if (settings.against)
    throw InputError("--static needs a baseline, not --against");
  StaticCheckSettings wanted;
  wanted.kernels = settings.kernels;
  wanted.problems = settings.problems;
  for (const std::string& one : checks.architectures)
    wanted.architectures.push_back(architecture_from_text(one));
  wanted.folder = settings.baseline.parent_path().empty() ? "." : settings.baseline.parent_path();
  wanted.include = settings.include;
  wanted.rules = settings.failures;
  wanted.compilation.helpers = settings.helpers;
  CheckResult result = static_check(read_baseline(settings.baseline), wanted, stop);
  result.baseline = settings.baseline.string();
  result.interrupted = stop.stop_requested();
  return result;
}

// ---- profiles

struct ProfileFiles {
  const char* tool;
  const std::vector<std::string>* files;
};

Profile profile_in(const fs::path& file) {
  return is_ncu_report(file) ? read_ncu_report(file) : read_profile(file);
}

/// @throws InputError: no profile, or another tool's
std::vector<Recording> read_run(const std::string& file, const std::string& tool) {
  const Profile profile = profile_in(file);
  if (profile.tool != tool)
    throw InputError(fmt::format("{}: was written by {}, not by {}", file, profile.tool, tool));
  return recordings_of(profile);
}

FunctionName function_names(const CheckSettings& settings) {
  return [&settings](const BaselineEntry& entry) -> std::string {
    try {
      const fs::path file =
          entry.definition.empty()
              ? find_definition(entry.kernel, settings.helpers.installation.catalogue)
              : settings.baseline.parent_path() / entry.definition;
      return kernel_name(read_definition(file, settings.include).kernel).base;
    } catch (const InputError&) { // gone since: nothing of it can be told from the others
      return "";
    }
  };
}

CheckResult check_profiles(const ProfileFiles& given, const CheckSettings& settings) {
  const std::vector<std::string>& files = *given.files;
  if (files.size() > 2)
    throw InputError(fmt::format("--{}: {} files; one is the new run, two are the old and the new",
                                 given.tool, files.size()));
  const ProfileRules rules{settings.pairs, settings.counters == CounterUse::exact};
  const std::vector<Recording> now = read_run(files.back(), given.tool);
  const ProfiledRun new_run{files.back(), now};
  if (files.size() == 1 && is_baseline(settings.baseline)) {
    CheckResult result =
        profile_check(read_baseline(settings.baseline), new_run, rules, function_names(settings));
    result.baseline = settings.baseline.string();
    return result;
  }
  const std::string old = files.size() == 2 ? files.front() : settings.baseline.string();
  const std::vector<Recording> before =
      files.size() == 2 ? read_run(old, given.tool) : recordings_of(profile_in(old));
  return profile_check({old, before}, new_run, rules);
}

} // namespace

void add_other_checks(CLI::App& command, OtherChecks& checks) {
  CLI::Option* compiled =
      command
          .add_flag("--static", checks.compiled,
                    "Compile, and compare the code with the baseline's: registers, spills, "
                    "occupancy, instructions; needs no GPU")
          ->group(other_checks_group);
  command
      .add_option("--arch", checks.architectures,
                  "With --static: only these architectures, such as 80,90; default: the baseline's")
      ->type_name("ARCH,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(compiled)
      ->group(other_checks_group);
  const std::pair<const char*, std::vector<std::string>*> tools[] = {
      {"ncu", &checks.ncu}, {"nvprof", &checks.nvprof}, {"nsys", &checks.nsys}};
  for (const auto& [tool, files] : tools)
    command
        .add_option(std::string("--") + tool, *files,
                    fmt::format("Compare a file of {} instead of launching: the new run; given "
                                "twice: the old run, which replaces the baseline, then the new one",
                                tool))
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->excludes(compiled)
        ->group(other_checks_group);
}

std::optional<CheckResult> other_check(const OtherChecks& checks, const CheckSettings& settings,
                                       const std::stop_token& stop) {
  if (checks.compiled)
    return check_compiled(checks, settings, stop);
  std::vector<ProfileFiles> given;
  for (const ProfileFiles& one :
       {ProfileFiles{"ncu", &checks.ncu}, ProfileFiles{"nvprof", &checks.nvprof},
        ProfileFiles{"nsys", &checks.nsys}})
    if (!one.files->empty())
      given.push_back(one);
  if (given.empty())
    return std::nullopt;
  if (given.size() > 1)
    throw InputError(fmt::format("--{} and --{}: times of two tools are not compared",
                                 given[0].tool, given[1].tool));
  CheckResult result = check_profiles(given.front(), settings);
  result.rules = settings.failures;
  return result;
}

} // namespace gridsmith
