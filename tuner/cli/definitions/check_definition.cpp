// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/definition_json.hpp"
#include "gridsmith/tuner/cli/definitions/definition_report.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/presentation/shown_file.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t name_width = 12; // of what a line is about

void show_line(const std::string& name, const std::string& text) {
  const std::string line = fmt::format("{:<{}}{}", name, name_width, text);
  print(laid_out(line, STDOUT_FILENO, name_width) + "\n");
}

std::string geometry_text(const Geometry& geometry) {
  std::string text =
      fmt::format("{}x{}x{} blocks of {}x{}x{} threads, {} bytes of dynamic shared memory",
                  geometry.grid[0], geometry.grid[1], geometry.grid[2], geometry.block[0],
                  geometry.block[1], geometry.block[2], geometry.dynamic_shared_bytes);
  if (geometry.cooperative)
    text += ", all at once (cooperative)";
  if (geometry.blocks_per_cluster() > 1)
    text += fmt::format(", clusters of {}x{}x{}", geometry.cluster[0], geometry.cluster[1],
                        geometry.cluster[2]);
  if (geometry.shared_carveout_percent)
    text += fmt::format(", shared memory {} % of the memory that L1 shares",
                        *geometry.shared_carveout_percent);
  if (const auto& transfer = geometry.transfer)
    text += fmt::format(", for each of {} of a transfer by {} memory on {}",
                        counted(static_cast<std::uint64_t>(transfer->chunks), "chunk"),
                        to_text(transfer->memory),
                        counted(static_cast<std::uint64_t>(transfer->streams), "stream"));
  return text;
}

std::string model_text(const ProblemReport& report) {
  std::string text;
  if (report.flops > 0)
    text += report.flops < 1e6 ? fmt::format(", {} FLOP", number_text(report.flops))
                               : fmt::format(", {} GFLOP", number_text(report.flops / 1e9));
  if (report.bytes > 0)
    text += ", at least " + bytes_text(report.bytes);
  return text.empty() ? ", no work model" : text;
}

/// What stands in for a reference.
std::string no_reference_text(const DefinitionReport& report) {
  const auto& arguments = report.definition.arguments;
  if (std::none_of(arguments.begin(), arguments.end(),
                   [](const Argument& argument) { return argument.output; }))
    return "none, and no argument is marked as output: nothing is verified";
  return report.problems.front().is_default
             ? "none: results are compared with the default configuration's"
             : "none, and no default configuration: nothing is verified";
}

std::string tolerance_text(const Argument& output) {
  const Tolerance& of = output.tolerance;
  return fmt::format("|found - expected| <= {} + {} * |expected|{}", of.absolute, of.relative,
                     of.magnitude > 0 ? fmt::format(" + {} * a typical element", of.magnitude)
                                      : "") +
         (output.verified.empty() ? "" : " where " + output.verified);
}

/// Of all outputs, or of each its own.
std::string tolerances_text(const KernelDefinition& definition) {
  std::vector<std::string> texts, named;
  for (const Argument& argument : definition.arguments)
    if (argument.output) {
      texts.push_back(tolerance_text(argument));
      named.push_back(argument.name + ": " + texts.back());
    }
  const bool same = std::all_of(texts.begin(), texts.end(),
                                [&](const std::string& one) { return one == texts.front(); });
  return same && !texts.empty() ? texts.front() : fmt::format("{}", fmt::join(named, "; "));
}

std::string reference_text(const DefinitionReport& report) {
  const KernelDefinition& definition = report.definition;
  const Reference& reference = definition.reference;
  if (!reference.any())
    return no_reference_text(report);
  std::string text;
  if (reference.kernel)
    text = "kernel '" + *reference.kernel + "'" +
           (reference.source ? " of " + reference.source->filename().string() : "");
  if (!reference.element.empty())
    text += text.empty() ? "Element" : ", checked at single elements by Element";
  if (reference.file)
    text = "file " + reference.file->filename().string();
  return fmt::format("{}; {}", text,
                     reference.accept.empty() ? tolerances_text(definition)
                                              : "accepted: " + reference.accept);
}

void show_parameters(const DefinitionReport& report) {
  constexpr std::size_t most = 12; // more do not help to see whether the list is the one meant
  for (const Parameter& parameter : report.definition.parameters)
    show_line("parameter", parameter.name + ": " + values_text(parameter.values, most) +
                               (parameter.values.size() > most ? "; --json lists all" : ""));
  if (const auto& shape = report.definition.automatic)
    show_line("parameter",
              fmt::format("{}: left to Gridsmith", fmt::join(automatic_names(shape), ", ")));
}

void show_problem(const ProblemReport& report) {
  std::string text = report.problem;
  if (report.configurations)
    text += fmt::format(": {} of a product of {}", counted(*report.configurations, "configuration"),
                        number_text(report.product));
  show_line("size", text + (report.instantiated ? model_text(report) : ""));
  if (!report.configuration.empty())
    show_line("", fmt::format("{}: {}", report.is_default ? "default" : "no default; first asked",
                              to_text(report.configuration)));
  if (report.geometry)
    show_line("", geometry_text(*report.geometry));
}

/// What is wrong with all sizes is said once, after them.
void show_problems(const std::vector<ProblemReport>& reports) {
  const bool alike = std::all_of(reports.begin(), reports.end(), [&](const ProblemReport& report) {
    return report.trouble == reports.front().trouble;
  });
  for (const ProblemReport& report : reports) {
    show_problem(report);
    if (report.no_default && report.no_default != report.trouble)
      show_line("", "note: " + *report.no_default);
    if (report.trouble && (!alike || &report == &reports.back()))
      show_line("", "wrong: " + *report.trouble);
  }
}

std::string type_text(const ScalarSpec& scalar) {
  return scalar.struct_bytes > 0 ? fmt::format("struct of {} bytes", scalar.struct_bytes)
                                 : std::string(to_text(scalar.type));
}

/// "{.x = 1, .n = 2, …}", the first fields of many.
std::string struct_text(const ScalarSpec& scalar) {
  constexpr std::size_t most = 8; // a line or two
  std::string text;
  for (std::size_t i = 0; i < std::min(most, scalar.fields.size()); ++i)
    text +=
        fmt::format("{}{} = {}", i > 0 ? ", " : "", scalar.fields[i].name, scalar.fields[i].value);
  return fmt::format("{{{}{}}}", text, scalar.fields.size() > most ? ", …" : "");
}

std::string text_of(const ScalarSpec& scalar) {
  if (scalar.texture)
    return fmt::format("texture of {}, {}, {}", scalar.texture->of,
                       to_text(scalar.texture->mode.filter), to_text(scalar.texture->mode.address));
  if (scalar.struct_bytes > 0)
    return struct_text(scalar);
  return scalar.pitch_of.empty() ? fmt::to_string(scalar.value) : "pitch of " + scalar.pitch_of;
}

std::string text_of(const BufferSpec& buffer) {
  std::string text =
      fmt::format("{} {}, {}, filled by {}", buffer.elements, to_text(buffer.type),
                  bytes_text(static_cast<double>(bytes_of(buffer))), to_text(buffer.fill));
  if (buffer.offset > 0)
    text += fmt::format(", Offset of {}", counted(buffer.offset, "element"));
  if (buffer.row > 0)
    text += fmt::format(", rows of {} with a pitch", buffer.row);
  return text + (buffer.output ? ", is verified" : "");
}

void show_arguments(const ProblemReport& report) {
  for (const auto& [name, value] : report.macros)
    show_line("macro", name + " = " + value);
  for (const auto& [buffer, scalar] : report.arguments)
    if (buffer)
      show_line("argument", buffer->name + ": " + text_of(*buffer));
    else
      show_line("argument",
                fmt::format("{}: {} = {}", scalar->name, type_text(*scalar), text_of(*scalar)));
}

/// "sample", "reference 'naive'"
std::string name_of(const CompileReport& one, const DefinitionReport& report) {
  return one.what == "reference" ? "reference '" + *report.definition.reference.kernel + "'"
                                 : one.what;
}

/// What it is compiled with; of a reference its own values, the others are the first's.
std::string values_of(const CompileReport& one, const DefinitionReport& report) {
  const Configuration& own = report.definition.reference.kernel_values;
  if (one.what != "reference")
    return to_text(one.configuration);
  return (own.empty() ? "" : to_text(own) + ", ") + "else as the " + report.compiled.front().what;
}

/// Each once, however many configurations have it.
void show_compile_errors(const DefinitionReport& report) {
  const std::vector<CompileReport>& compiled = report.compiled;
  for (auto one = compiled.begin(); one != compiled.end(); ++one) {
    const auto same = [&](const CompileReport& other) {
      return other.error == one->error && other.compiles == one->compiles;
    };
    if (!one->error || std::any_of(compiled.begin(), one, same))
      continue;
    const auto more = std::count_if(one + 1, compiled.end(), same);
    std::string others;
    if (more > 0)
      others = fmt::format(", {} {} more", one->compiles ? "as are" : "nor do", more);
    show_line("", fmt::format("{} {}{}: {} ({})", name_of(*one, report),
                              one->compiles ? "compiles, but is wrong" : "does not compile", others,
                              *one->error, values_of(*one, report)));
  }
}

void show_compiled_one(const CompileReport& one, const DefinitionReport& report) {
  std::string refusal;
  if (one.refusal)
    refusal = std::string(one.wrong() ? ", wrong: " : ", ") + "cannot be launched: " + *one.refusal;
  const CompileFacts& facts = one.facts;
  show_line("", fmt::format("{} compiles: {} registers, {} bytes of spills{} ({})",
                            name_of(one, report), facts.registers_per_thread,
                            facts.spill_bytes() ? std::to_string(*facts.spill_bytes()) : "unknown",
                            refusal, values_of(one, report)));
}

/// Of all configurations only those that stand for others; else each that was compiled.
void show_compiled(const DefinitionReport& report) {
  show_line("compiler", fmt::format("{}, for compute capability {}.{}", report.compiler,
                                    report.device.compute_capability / 10,
                                    report.device.compute_capability % 10));
  bool shown = false; // one that cannot be launched
  for (const CompileReport& one : report.compiled) {
    const bool example = one.refusal && !shown;
    if (!one.error && (!report.all || one.what != "sample" || example))
      show_compiled_one(one, report);
    shown = shown || one.refusal;
  }
  show_compile_errors(report);
  if (!report.compiled.empty() && !report.uncompiled.empty())
    show_line("", fmt::format("in none of them: {}; --all compiles every configuration",
                              grouped_text(report.uncompiled)));
  for (const std::string& trouble : report.troubles)
    show_line("", "wrong: " + trouble);
}

/// @param file as a person names it
void show_text(const DefinitionReport& report, const std::string& file) {
  const KernelDefinition& definition = report.definition;
  show_line("definition", file + (definition.community ? ", T1 without our section" : ""));
  show_line("kernel", fmt::format("{} of {}, {}", definition.kernel,
                                  definition.source.filename().string(), definition.language));
  show_parameters(report);
  show_problems(report.problems);
  show_arguments(report.problems.front());
  show_line("reference", reference_text(report));
  for (const ElementReport& one : report.elements)
    show_line("element", to_text(one));
  show_compiled(report);
  for (const FieldGuess& guess : definition.guesses)
    show_line("guess", guess.field + ": " + printable(guess.text));
  for (const Remark& remark : definition.remarks)
    show_line(remark.warning ? "warning" : "note", remark.text);
  if (report.good())
    print(laid_out("ok: " + verdict_text(report), STDOUT_FILENO, name_width) + "\n");
}

/// How far all configurations are: a line that moves, or ten lines where there is no terminal.
class CompileCourse {
public:
  void tell(const SampleCount& done, std::size_t total) {
    const std::string text = fmt::format("compiled {} of {}, {} do not compile", done.all, total,
                                         done.all - done.compile);
    if (moving_)
      return line_.show(text);
    if (const std::size_t tenth = 10 * done.all / total; tenth > tenths_) {
      tenths_ = tenth;
      note(text);
    }
  }

  void end() { line_.clear(); }

private:
  bool moving_ = stderr_is_terminal();
  ProgressLine line_{moving_};
  std::size_t tenths_ = 0;
};

class CheckDefinitionCommand final : public Command {
public:
  CheckDefinitionCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::vector<std::filesystem::path> include_;
  std::string kernel_, size_, capability_ = "9.0";
  bool all_ = false, json_ = false;
};

CheckDefinitionCommand::CheckDefinitionCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "check-definition",
              "Check a kernel definition and show how Gridsmith reads it; needs no GPU") {
  line_.footer(
      "Example:\n"
      "  gridsmith check-definition my_kernel.json\n"
      "\n"
      "Compiles the default configuration, some others and the reference if a CUDA toolkit is "
      "installed.\n"
      "\n"
      "Exit codes: 0 the definition is correct, though some configurations may not compile; 1 it "
      "has errors, or no configuration compiles; 2 it cannot be read, or its search space is empty.");
  add_kernel_option(line_, kernel_, "A definition's file or folder, or a name of the catalogue");
  add_include_option(line_, include_);
  add_size_option(line_, size_, "Problem size to check for; default: all of the definition\'s");
  add_capability_option(line_, capability_, "Compute capability to compile for; its limits apply");
  line_.add_flag("--all", all_, "Compile every configuration instead of a few chosen ones");
  add_json_option(line_, json_);
}

void CheckDefinitionCommand::run() {
  KernelDefinition definition =
      read_definition(find_definition(kernel_, installation_.catalogue), include_);
  if (!size_.empty()) {
    const ProblemSize problem = problem_of(definition, size_);
    check_problem(definition, problem);
    definition.problem_sizes = {problem};
  }
  const std::string file = shown_file(definition.file, installation_.catalogue);
  CompileCourse course;
  const DefinitionReport report =
      report_on(definition, device_of_text(capability_), installation_,
                all_ ? [&](const SampleCount& done, std::size_t total) { course.tell(done, total); }
                     : CompileWatch{});
  course.end();
  if (json_)
    print(json_text(to_json(report), 2) + "\n");
  else
    show_text(report, file);
  if (report.refused())
    throw CommandFailed(exit_usage, *report.problems.front().trouble);
  if (!report.good())
    throw CommandFailed(exit_failed, json_ ? "" : file + ": has errors, see above");
}

} // namespace

extern const AddCommand add_check_definition_command = add_command<CheckDefinitionCommand>;

} // namespace gridsmith
