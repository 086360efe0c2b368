// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/report_source.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace gridsmith {
namespace {

struct ReportOptions {
  SourceOptions sources;
  std::string out;
  std::vector<std::string> definitions;
  bool no_source = false, json = false, code = false;
};

/// Of one kernel, problem and device the one that is shown first, the others as runs beside it.
std::vector<Holding> in_order(std::vector<Holding> held) {
  std::stable_sort(held.begin(), held.end(), goes_before);
  return held;
}

std::string command_of(const ReportOptions& options) {
  std::string text = "gridsmith report";
  for (const std::string& file : options.sources.files)
    text += ' ' + shell_word(file);
  return text + " -o " + shell_word(options.out);
}

/// Of a store: what checks of this kernel, problem and device found.
std::vector<PastCheck> checks_of(const Holding& holding) {
  if (!is_store(holding.file))
    return {};
  std::vector<PastCheck> checks = Store::open(holding.file, Store::Mode::read_only).past_checks();
  std::erase_if(checks, [&](const PastCheck& one) {
    return one.kernel != holding.kernel || one.problem != holding.problem ||
           one.device != holding.device;
  });
  return checks;
}

std::vector<ReportSource> sources_of(const ReportOptions& options,
                                     const Installation& installation) {
  const std::vector<Holding> held = in_order(chosen_of(options.sources));
  std::vector<Export> exports;
  exports.reserve(held.size());
  for (const Holding& one : held)
    exports.push_back(one.load());
  add_definitions(exports, options.definitions, installation);
  std::vector<ReportSource> sources;
  sources.reserve(exports.size());
  for (std::size_t i = 0; i < exports.size(); ++i) {
    sources.push_back(report_source(exports[i], held[i].file));
    sources.back().checks = checks_of(held[i]);
    if (options.code)
      add_code(sources.back(), {.installation = installation});
  }
  return sources;
}

void run(const CLI::App& command, const ReportOptions& options, const Installation& installation) {
  if (options.out.empty() && !options.json)
    throw InputError("-o FILE names the report; --json prints its contents");
  if (!options.out.empty())
    check_outputs(command, {{"--out", options.out, "report"}}, options.json);
  if (!options.json && !has_report_page())
    throw CommandFailed(exit_failed, std::string(no_report_page));
  const auto model = report_model(sources_of(options, installation),
                                  {.command = command_of(options), .source = !options.no_source});
  if (options.json)
    print(json_text(model) + "\n");
  if (!options.out.empty())
    write_output(options.out, report_page(model));
  finish_output();
}

} // namespace

void add_report_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand(
      "report", "Write one HTML file: answer, search, parameters, roofline, occupancy");
  command->footer(
      "Example:\n"
      "  gridsmith report gridsmith.db -o report.html\n"
      "\n"
      "The file opens from disk in any browser, without a network. It holds any number of kernels, "
      "sizes and devices. If there are several tunings of one, the newest is shown, and the others "
      "are listed as earlier runs.");
  const auto options = std::make_shared<ReportOptions>();
  add_source_options(*command, options->sources);
  command->add_option("-o,--out", options->out, "File to write; - is standard output")
      ->type_name("FILE");
  command
      ->add_option("--definition", options->definitions,
                   "Definition of a kernel that is not in the catalogue")
      ->type_name("FILE");
  CLI::Option* code = command->add_flag("--code", options->code,
                                        "Compile each best configuration again, to show its "
                                        "machine code and the source lines of causes; needs the "
                                        "CUDA toolkit");
  command
      ->add_flag("--no-source", options->no_source,
                 "Leave out the kernel's source, compilers' logs, paths and commands")
      ->excludes(code);
  command->add_flag("--json", options->json, "Print the page's contents as JSON on stdout");
  command->callback([command, options, &installation] { run(*command, *options, installation); });
}

} // namespace gridsmith
