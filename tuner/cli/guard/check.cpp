// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/check.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/check/reports.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/guard/check_notes.hpp"
#include "gridsmith/tuner/cli/guard/other_checks.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/guard/bisect.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace gridsmith {
namespace {

OutputFile report_from_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw InputError("--report: '" + text + "' is not of the form FORMAT=FILE");
  return {"--report", text.substr(equals + 1),
          std::string(report_format(text.substr(0, equals)).name)};
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

class CheckCommand final : public Command {
public:
  CheckCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_subject_options();
  void add_rule_options();
  void add_process_options();
  void add_output_options();
  void run_bisection(const std::stop_token& stop, const CheckListener& listener) const;
  void show(const CheckResult& result) const;

  CheckSettings settings_{.session = {.kernel = "", .helpers = {.installation = installation_}}};
  OtherChecks others_;
  std::vector<std::string> sizes_;
  std::string store_;
  double effect_percent_ = 100 * PairRules{}.least_effect;
  std::string counters_{to_text(CounterUse::explain)};
  std::vector<OutputFile> reports_; ///< in a format of reports
  std::string bisect_;
  std::vector<std::string> bisect_nvrtc_;
  bool json_ = false, quiet_ = false;
};

CheckCommand::CheckCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "check", "Fail when kernels are slower than they were, or wrong") {
  line_.footer(
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
  add_subject_options();
  add_rule_options();
  add_process_options();
  add_other_checks(line_, others_);
  add_output_options();
}

void CheckCommand::add_subject_options() {
  constexpr const char* group = "What to check";
  line_
      .add_option("KERNELS", settings_.kernels,
                  "Kernels of the baseline or of the profiles, or definition files; default: "
                  "every kernel of the baseline")
      ->type_name("KERNEL");
  line_
      .add_option("--baseline", settings_.baseline,
                  "Compare with this baseline, store or recording")
      ->capture_default_str()
      ->type_name("FILE")
      ->group(group);
  line_
      .add_option("--against", settings_.against,
                  "Compare with a git revision instead of a baseline: its definition and source")
      ->type_name("REV")
      ->excludes("--baseline")
      ->group(group);
  add_size_option(line_, sizes_,
                  "Only this size; may be repeated; default: all sizes of the baseline")
      ->group(group);
  line_
      .add_option("--bisect", bisect_,
                  "Find the commit that made one kernel slower: GOOD..BAD, two git revisions")
      ->type_name("GOOD..BAD")
      ->excludes("--baseline")
      ->excludes("--against")
      ->group(group);
  line_
      .add_option("--bisect-nvrtc", bisect_nvrtc_,
                  "Find the compiler that made one kernel slower: libraries of NVRTC, the good one "
                  "first")
      ->type_name("FILE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes("--bisect")
      ->excludes("--baseline")
      ->excludes("--against")
      ->group(group);
  add_include_option(line_, settings_.session.include)->group(group);
  add_gpu_option(line_, settings_.session.devices.front())->capture_default_str()->group(group);
}

void CheckCommand::add_rule_options() {
  constexpr const char* group = "What fails";
  add_effect_option(line_, effect_percent_,
                    "Smallest change in percent that counts; a smaller one is 'same'")
      ->group(group);
  line_
      .add_flag("--strict", settings_.failures.strict,
                "Fail if a kernel is undecided or different, too")
      ->group(group);
  line_
      .add_flag("--allow-missing", settings_.failures.allow_missing,
                "Do not fail because of kernels that could not be compared, if any other could")
      ->group(group);
  line_
      .add_option("--counters", counters_,
                  "none: read none; explain: read those of changed kernels; exact: a count that is "
                  "worse fails by itself")
      ->capture_default_str()
      ->type_name("none|explain|exact")
      ->check(one_of("use of counters",
                     {Words<CounterUse>::list.begin(), Words<CounterUse>::list.end()}))
      ->group(group);
  line_
      .add_flag("--identical-too", settings_.identical_too,
                "Launch kernels even if their machine code is unchanged")
      ->group(group);
}

void CheckCommand::add_process_options() {
  constexpr const char* group = "How to measure";
  line_
      .add_option("--lock-clock", settings_.session.conditions.locked_clock_mhz,
                  "Lock the SM clock at so many MHz during the check; needs root")
      ->check(count_from(1, fastest_clock_mhz))
      ->group(group);
  add_timeout_option(line_, settings_.session.conditions.timeout_s)->group(group);
  add_seed_option(line_, settings_.session.seed, "Seed of the data")
      ->capture_default_str()
      ->group(group);
  line_.add_option("--store", store_, "Keep the results in this store, for 'gridsmith history'")
      ->type_name("FILE")
      ->group(group);
  add_no_cache_option(line_, settings_.session.helpers, "Compile everything again, without caches")
      ->group(group);
  add_share_option(line_, settings_.session.helpers)->group(group);
}

void CheckCommand::add_output_options() {
  constexpr const char* group = "What to show and write";
  std::string formats;
  std::vector<std::string> prefixes;
  for (const ReportFormat& one : report_formats()) {
    prefixes.push_back(std::string(one.name) + "=");
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : "; ", one.name, one.says);
  }
  line_
      .add_option_function<std::vector<std::string>>(
          "--report",
          [this](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              reports_.push_back(report_from_text(text));
          },
          "Also write " + formats + "; may be repeated; - as FILE is standard output")
      ->type_name("FORMAT=FILE")
      ->check(suggested(prefixes))
      ->allow_extra_args(false)
      ->group(group);
  add_json_option(line_, json_, "The result as JSON on stdout")->group(group);
  add_quiet_option(line_, quiet_)->group(group);
}

void CheckCommand::run_bisection(const std::stop_token& stop, const CheckListener& listener) const {
  if (!bisect_nvrtc_.empty())
    return show_bisection(
        bisect_compilers(settings_, {bisect_nvrtc_.begin(), bisect_nvrtc_.end()}, stop, listener),
        stop);
  const std::size_t dots = bisect_.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == bisect_.size())
    throw InputError("--bisect: '" + bisect_ + "' is not of the form GOOD..BAD");
  show_bisection(
      bisect_commits(settings_, bisect_.substr(0, dots), bisect_.substr(dots + 2), stop, listener),
      stop);
}

void CheckCommand::show(const CheckResult& result) const {
  const std::filesystem::path root = std::filesystem::current_path();
  if (json_)
    print(report_format("json").text(result, root));
  else if (!quiet_ && !takes_standard_output(files_of(reports_)))
    print(check_text(result, terminal_of(STDOUT_FILENO).width));
  finish_output();
  for (const OutputFile& output : reports_)
    write_output(output.file, report_format(output.format).text(result, root), quiet_);
}

void CheckCommand::run() {
  refuse_useless(line_, others_);
  check_outputs(line_, reports_, json_);
  const Interrupts interrupts; // before any thread
  for (const std::string& size : sizes_)
    settings_.session.problems.push_back(problem_size_from_text(size));
  settings_.pairs.least_effect = effect_percent_ / 100;
  settings_.counters = from_text<CounterUse>(counters_);
  if (!store_.empty())
    settings_.session.store = store_;
  const CheckListener listener = check_notes(quiet_);
  if (!bisect_.empty() || !bisect_nvrtc_.empty())
    return run_bisection(interrupts.token(), listener);
  const auto other = other_check(others_, settings_, interrupts.token());
  const CheckResult result = other ? *other : run_check(settings_, interrupts.token(), listener);
  show(result);
  end_with(result);
}

} // namespace

extern const AddCommand add_check_command = add_command<CheckCommand>;

} // namespace gridsmith
