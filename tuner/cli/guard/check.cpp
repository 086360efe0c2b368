// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/check.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/check/reports.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/guard/other_checks.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/guard/bisect.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace gridsmith {
namespace {

constexpr double most_percent = 99;

struct CheckOptions {
  CheckSettings settings;
  OtherChecks others;
  std::vector<std::string> sizes;
  std::string baseline = usual_baseline, store;
  double effect_percent = 100 * PairRules{}.least_effect;
  std::string counters = std::string(to_text(CounterUse::explain));
  std::vector<OutputFile> reports; ///< in a format of reports
  std::string bisect;
  std::vector<std::string> bisect_nvrtc;
  bool json = false, quiet = false;
};

CheckSettings settings_of(const CheckOptions& options, const Installation& installation) {
  CheckSettings settings = options.settings;
  settings.helpers.installation = installation;
  settings.baseline = options.baseline;
  for (const std::string& size : options.sizes)
    settings.problems.push_back(problem_size_from_text(size));
  settings.pairs.least_effect = options.effect_percent / 100;
  settings.counters = from_text<CounterUse>(options.counters);
  if (!options.store.empty())
    settings.store = options.store;
  return settings;
}

OutputFile report_from_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw InputError("--report: '" + text + "' is not of the form FORMAT=FILE");
  return {"--report", text.substr(equals + 1),
          std::string(report_format(text.substr(0, equals)).name)};
}

void show(const CheckOptions& options, const CheckResult& result) {
  const std::filesystem::path root = std::filesystem::current_path();
  if (options.json)
    print(report_format("json").text(result, root));
  else if (!options.quiet && !takes_standard_output(files_of(options.reports)))
    print(check_text(result, terminal_of(STDOUT_FILENO).width));
  finish_output();
  for (const OutputFile& output : options.reports)
    write_output(output.file, report_format(output.format).text(result, root), options.quiet);
}

/// Nothing to say: the first line of the report has said it.
void end_with(const CheckResult& result) {
  if (result.interrupted)
    throw CommandFailed(exit_interrupted, "interrupted: undecided kernels were not judged");
  const Gate gate = result.gate();
  if (gate == Gate::red)
    throw CommandFailed(exit_failed, "");
  if (gate == Gate::incomplete)
    throw CommandFailed(exit_incomplete, "");
}

std::string step_text(const BisectStep& step) {
  return printable(fmt::format("{}: {}{}{}", to_text(step.found.verdict), step.what,
                               step.found.reason.empty() ? "" : ", ", step.found.reason));
}

void show_bisection(const BisectResult& result, const std::stop_token& stop) {
  for (const BisectStep& step : result.steps)
    print(step_text(step) + "\n");
  if (stop.stop_requested())
    throw CommandFailed(exit_interrupted, "interrupted");
  if (result.first_bad.empty())
    throw CommandFailed(exit_incomplete, "the last one is not slower than the first: there is no "
                                         "regression to find");
  print(result.first_bad.size() == 1 ? printable("First slower: " + result.first_bad.front()) + "\n"
                                     : printable(fmt::format("First slower is one of: {}",
                                                             fmt::join(result.first_bad, "; "))) +
                                           "\n");
  finish_output();
}

void run_bisection(const CheckOptions& options, const CheckSettings& settings,
                   const std::stop_token& stop, const CheckListener& listener) {
  if (!options.bisect_nvrtc.empty())
    return show_bisection(
        bisect_compilers(settings, {options.bisect_nvrtc.begin(), options.bisect_nvrtc.end()}, stop,
                         listener),
        stop);
  const std::size_t dots = options.bisect.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == options.bisect.size())
    throw InputError("--bisect: '" + options.bisect + "' is not of the form GOOD..BAD");
  show_bisection(bisect_commits(settings, options.bisect.substr(0, dots),
                                options.bisect.substr(dots + 2), stop, listener),
                 stop);
}

void check_kernels(const CLI::App& command, const CheckOptions& options,
                   const Installation& installation) {
  check_outputs(command, options.reports, options.json);
  const Interrupts interrupts; // before any thread
  const CheckSettings settings = settings_of(options, installation);
  const bool quiet = options.quiet;
  const CheckListener listener{
      .progress =
          [quiet](const CheckProgress& progress) {
            if (!quiet)
              note(fmt::format("{} of {}: {}", progress.number, progress.kernels, progress.kernel));
          },
      .note = note};
  if (!options.bisect.empty() || !options.bisect_nvrtc.empty())
    return run_bisection(options, settings, interrupts.token(), listener);
  const auto other = other_check(options.others, settings, interrupts.token());
  const CheckResult result = other ? *other : run_check(settings, interrupts.token(), listener);
  show(options, result);
  end_with(result);
}

void add_subject_options(CLI::App& command, CheckOptions& options) {
  constexpr const char* group = "What to check";
  CheckSettings& settings = options.settings;
  command
      .add_option("KERNELS", settings.kernels,
                  "Kernels of the baseline, or definition files; default: every kernel of the "
                  "baseline")
      ->type_name("KERNEL");
  command
      .add_option("--baseline", options.baseline, "Compare with this baseline, store or recording")
      ->capture_default_str()
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--against", settings.against,
                  "Compare with a git revision instead of a baseline: its definition and source")
      ->type_name("REV")
      ->excludes("--baseline")
      ->group(group);
  command
      .add_option("--size,--problem", options.sizes,
                  "Only this size; may be repeated; default: all sizes of the baseline")
      ->type_name("SIZE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--bisect", options.bisect,
                  "Find the commit that made one kernel slower: GOOD..BAD, two git revisions")
      ->type_name("GOOD..BAD")
      ->excludes("--baseline")
      ->excludes("--against")
      ->group(group);
  command
      .add_option("--bisect-nvrtc", options.bisect_nvrtc,
                  "Find the compiler that made one kernel slower: libraries of NVRTC, the good one "
                  "first")
      ->type_name("FILE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes("--bisect")
      ->excludes("--baseline")
      ->excludes("--against")
      ->group(group);
  add_include_option(command, settings.include)->group(group);
  add_gpu_option(command, settings.device)->capture_default_str()->group(group);
}

void add_rule_options(CLI::App& command, CheckOptions& options) {
  constexpr const char* group = "What fails";
  CheckSettings& settings = options.settings;
  command
      .add_option("--effect", options.effect_percent,
                  "Smallest change in percent that counts; a smaller one is 'same'")
      ->capture_default_str()
      ->check(positive_number(most_percent))
      ->group(group);
  command
      .add_flag("--strict", settings.failures.strict,
                "Fail if a kernel is undecided or different, too")
      ->group(group);
  command
      .add_flag("--allow-missing", settings.failures.allow_missing,
                "Do not fail because of kernels that could not be compared, if any other could")
      ->group(group);
  command
      .add_option("--counters", options.counters,
                  "none: read none; explain: read those of changed kernels; exact: a changed count "
                  "fails by itself")
      ->capture_default_str()
      ->type_name("none|explain|exact")
      ->check(one_of("use of counters",
                     {Words<CounterUse>::list.begin(), Words<CounterUse>::list.end()}))
      ->group(group);
  command
      .add_flag("--identical-too", settings.identical_too,
                "Launch kernels even if their machine code is unchanged")
      ->group(group);
}

void add_process_options(CLI::App& command, CheckOptions& options) {
  constexpr const char* group = "How to measure";
  CheckSettings& settings = options.settings;
  command
      .add_option("--lock-clock", settings.locked_clock_mhz,
                  "Lock the SM clock at so many MHz during the check; needs root")
      ->check(count_from(1, 10'000))
      ->group(group);
  command.add_option("--timeout", settings.timeout_s, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(positive_number(longest_launch_s))
      ->group(group);
  command.add_option("--seed", settings.seed, "Seed of the data")
      ->capture_default_str()
      ->check(count_from(0))
      ->group(group);
  command
      .add_option("--store", options.store,
                  "Keep the results in this store, for 'gridsmith history'")
      ->type_name("FILE")
      ->group(group);
  add_no_cache_option(command, settings.helpers, "Compile everything again, without caches")
      ->group(group);
  add_share_option(command, settings.helpers)->group(group);
}

void add_output_options(CLI::App& command, CheckOptions& options) {
  constexpr const char* group = "What to show and write";
  std::string formats;
  std::vector<std::string> prefixes;
  for (const ReportFormat& one : report_formats()) {
    prefixes.push_back(std::string(one.name) + "=");
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : "; ", one.name, one.says);
  }
  command
      .add_option_function<std::vector<std::string>>(
          "--report",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              options.reports.push_back(report_from_text(text));
          },
          "Also write " + formats + "; may be repeated; - as FILE is standard output")
      ->type_name("FORMAT=FILE")
      ->check(suggested(prefixes))
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--json", options.json, "The result as JSON on stdout")->group(group);
  add_quiet_option(command, options.quiet)->group(group);
}

} // namespace

void add_check_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("check", "Fail when kernels are slower than they were, or wrong");
  command->footer(
      "Example:\n"
      "  gridsmith baseline save transpose --with-cubins\n"
      "  gridsmith check\n"
      "  gridsmith check --static --arch 80,90\n"
      "\n"
      "Old and new code are launched in turn in one process, and again in a second one; a kernel "
      "that seems slower is measured in further processes before the check fails. Without an old "
      "binary, times of two sessions are compared; this is weaker, and the result says so.\n"
      "\n"
      "Exit codes:\n"
      "  0    same or faster; undecided or different too, unless --strict\n"
      "  1    slower, wrong or changed\n"
      "  2    usage or bad input\n"
      "  3    no usable device\n"
      "  4    some kernel could not be compared, or there was none\n"
      "  130  interrupted");
  const auto options = std::make_shared<CheckOptions>();
  add_subject_options(*command, *options);
  add_rule_options(*command, *options);
  add_process_options(*command, *options);
  add_other_checks(*command, options->others);
  add_output_options(*command, *options);
  command->callback(
      [command, options, &installation] { check_kernels(*command, *options, installation); });
}

} // namespace gridsmith
