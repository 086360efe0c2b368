// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/guard/other_checks.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/profile_check.hpp"
#include "gridsmith/results/profiles/kernel_name.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/guard/static_check.hpp"
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr const char* other_checks_group = "Without launching";

// ---- compiled code

/// @throws InputError: what else --baseline takes has no facts of compiled code
Baseline baseline_with_code(const fs::path& file) {
  try {
    return read_baseline(file);
  } catch (const InputError& error) {
    if (std::error_code failed; is_baseline(file) || !fs::exists(file, failed))
      throw;
    throw InputError(fmt::format("{}; --static needs what 'gridsmith baseline save' writes, not a "
                                 "store or a recording",
                                 error.what()));
  }
}

CheckResult check_compiled(const OtherChecks& checks, const CheckSettings& settings,
                           const std::stop_token& stop) {
  std::vector<int> architectures;
  for (const std::string& one : checks.architectures)
    architectures.push_back(architecture_from_text(one));
  CheckResult result =
      static_check(baseline_with_code(settings.baseline), settings, architectures, stop);
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

/// Else it is a baseline, a store or a recording.
bool holds_launches(const fs::path& file) {
  return !is_baseline(file) && (is_ncu_report(file) || is_profile(file));
}

/// Without their counters where none are asked for.
std::vector<Recording> launches_of(const Profile& profile, const CheckSettings& settings) {
  std::vector<Recording> run = recordings_of(profile);
  if (settings.counters == CounterUse::none)
    for (Recording& one : run)
      for (Measurement& launches : one.measurements)
        launches.counters.clear();
  return run;
}

/// @throws InputError: no profile, or another tool's
std::vector<Recording> read_run(const std::string& file, const std::string& tool,
                                const CheckSettings& settings) {
  const Profile profile = profile_in(file);
  if (profile.tool != tool)
    throw InputError(fmt::format("{}: was written by {}, not by {}", file, profile.tool, tool));
  return launches_of(profile, settings);
}

FunctionName function_names(const CheckSettings& settings) {
  return [&settings](const BaselineEntry& entry) -> std::string {
    try {
      return kernel_name(
                 read_definition(definition_file(entry, settings), settings.session.include).kernel)
          .base;
    } catch (const InputError&) { // gone since: nothing of it can be told from the others
      return "";
    }
  };
}

/// Of a baseline, a store or a recording what is asked for against the new run.
CheckResult check_with_entries(const ProfiledRun& now, const ProfileRules& rules,
                               const CheckSettings& settings) {
  Baseline before{old_entries(settings.baseline)};
  check_asked(before.entries, settings.kernels, settings.session.problems);
  std::erase_if(before.entries, [&](const BaselineEntry& entry) {
    return !is_wanted(entry, settings.kernels, settings.session.problems);
  });
  CheckResult result = profile_check(before, now, rules, function_names(settings));
  result.baseline = settings.baseline.string();
  if (!settings.kernels.empty() || !settings.session.problems.empty())
    result.notes.clear(); // what was not asked for is no news
  return result;
}

CheckResult check_profiles(const ProfileFiles& given, const CheckSettings& settings) {
  const std::vector<std::string>& files = *given.files;
  if (files.size() > 2)
    throw InputError(fmt::format("--{}: {} files; one is the new run, two are the old and the new",
                                 given.tool, files.size()));
  const ProfileRules rules{settings.pairs, settings.counters == CounterUse::exact};
  std::vector<Recording> now = read_run(files.back(), given.tool, settings);
  if (files.size() == 1 && !holds_launches(settings.baseline))
    return check_with_entries({files.back(), now}, rules, settings);
  if (!settings.session.problems.empty())
    throw InputError(fmt::format("--size: a file of {} does not say sizes", given.tool));
  const std::string old = files.size() == 2 ? files.front() : settings.baseline.string();
  std::vector<Recording> before = files.size() == 2 ? read_run(old, given.tool, settings)
                                                    : launches_of(profile_in(old), settings);
  keep_named(settings.kernels, before, now);
  return profile_check({old, before}, {files.back(), now}, rules);
}

// ---- options

/// Given, though it changes nothing.
void refuse(const CLI::App& command, const std::string& check,
            std::initializer_list<const char*> useless) {
  for (const char* option : useless)
    if (command.count(option) > 0)
      throw InputError(fmt::format("{}: has no use in a check by {}", option, check));
}

std::vector<ProfileFiles> given_files(const OtherChecks& checks) {
  std::vector<ProfileFiles> given;
  for (const ProfileFiles& one :
       {ProfileFiles{"ncu", &checks.ncu}, ProfileFiles{"nvprof", &checks.nvprof},
        ProfileFiles{"nsys", &checks.nsys}})
    if (!one.files->empty())
      given.push_back(one);
  return given;
}

} // namespace

void add_other_checks(CLI::App& command, OtherChecks& checks) {
  CLI::Option* compiled =
      command
          .add_flag("--static", checks.compiled,
                    "Compile, and compare the code with the baseline's: registers, spills, "
                    "occupancy, instructions; needs no GPU")
          ->group(other_checks_group);
  add_arch_option(command, checks.architectures,
                  "With --static: only these architectures, such as 80,90; default: the baseline's")
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

void refuse_useless(const CLI::App& command, const OtherChecks& checks) {
  const std::vector<ProfileFiles> given = given_files(checks);
  if (!checks.compiled && given.empty())
    return;
  const std::string check = checks.compiled ? "--static" : std::string("--") + given.front().tool;
  refuse(command, check,
         {"--against", "--bisect", "--bisect-nvrtc", "--gpu", "--identical-too", "--lock-clock",
          "--timeout", "--seed", "--store", "--share"});
  if (checks.compiled)
    return refuse(command, check, {"--effect", "--counters"});
  refuse(command, check, {"--no-cache"});
  if (given.front().files->size() > 1)
    refuse(command, "two files", {"--baseline", "--include"});
}

std::optional<CheckResult> other_check(const OtherChecks& checks, const CheckSettings& settings,
                                       const std::stop_token& stop) {
  if (checks.compiled)
    return check_compiled(checks, settings, stop);
  const std::vector<ProfileFiles> given = given_files(checks);
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
