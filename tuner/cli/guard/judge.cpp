// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/judge.hpp"

#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/presentation/output.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace gridsmith {
namespace {

constexpr double most_effect = 99;
constexpr std::size_t most_further = 64;

struct JudgeOptions {
  JudgeSettings settings;
  std::vector<std::string> sizes;
  std::string store, page;
  double effect_percent = 100 * PairRules{}.least_effect;
  bool json = false, quiet = false;
};

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

/// Files that the command was asked to write.
std::vector<OutputFile> outputs_of(const JudgeOptions& options) {
  std::vector<OutputFile> outputs;
  if (!options.page.empty())
    outputs.push_back({"--report", options.page, "verdict"});
  if (options.settings.evidence)
    outputs.push_back({"--evidence", options.settings.evidence->string(), "evidence"});
  return outputs;
}

void judge_candidate(const CLI::App& command, JudgeOptions options,
                     const Installation& installation) {
  check_outputs(command, outputs_of(options), options.json);
  const Interrupts interrupts; // before any thread
  JudgeSettings& settings = options.settings;
  settings.helpers.installation = installation;
  for (const std::string& size : options.sizes)
    settings.problems.push_back(problem_size_from_text(size));
  settings.pairs.least_effect = options.effect_percent / 100;
  if (!options.store.empty())
    settings.store = options.store;
  const CheckListener listener{
      .progress =
          [&](const CheckProgress& progress) {
            if (!options.quiet)
              note(fmt::format("{} of {}: {}", progress.number, progress.kernels, progress.kernel));
          },
      .note = note};
  const CandidateVerdict verdict = judge(settings, interrupts.token(), listener);
  for (const std::string& line : verdict.notes)
    note(line);
  if (options.json)
    print(candidate_verdict_json(verdict));
  else if (!options.quiet)
    print(candidate_verdict_text(verdict, terminal_of(STDOUT_FILENO).width));
  if (!options.page.empty())
    write_output(options.page, candidate_verdict_page(verdict), options.quiet);
  finish_output();
  end_with(verdict);
}

void add_subject_options(CLI::App& command, JudgeOptions& options) {
  constexpr const char* group = "What to judge";
  JudgeSettings& settings = options.settings;
  command.add_option("CANDIDATE", settings.candidate, "Source with the kernel that is judged")
      ->required()
      ->type_name("CANDIDATE.cu");
  command
      .add_option(
          "--definition", settings.definition,
          "Its arguments, sizes, data, reference and work model: a file, or a kernel of the "
          "catalogue")
      ->required()
      ->type_name("DEFINITION")
      ->group(group);
  command
      .add_option("--against", settings.incumbent,
                  "Source that it has to be faster than; default: the definition's own")
      ->type_name("INCUMBENT.cu")
      ->group(group);
  command
      .add_option("--size,--problem", options.sizes,
                  "Time it at this size; may be repeated; default: all sizes of the definition")
      ->type_name("SIZE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--further", settings.further_sizes,
                  "Verify it at so many further sizes, which are drawn")
      ->capture_default_str()
      ->check(count_from(0, most_further))
      ->group(group);
  command
      .add_option("--seed", settings.seed, "Seed of data and further sizes; default: a secret one")
      ->check(count_from(0))
      ->group(group);
  add_include_option(command, settings.include)->group(group);
  add_gpu_option(command, settings.device)->capture_default_str()->group(group);
}

void add_rule_options(CLI::App& command, JudgeOptions& options) {
  constexpr const char* group = "How to judge";
  JudgeSettings& settings = options.settings;
  command
      .add_option("--effect", options.effect_percent,
                  "Smallest gain in percent that counts; a smaller one is 'same'")
      ->capture_default_str()
      ->check(positive_number(most_effect))
      ->group(group);
  command.add_option("--timeout", settings.timeout_s, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(positive_number(longest_launch_s))
      ->group(group);
  command
      .add_option(
          "--store", options.store,
          "Take the incumbent's best configuration from this store, and keep the verdict there; "
          "default: the definition's default")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--evidence", settings.evidence,
                  "Keep the verdict in this file too; an unchanged candidate gets it from either")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--recheck", settings.recheck, "Judge an unchanged candidate again, on other data")
      ->group(group);
  command
      .add_flag("!--no-sanitizer", settings.sanitizer,
                "Do not launch it under compute-sanitizer, where that is installed")
      ->group(group);
  add_no_cache_option(command, settings.helpers, "Compile everything again, without caches")
      ->group(group);
  add_share_option(command, settings.helpers)->group(group);
}

} // namespace

void add_judge_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("judge", "Judge a kernel of another author, or of a program");
  command->footer(
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
  const auto options = std::make_shared<JudgeOptions>();
  add_subject_options(*command, *options);
  add_rule_options(*command, *options);
  command->add_flag("--json", options->json, "The verdict as JSON on stdout, at most 2 kB");
  command->add_option("--report", options->page, "The verdict as an HTML page in this file")
      ->type_name("FILE");
  add_quiet_option(*command, options->quiet);
  command->callback(
      [command, options, &installation] { judge_candidate(*command, *options, installation); });
}

} // namespace gridsmith
