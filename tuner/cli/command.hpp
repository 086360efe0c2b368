// SPDX-License-Identifier: Apache-2.0
// What a command is, and the options that several have.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/tuner/commandline/checks.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"
#include "gridsmith/tuner/presentation/output.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// Exit codes of the house.
enum ExitCode {
  exit_done = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_no_device = 3,
  exit_incomplete = 4,    ///< not all could be judged, and nothing that could be is worse
  exit_interrupted = 130, ///< 128 + SIGINT, as shells report it
};

/// Ends the program with this code after one line on stderr; "": what is to be said was said.
class CommandFailed : public Error {
public:
  CommandFailed(ExitCode code, const std::string& line) : Error(line), code_(code) {}

  ExitCode code() const { return code_; }

private:
  ExitCode code_;
};

/// A command of the program, a file each. It is made with the command line, to which its constructor adds its options; it
/// holds what they were set to, and runs when it was chosen.
class Command {
public:
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// @throws what run_program() has a line and an exit code for
  virtual void run() = 0;

  CLI::App& line() { return line_; }

protected:
  /// @param above what it is a command of @param says one line, for the list of commands
  Command(CLI::App& above, const Installation& installation, const std::string& name,
          const std::string& says)
      : line_(*above.add_subcommand(name, says)), installation_(installation) {}

  CLI::App& line_; ///< what a person types of it
  const Installation& installation_;
};

/// Adds a command to one above. @param installation outlives the command line
using AddCommand = void (*)(CLI::App& above, const Installation& installation);

template <typename C>
void add_command(CLI::App& above, const Installation& installation) {
  const auto command = std::make_shared<C>(above, installation);
  command->line().callback([command] { command->run(); });
}

/// The problem a person named, else the definition's first. @throws InputError
ProblemSize problem_of(const KernelDefinition& definition, const std::string& size);
/// The device of a compute capability written as "9.0". @throws InputError
Device device_of_text(const std::string& capability);

inline constexpr const char* usual_store = "gridsmith.db";

/// KERNEL, which has to be given.
CLI::Option* add_kernel_option(CLI::App& command, std::string& kernel,
                               const std::string& text = "Name of the catalogue or a T1 JSON file");
/// --kernel NAME of a source.
CLI::Option* add_source_kernel_option(CLI::App& command, std::string& kernel);

/// --definition FILE. @param definitions a text, or several
template <typename Texts>
CLI::Option* add_definition_option(
    CLI::App& command, Texts& definitions,
    const std::string& text = "Definition of a kernel that is not in the catalogue") {
  return command.add_option("--definition", definitions, text)->type_name("FILE");
}

inline constexpr const char* one_size_text =
    "Problem size, e.g. 8192x8192; default: the definition's first";

/// --size SIZE. @param sizes a text; or several, and it may be repeated
template <typename Texts>
CLI::Option* add_size_option(CLI::App& command, Texts& sizes,
                             const std::string& text = one_size_text) {
  return command.add_option("--size,--problem", sizes, text)
      ->type_name("SIZE")
      ->allow_extra_args(false);
}

/// --capability X.Y
CLI::Option*
add_capability_option(CLI::App& command, std::string& capability,
                      const std::string& text = "Compute capability whose limits apply");
/// --arch ARCH,…
CLI::Option* add_arch_option(CLI::App& command, std::vector<std::string>& architectures,
                             const std::string& text);

/// --seed N. @param text for people, what it is of
template <typename Number>
CLI::Option* add_seed_option(CLI::App& command, Number& seed, const std::string& text) {
  return command.add_option("--seed", seed, text)->check(count_from(0));
}

/// --timeout N, of launches.
CLI::Option* add_timeout_option(CLI::App& command, double& seconds);
/// --effect N. @param text for people, what that change is
CLI::Option* add_effect_option(CLI::App& command, double& percent, const std::string& text);
/// --counters NAMES, as wanted_counters() takes them.
CLI::Option* add_counters_option(CLI::App& command, std::string& counters);

/// --store FILE, by default the one of all commands.
template <typename File>
CLI::Option* add_store_option(CLI::App& command, File& store,
                              const std::string& text = "SQLite file of all measurements") {
  return command.add_option("--store", store, text)->default_str(usual_store)->type_name("FILE");
}

/// --no-store. @pre --store
CLI::Option* add_no_store_option(CLI::App& command, bool& no_store,
                                 const std::string& text = "Keep nothing on disk");
/// --json
CLI::Option* add_json_option(CLI::App& command, bool& json, const std::string& text = "As JSON");

/// --include DIR, which may be repeated.
CLI::Option* add_include_option(CLI::App& command, std::vector<std::filesystem::path>& folders);
/// -D NAME or NAME=VALUE, with which a source is compiled.
CLI::Option* add_define_option(CLI::App& command, std::vector<std::string>& macros);

/// --gpu N. (--device is a name, in what was measured: records/sources.hpp.)
template <typename Number>
CLI::Option* add_gpu_option(CLI::App& command, Number& number,
                            const std::string& text = "Number of the CUDA device") {
  constexpr std::size_t most_devices = 1023; // more than a machine has
  return command.add_option("--gpu", number, text)->check(count_from(0, most_devices));
}

/// --unconfined, --no-cache and --share of what starts helpers. @param text for people, what the command does then
CLI::Option* add_unconfined_option(CLI::App& command, HelperSettings& helpers,
                                   const std::string& text);
CLI::Option* add_no_cache_option(CLI::App& command, HelperSettings& helpers,
                                 const std::string& text);
CLI::Option*
add_share_option(CLI::App& command, HelperSettings& helpers,
                 const std::string& text = "Do not wait for another Gridsmith on this GPU");

/// --verbose and --quiet, one of them at most.
void add_loudness_options(CLI::App& command, bool& verbose, bool& quiet,
                          const std::string& group = "Options");
/// --quiet of a command that has no --verbose.
CLI::Option* add_quiet_option(CLI::App& command, bool& quiet);

/// --regime REGIME. @param every where set, "all" is a word too, and sets it
CLI::Option* add_regime_option(CLI::App& command, Regime& regime, bool* every = nullptr);

/// --compile-timeout SECONDS|auto|none
CLI::Option* add_compile_timeout_option(CLI::App& command, CompileTimeout& timeout);

/// CONFIG, as the second argument or by --configuration.
void add_configuration_option(CLI::App& command, std::string& configuration);

/// What --version says: the version, then what it is built from and with.
std::string version_text();
/// Of help pages: as wide as the terminal, but no wider than text reads well.
std::size_t help_width();

} // namespace gridsmith
