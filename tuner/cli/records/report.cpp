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

namespace gridsmith {
namespace {

/// Of one kernel, problem and device the one that is shown first, the others as further runs.
std::vector<Holding> in_order(std::vector<Holding> held) {
  std::stable_sort(held.begin(), held.end(), goes_before);
  return held;
}

std::string command_of(const std::vector<std::string>& files, const std::string& out) {
  std::string text = "gridsmith report";
  for (const std::string& file : files)
    text += ' ' + shell_word(file);
  return text + (out.empty() ? std::string(" --json") : " -o " + shell_word(out));
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

class ReportCommand final : public Command {
public:
  ReportCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::vector<ReportSource> contents() const;

  SourceOptions sources_;
  std::string out_;
  std::vector<std::string> definitions_;
  bool no_source_ = false, json_ = false, code_ = false;
};

ReportCommand::ReportCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "report",
              "Write one HTML file: answer, search, parameters, roofline, occupancy") {
  line_.footer(
      "Example:\n"
      "  gridsmith report gridsmith.db -o report.html\n"
      "\n"
      "The file opens from disk in any browser, without a network. It holds any number of kernels, "
      "sizes and devices. If there are several tunings of one, the newest is shown, and the others "
      "are listed as earlier runs.");
  add_source_options(line_, sources_);
  line_.add_option("-o,--out", out_, "File to write; - is standard output")->type_name("FILE");
  add_definition_option(line_, definitions_);
  CLI::Option* code = line_.add_flag("--code", code_,
                                     "Compile each best configuration again, to show its "
                                     "machine code and the source lines of causes; needs the "
                                     "CUDA toolkit");
  line_
      .add_flag("--no-source", no_source_,
                "Leave out the kernel's source, compilers' logs, paths and commands")
      ->excludes(code);
  add_json_option(line_, json_, "Print the page's contents as JSON on stdout");
}

std::vector<ReportSource> ReportCommand::contents() const {
  const std::vector<Holding> held = in_order(chosen_of(sources_));
  std::vector<Export> exports;
  exports.reserve(held.size());
  for (const Holding& one : held)
    exports.push_back(one.load());
  add_definitions(exports, definitions_, installation_);
  std::vector<ReportSource> contents;
  contents.reserve(exports.size());
  for (std::size_t i = 0; i < exports.size(); ++i) {
    contents.push_back(report_source(exports[i], held[i].file));
    contents.back().checks = checks_of(held[i]);
    if (code_)
      add_code(contents.back(), {.installation = installation_});
  }
  return contents;
}

void ReportCommand::run() {
  if (out_.empty() && !json_)
    throw InputError("-o FILE names the report; --json prints its contents");
  if (!out_.empty())
    check_outputs(line_, {{"--out", out_, "report"}}, json_);
  if (!json_ && !has_report_page())
    throw CommandFailed(exit_failed, std::string(no_report_page));
  const auto model = report_model(
      contents(), {.command = command_of(sources_.files, out_), .source = !no_source_});
  if (json_)
    print(json_text(model) + "\n");
  if (!out_.empty())
    write_output(out_, report_page(model));
  finish_output();
}

} // namespace

extern const AddCommand add_report_command = add_command<ReportCommand>;

} // namespace gridsmith
