// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/judge.hpp"

#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/guard/check_notes.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/presentation/output.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace gridsmith {
namespace {

constexpr std::size_t most_further = 64;

/// The first line has said why.
void end_with(const CandidateVerdict& verdict) {
  if (verdict.interrupted)
    throw CommandFailed(exit_interrupted, "interrupted: the candidate was not judged to the end");
  switch (verdict.ruling()) {
  case Ruling::accepted:
    return;
  case Ruling::rejected:
    throw CommandFailed(exit_failed, "");
  case Ruling::undecided:
  case Ruling::suspicious:
    throw CommandFailed(exit_incomplete, "");
  }
}

class JudgeCommand final : public Command {
public:
  JudgeCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_subject_options();
  void add_rule_options();
  std::vector<OutputFile> outputs() const;

  JudgeSettings settings_;
  std::vector<std::string> sizes_;
  std::string store_, page_;
  double effect_percent_ = 100 * PairRules{}.least_effect;
  bool json_ = false, quiet_ = false;
};

JudgeCommand::JudgeCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "judge", "Judge a kernel of another author, or of a program") {
  line_.footer(
      "Example:\n"
      "  gridsmith judge new.cu --definition softmax.json --json\n"
      "\n"
      "The definition is yours, the source is not trusted: it is compiled and run in a sandbox, on "
      "data and at sizes that it cannot know. It has to be right, possible, and faster than the "
      "incumbent.\n"
      "\n"
      "Exit codes:\n"
      "  0    accepted\n"
      "  1    rejected\n"
      "  2    usage or bad input\n"
      "  3    no usable device\n"
      "  4    undecided or suspicious\n"
      "  130  interrupted");
  add_subject_options();
  add_rule_options();
  add_json_option(line_, json_, "The verdict as JSON on stdout, at most 2 kB");
  line_.add_option("--report", page_, "The verdict as an HTML page in this file")
      ->type_name("FILE");
  add_quiet_option(line_, quiet_);
}

void JudgeCommand::add_subject_options() {
  constexpr const char* group = "What to judge";
  line_.add_option("CANDIDATE", settings_.candidate, "Source with the kernel that is judged")
      ->required()
      ->type_name("CANDIDATE.cu");
  line_
      .add_option(
          "--definition", settings_.definition,
          "Its arguments, sizes, data, reference and work model: a file, or a kernel of the "
          "catalogue")
      ->required()
      ->type_name("DEFINITION")
      ->group(group);
  line_
      .add_option("--against", settings_.incumbent,
                  "Source that it has to be faster than; default: the definition's own")
      ->type_name("INCUMBENT.cu")
      ->group(group);
  add_size_option(line_, sizes_,
                  "Time it at this size; may be repeated; default: all sizes of the definition")
      ->group(group);
  line_
      .add_option("--further", settings_.further_sizes,
                  "Verify it at so many further sizes, which are drawn")
      ->capture_default_str()
      ->check(count_from(0, most_further))
      ->group(group);
  add_seed_option(line_, settings_.seed, "Seed of data and further sizes; default: a secret one")
      ->group(group);
  add_include_option(line_, settings_.check.session.include)->group(group);
  add_gpu_option(line_, settings_.check.session.devices.front())
      ->capture_default_str()
      ->group(group);
}

void JudgeCommand::add_rule_options() {
  constexpr const char* group = "How to judge";
  add_effect_option(line_, effect_percent_,
                    "Smallest gain in percent that counts; a smaller one is 'same'")
      ->group(group);
  add_timeout_option(line_, settings_.check.session.conditions.timeout_s)->group(group);
  line_
      .add_option(
          "--store", store_,
          "Take the incumbent's best configuration from this store, and keep the verdict there; "
          "default: the definition's default")
      ->type_name("FILE")
      ->group(group);
  line_
      .add_option("--evidence", settings_.evidence,
                  "Keep the verdict in this file too; an unchanged candidate gets it from either")
      ->type_name("FILE")
      ->group(group);
  line_
      .add_flag("--recheck", settings_.recheck, "Judge an unchanged candidate again, on other data")
      ->group(group);
  line_
      .add_flag("!--no-sanitizer", settings_.sanitizer,
                "Do not launch it under compute-sanitizer, where that is installed")
      ->group(group);
  add_no_cache_option(line_, settings_.check.session.helpers,
                      "Compile everything again, without caches")
      ->group(group);
  add_share_option(line_, settings_.check.session.helpers)->group(group);
}

/// Files that the command was asked to write.
std::vector<OutputFile> JudgeCommand::outputs() const {
  std::vector<OutputFile> outputs;
  if (!page_.empty())
    outputs.push_back({"--report", page_, "verdict"});
  if (settings_.evidence)
    outputs.push_back({"--evidence", settings_.evidence->string(), "evidence"});
  return outputs;
}

void JudgeCommand::run() {
  check_outputs(line_, outputs(), json_);
  const Interrupts interrupts; // before any thread
  settings_.check.session.helpers.installation = installation_;
  for (const std::string& size : sizes_)
    settings_.check.session.problems.push_back(problem_size_from_text(size));
  settings_.check.pairs.least_effect = effect_percent_ / 100;
  if (!store_.empty())
    settings_.check.session.store = store_;
  const CandidateVerdict verdict = judge(settings_, interrupts.token(), check_notes(quiet_));
  for (const std::string& line : verdict.notes)
    note(line);
  if (json_)
    print(candidate_verdict_json(verdict));
  else if (!quiet_)
    print(candidate_verdict_text(verdict, terminal_of(STDOUT_FILENO).width));
  if (!page_.empty())
    write_output(page_, candidate_verdict_page(verdict), quiet_);
  finish_output();
  end_with(verdict);
}

} // namespace

extern const AddCommand add_judge_command = add_command<JudgeCommand>;

} // namespace gridsmith
