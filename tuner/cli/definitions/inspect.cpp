// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/demangled.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/code_block.hpp"
#include "gridsmith/tuner/cli/definitions/macro_hint.hpp"
#include "gridsmith/tuner/cli/definitions/partial.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr const char* usual_capability = "9.0"; // as of the commands space and occupancy

/// What is compiled for which device.
struct Wish {
  KernelInstance instance;
  UsualConfiguration chosen;
};

std::string occupancy_text(const Inspection& found) {
  if (!found.predicted)
    return "not known";
  std::string text =
      fmt::format("{} %, {} blocks per SM", number_text(100 * found.predicted->fraction),
                  found.predicted->blocks_per_sm);
  if (found.predicted->active_warps < found.predicted->max_warps)
    text += fmt::format(", limited by {}", to_text(found.predicted->limiter));
  return text;
}

std::string facts_text(const Inspection& found, std::size_t width) {
  const CompileFacts& facts = found.code->facts;
  const Geometry& shape = found.geometry;
  std::string text;
  const auto line = [&](const char* what, const std::string& how) {
    text += fmt::format("{:<24}{}\n", what, how);
  };
  line("kernel", demangled(found.code->kernel));
  line("registers per thread", std::to_string(facts.registers_per_thread));
  line("shared memory", fmt::format("{} bytes static, {} dynamic, per block",
                                    facts.static_shared_bytes, shape.dynamic_shared_bytes));
  line("local memory",
       facts.local_bytes ? fmt::format("{} bytes per thread", *facts.local_bytes) : "not known");
  line("spills", facts.spill_bytes()
                     ? fmt::format("{} bytes stored, {} loaded, per thread",
                                   *facts.spill_store_bytes, *facts.spill_load_bytes)
                     : "not known: the code was compiled elsewhere");
  line("block", fmt::format("{} x {} x {} = {} threads", shape.block[0], shape.block[1],
                            shape.block[2], shape.threads_per_block()));
  line("grid", fmt::format("{} x {} x {} blocks", shape.grid[0], shape.grid[1], shape.grid[2]));
  line("predicted occupancy", occupancy_text(found));
  line("code", fmt::format("{} bytes", found.code->cubin->size()));
  if (found.machine_code)
    for (const auto& [what, how] : code_lines(*found.machine_code))
      text += wrapped(fmt::format("{:<24}{}", what, printable(how)), width, 24) + '\n';
  return text;
}

std::string text_of(const Wish& wish, const Inspection& found, std::size_t width) {
  const int capability = wish.instance.device.compute_capability;
  const auto paragraph = [&](const std::string& text) {
    return wrapped(printable(text), width, 2) + '\n';
  };
  std::string text =
      paragraph(fmt::format("{} {}: {}", wish.instance.definition.name,
                            to_text(wish.instance.problem), to_text(wish.chosen.configuration)));
  text += paragraph(fmt::format("  ({})", wish.chosen.origin));
  text += paragraph(fmt::format("{}, compute capability {}.{}, compiled in {:.0f} ms",
                                found.compiler, capability / 10, capability % 10, found.code->ms));
  if (const auto& rewritten = wish.instance.definition.rewritten; !rewritten.empty())
    text += paragraph(fmt::format("compiled is a copy of the source, in which the values of {} are "
                                  "replaced (Gridsmith.Rewrite); the file itself has its own",
                                  fmt::join(rewritten, ", ")));
  text += "\n" + found.code->command + "\n\n"; // in one line, to be copied
  if (!found.code->log.empty())
    text += found.code->log + (found.code->log.ends_with('\n') ? "\n" : "\n\n");
  return text + (found.code->cubin ? facts_text(found, width) : "");
}

Ordered inspection_json(const Wish& wish, const Inspection& found) {
  const CodeObject& code = *found.code;
  Ordered json = {{"kernel", wish.instance.definition.name},
                  {"problem", to_text(wish.instance.problem)},
                  {"compute_capability", wish.instance.device.compute_capability},
                  {"configuration", object_of(wish.chosen.configuration)},
                  {"compiler", found.compiler},
                  {"command", code.command},
                  {"log", code.log},
                  {"error", or_null(code.error)},
                  {"ms", code.ms},
                  {"geometry", fields::written(found.geometry, Fields::all)}};
  if (code.cubin) {
    json["function"] = code.kernel;
    json["compile_facts"] = to_fields(code.facts, Fields::all);
    if (code.facts.max_threads_per_block == 0) // without launch bounds it is the driver's to say
      json["compile_facts"]["max_threads_per_block"] = nullptr;
    json["cubin_bytes"] = code.cubin->size();
  }
  if (found.machine_code)
    json["code"] = code_json(*found.machine_code);
  if (found.predicted)
    json["predicted_occupancy"] = {{"percent", 100 * found.predicted->fraction},
                                   {"limiter", to_text(found.predicted->limiter)},
                                   {"blocks_per_sm", found.predicted->blocks_per_sm}};
  return json;
}

std::string reason_of(const Wish& wish, const CodeObject& code) {
  const std::string error = code.error.value_or("");
  return error + macro_hint(error, *wish.instance.source, wish.instance.parameters);
}

class InspectCommand final : public Command {
public:
  InspectCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_output_options();
  std::vector<OutputFile> outputs() const;
  KernelDefinition definition_of(const std::string& kernel) const;
  std::optional<Holding> held_of(const KernelDefinition& definition) const;
  Wish wish_of_line() const;
  void write_code(const CodeObject& code) const;

  std::string what_, configuration_, store_ = usual_store, definition_, capability_, ptx_, sass_;
  HoldingChoice choice_;
  std::vector<std::filesystem::path> include_;
  bool json_ = false;
  HelperSettings helpers_ = {.installation = installation_};
};

InspectCommand::InspectCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "inspect",
              "Compile one configuration without a GPU: command, log, registers, PTX, SASS") {
  line_.footer(
      "Example:\n"
      "  gridsmith inspect transpose --sass -\n"
      "\n"
      "WHAT is a kernel (a name of the catalogue or a T1 JSON file), a store or a recording; its "
      "best configuration is compiled. For a kernel that is the best in the store, or else the "
      "definition's default. CONFIG (\"A=1,B=2\") replaces some or all values. NVRTC compiles; the "
      "command shown is the equivalent one of nvcc.");
  line_.add_option("WHAT", what_, "Kernel, store or recording")->type_name("WHAT")->required();
  add_configuration_option(line_, configuration_);
  add_definition_option(line_, definition_);
  add_choice_options(line_, choice_);
  add_include_option(line_, include_);
  add_capability_option(
      line_, capability_,
      "Compute capability; default: that of the device it was tuned on, else 9.0");
  add_output_options();
}

void InspectCommand::add_output_options() {
  line_.add_option("--ptx", ptx_, "Also write the PTX; - prints only that")->type_name("FILE");
  line_
      .add_option("--sass", sass_,
                  "Also write the SASS, by nvdisasm or cuobjdump; - prints only that")
      ->type_name("FILE");
  add_store_option(line_, store_);
  add_unconfined_option(line_, helpers_, "Run the compiler without a sandbox");
  add_json_option(line_, json_);
}

std::vector<OutputFile> InspectCommand::outputs() const {
  std::vector<OutputFile> all = {{"--ptx", ptx_, "ptx"}, {"--sass", sass_, "sass"}};
  std::erase_if(all, [](const OutputFile& one) { return one.file.empty(); });
  return all;
}

KernelDefinition InspectCommand::definition_of(const std::string& kernel) const {
  const std::string& name = definition_.empty() ? kernel : definition_;
  try {
    return read_definition(find_definition(name, installation_.catalogue), include_);
  } catch (const InputError& error) {
    if (definition_.empty() && kernel != what_)
      throw InputError(fmt::format("{}; --definition FILE names the kernel's", error.what()));
    throw;
  }
}

/// Of the size asked for; of none the definition's first, else whichever there is.
std::optional<Holding> InspectCommand::held_of(const KernelDefinition& definition) const {
  HoldingChoice choice{definition.name, choice_.problem, choice_.device};
  if (!choice.problem.empty())
    return newest_tuning(store_, choice);
  choice.problem = to_text(definition.default_problem());
  if (auto first = newest_tuning(store_, choice))
    return first;
  choice.problem.clear();
  return newest_tuning(store_, choice);
}

/// What the command line asks for. @throws InputError
Wish InspectCommand::wish_of_line() const {
  std::error_code error;
  const bool file = std::filesystem::is_regular_file(what_, error);
  const bool source = file && (is_store(what_) || is_recording(what_));
  std::optional<Holding> held =
      source ? newest_tuning(chosen_of({{what_}, choice_})) : std::nullopt;
  if (source && !held)
    throw InputError(what_ + ": no configuration is correct; name one");
  const KernelDefinition definition = definition_of(source ? held->kernel : what_);
  if (!source)
    held = held_of(definition);
  const std::optional<Export> exported = held ? std::optional(held->load()) : std::nullopt;
  const bool own_device =
      exported && capability_.empty() && exported->recording.device.compute_capability > 0;
  const Device device = own_device
                            ? exported->recording.device
                            : device_of_text(capability_.empty() ? usual_capability : capability_);
  const std::string size = held && choice_.problem.empty() ? held->problem : choice_.problem;
  Wish wish{instantiate(definition, problem_of(definition, size), device), {}};
  wish.chosen = named_configuration(configuration_, wish.instance, [&] {
    UsualConfiguration usual = usual_configuration(wish.instance, held);
    if (source && !usual.is_best)
      throw InputError(fmt::format("{}: its best configuration is not in the space of {}; name one",
                                   what_, definition.file.string()));
    return usual;
  });
  return wish;
}

void InspectCommand::write_code(const CodeObject& code) const {
  if (!ptx_.empty())
    write_output(ptx_, code.ptx);
  if (sass_.empty())
    return;
  const Disassembly disassembly = Disassembler().disassemble(*code.cubin);
  if (!disassembly.sass)
    throw CommandFailed(exit_failed, "no SASS: " + disassembly.missing_because.value_or(""));
  write_output(sass_, *disassembly.sass);
}

void InspectCommand::run() {
  check_outputs(line_, outputs(), json_);
  const Wish wish = wish_of_line();
  const Inspection found = inspect(wish.instance, wish.chosen.configuration, {.helpers = helpers_});
  if (json_)
    print(json_text(inspection_json(wish, found), 2) + "\n");
  else if (!takes_standard_output(files_of(outputs())))
    print(text_of(wish, found, terminal_of(STDOUT_FILENO).width));
  finish_output();
  if (!found.code->cubin)
    throw CommandFailed(exit_failed, "does not compile: " + reason_of(wish, *found.code));
  write_code(*found.code);
  if (found.predicted && found.predicted->blocks_per_sm == 0)
    throw CommandFailed(exit_failed, "cannot be launched: not one block fits on an SM");
}

} // namespace

extern const AddCommand add_inspect_command = add_command<InspectCommand>;

} // namespace gridsmith
