// SPDX-License-Identifier: Apache-2.0
// retune: what is shipped, checked again on this driver and toolkit.
#include "gridsmith/tuner/shipping/retune.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/line_diff.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/course.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/presentation/shipping_text.hpp"
#include "gridsmith/tuner/session/limits.hpp"
#include "gridsmith/tuner/shipping/shipments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace gridsmith {
namespace {

class RetuneCommand final : public Command {
public:
  RetuneCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_measuring_options();
  void add_output_options();
  RetuneSettings settings() const;
  std::optional<std::string> summary() const;
  std::vector<OutputFile> outputs() const;

  RetuneSettings settings_ = {.session = {.kernel = "", .store = usual_store, .reuse = false},
                              .shipped = {}};
  std::string shipped_, out_;
  std::vector<std::string> definitions_;
  std::optional<std::string> summary_; ///< none: standard output, where that is free
  double tolerance_percent_ = 100 * RetuneSettings{}.tolerance;
  bool no_store_ = false, json_ = false, quiet_ = false, verbose_ = false;
};

RetuneCommand::RetuneCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "retune",
              "Measure shipped configurations on this driver and toolkit; tune those that moved "
              "again") {
  line_.footer(
      "Example:\n"
      "  gridsmith retune tuned/nvidia_h200.hpp -o tuned/nvidia_h200.hpp\n"
      "\n"
      "A shipped configuration has moved if it is no longer valid or correct, if its time differs "
      "from the recorded one, or if another shipped configuration or the default is faster. The "
      "summary is Markdown for a pull request, with the header's diff.");
  line_.add_option("SHIPPED", shipped_, "A header of one device, or a store")
      ->type_name("HEADER|STORE")
      ->required();
  add_definition_option(line_, definitions_,
                        "Definitions of kernels that are not in the catalogue, or folders of them")
      ->type_name("FILE|DIR");
  add_measuring_options();
  add_output_options();
}

void RetuneCommand::add_measuring_options() {
  SessionSettings& session = settings_.session;
  add_gpu_option(line_, session.devices.front())->capture_default_str();
  line_
      .add_option("--tolerance", tolerance_percent_,
                  "Ignore times that differ by less than so many percent")
      ->capture_default_str()
      ->check(positive_number(1000));
  line_
      .add_option("--seconds", session.budget.seconds,
                  "Stop after so many seconds in all; kernels not reached stay as shipped")
      ->check(positive_number(longest_s));
  line_
      .add_option("--evaluations", session.budget.evaluations,
                  "Stop after so many evaluations of each kernel that is tuned again")
      ->check(count_from(1));
  add_counters_option(line_, session.conditions.counter_set);
  add_regime_option(line_, session.conditions.regime);
  add_store_option(line_, session.store);
  add_no_store_option(line_, no_store_);
  line_
      .add_flag("--reuse", settings_.session.reuse,
                "Use the store's times of the same code, board, driver and toolkit, and launch "
                "nothing for them")
      ->excludes("--no-store");
}

void RetuneCommand::add_output_options() {
  line_.add_option("-o,--out", out_, "Header to write if a configuration moved")->type_name("FILE");
  line_
      .add_option("--summary", summary_,
                  "Markdown to write; - is standard output, the default without --json and --quiet")
      ->type_name("FILE");
  line_.add_flag("--replay", settings_.replay,
                 "Without a GPU: replay recordings instead of measuring; the results say so");
  add_json_option(line_, json_, "The result as JSON on stdout");
  add_loudness_options(line_, verbose_, quiet_);
}

RetuneSettings RetuneCommand::settings() const {
  RetuneSettings settings = settings_;
  settings.session.helpers.installation = installation_;
  if (no_store_)
    settings.session.store.reset();
  settings.tolerance = tolerance_percent_ / 100;
  settings.where.assign(definitions_.begin(), definitions_.end());
  settings.shipped = shipments_to_check(shipped_, installation_);
  return settings;
}

/// Where the Markdown goes; none: nowhere.
std::optional<std::string> RetuneCommand::summary() const {
  return summary_ || json_ || quiet_ ? summary_ : "-";
}

std::vector<OutputFile> RetuneCommand::outputs() const {
  std::vector<OutputFile> all;
  if (const auto file = summary())
    all.push_back({"--summary", *file, "summary"});
  if (!out_.empty())
    all.push_back({"--out", out_, "header"});
  return all;
}

void RetuneCommand::run() {
  const RetuneSettings settings = this->settings();
  check_outputs(line_, outputs(), json_);
  const Interrupts interrupts; // before any thread
  ProgressLine progress(stderr_is_terminal() && !quiet_ && !json_);
  const Retuned retuned = retune(settings, interrupts.token(), listener_of(progress, verbose_));
  progress.clear();
  std::string diff;
  if (const auto header = header_of(retuned, settings.shipped)) {
    const std::string before = is_store(shipped_) ? "" : read_unpacked(shipped_);
    diff = line_diff(before, *header, out_.empty() ? "tuned.hpp" : out_);
    if (!out_.empty())
      write_output(out_, *header, quiet_);
  }
  if (json_)
    print(json_text(retuned_json(retuned), 2) + "\n");
  if (const auto file = summary())
    write_output(*file, retuned_markdown(retuned, diff), quiet_);
  finish_output();
  if (retuned.stopped)
    throw CommandFailed(exit_interrupted, "interrupted; the same command continues");
  for (const Rechecked& one : retuned.problems)
    if (!one.lacks.empty())
      throw CommandFailed(exit_failed,
                          fmt::format("{} {}: {}", one.kernel, one.problem, one.lacks));
}

} // namespace

extern const AddCommand add_retune_command = add_command<RetuneCommand>;

} // namespace gridsmith
