// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/command.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/session/limits.hpp"

#include <string>

namespace gridsmith {

ProblemSize problem_of(const KernelDefinition& definition, const std::string& size) {
  return size.empty() ? definition.default_problem() : problem_size_from_text(size);
}

Device device_of_text(const std::string& capability) {
  return device_of_capability(capability_from_text(capability));
}

void add_loudness_options(CLI::App& command, bool& verbose, bool& quiet, const std::string& group) {
  CLI::Option* told =
      command
          .add_flag("--verbose", verbose,
                    "Print a line on stderr for each configuration as it is measured")
          ->group(group);
  add_quiet_option(command, quiet)->excludes(told)->group(group);
}

CLI::Option* add_quiet_option(CLI::App& command, bool& quiet) {
  return command.add_flag("--quiet", quiet,
                          "Print neither answer nor progress, only warnings and errors; the exit "
                          "code, --json and the files named hold the result");
}

CLI::Option* add_regime_option(CLI::App& command, Regime& regime, bool* every) {
  std::vector<std::string> words(Words<Regime>::list.begin(), Words<Regime>::list.end());
  std::string text =
      "How launches are timed: cold: the L2 flushed before each; warm: right behind a launch of the same; "
      "back-to-back: many in a row; graph: likewise, as a CUDA graph; rotate: in a row, on "
      "rotating copies of the data";
  if (every != nullptr) {
    words.emplace_back("all");
    text += "; all: cold, then the finalists under each of the others";
  }
  return command
      .add_option_function<std::string>(
          "--regime",
          [&regime, every](const std::string& word) {
            if (word == "all")
              *every = true;
            else
              regime = from_text<Regime>(word);
          },
          text)
      ->default_str("cold")
      ->type_name("REGIME")
      ->check(one_of("regime", words));
}

CLI::Option* add_compile_timeout_option(CLI::App& command, CompileTimeout& timeout) {
  return command
      .add_option_function<std::string>(
          "--compile-timeout",
          [&timeout](const std::string& text) { timeout = compile_timeout_from_text(text); },
          "Cancel a compilation after so many seconds; auto: defer unusually slow ones, measure "
          "others meanwhile, cancel them when the search ends; none: never cancel")
      ->default_str("auto")
      ->type_name("SECONDS|auto|none")
      ->check(suggested({"auto", "none"}));
}

CLI::Option* add_unconfined_option(CLI::App& command, HelperSettings& helpers,
                                   const std::string& text) {
  return command.add_flag_callback("--unconfined", [&helpers] { helpers.confined = false; }, text);
}

CLI::Option* add_no_cache_option(CLI::App& command, HelperSettings& helpers,
                                 const std::string& text) {
  return command.add_flag_callback("--no-cache", [&helpers] { helpers.cache = false; }, text);
}

CLI::Option* add_share_option(CLI::App& command, HelperSettings& helpers, const std::string& text) {
  return command.add_flag("--share", helpers.share, text);
}

CLI::Option* add_kernel_option(CLI::App& command, std::string& kernel, const std::string& text) {
  return command.add_option("KERNEL", kernel, text)->type_name("KERNEL")->required();
}

CLI::Option* add_source_kernel_option(CLI::App& command, std::string& kernel) {
  return command
      .add_option("--kernel", kernel,
                  "Kernel of the source, if it has several; scale<float, 4> gives a template's "
                  "arguments")
      ->type_name("NAME");
}

CLI::Option* add_capability_option(CLI::App& command, std::string& capability,
                                   const std::string& text) {
  return command.add_option("--capability", capability, text)
      ->type_name("X.Y")
      ->capture_default_str();
}

CLI::Option* add_arch_option(CLI::App& command, std::vector<std::string>& architectures,
                             const std::string& text) {
  return command.add_option("--arch", architectures, text)
      ->type_name("ARCH,…")
      ->delimiter(',')
      ->allow_extra_args(false);
}

CLI::Option* add_timeout_option(CLI::App& command, double& seconds) {
  return command.add_option("--timeout", seconds, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(positive_number(longest_launch_s));
}

CLI::Option* add_effect_option(CLI::App& command, double& percent, const std::string& text) {
  constexpr double most = 99;
  return command.add_option("--effect", percent, text)
      ->capture_default_str()
      ->check(positive_number(most));
}

CLI::Option* add_counters_option(CLI::App& command, std::string& counters) {
  return command
      .add_option("--counters", counters,
                  "Sets (none, default, shared, full) or names that 'gridsmith counters' lists, "
                  "separated by commas")
      ->type_name("NAMES")
      ->check(suggested(names_in(counter_sets())))
      ->capture_default_str();
}

CLI::Option* add_no_store_option(CLI::App& command, bool& no_store, const std::string& text) {
  return command.add_flag("--no-store", no_store, text)->excludes("--store");
}

CLI::Option* add_json_option(CLI::App& command, bool& json, const std::string& text) {
  return command.add_flag("--json", json, text);
}

CLI::Option* add_include_option(CLI::App& command, std::vector<std::filesystem::path>& folders) {
  return command
      .add_option_function<std::vector<std::string>>(
          "--include",
          [&folders](const std::vector<std::string>& texts) {
            folders.assign(texts.begin(), texts.end());
          },
          "Another folder whose files the definition may read, and that is searched for headers; "
          "may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

CLI::Option* add_define_option(CLI::App& command, std::vector<std::string>& macros) {
  return command
      .add_option("-D,--define", macros,
                  "A macro with which the source is compiled, as its build defines it; may be "
                  "repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
}

void add_configuration_option(CLI::App& command, std::string& configuration) {
  constexpr const char* text = "Values (\"A=1,B=2\") that replace those of the best";
  CLI::Option* place =
      command.add_option("CONFIGURATION", configuration, text)->type_name("CONFIG");
  command.add_option("--configuration", configuration, "The same")
      ->type_name("CONFIG")
      ->excludes(place);
}

} // namespace gridsmith
