// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/program.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/command_table.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"
#include "gridsmith/tuner/commandline/typed_words.hpp"
#include "gridsmith/tuner/commandline/usage_error.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <array>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr const char* description =
    "Gridsmith finds the fastest configuration of a CUDA kernel, and explains why it is fastest.";

constexpr const char* footer =
    "Examples:\n"
    "  gridsmith tune transpose --size 8192x8192\n"
    "  gridsmith export header gridsmith.db -o tuned.hpp\n"
    "  gridsmith help tune\n"
    "\n"
    "Tuning runs on this machine's GPU. Without a GPU it replays a recording of a real one, and "
    "its first line says so.\n"
    "\n"
    "Exit codes:\n"
    "  0    done\n"
    "  1    failed\n"
    "  2    usage or bad input\n"
    "  3    no usable device\n"
    "  4    some kernel could not be judged\n"
    "  130  interrupted";

/// The folders of cli/ and what their commands are for, in the order of the list of commands.
constexpr std::array<std::pair<std::string_view, const char*>, 6> command_groups{
    {{"tuning", "Tune"},
     {"records", "Read, compare and export results"},
     {"guard", "Check for regressions, judge, profile"},
     {"definitions", "Define and inspect kernels"},
     {"hardware", "This machine"},
     {"about", "The program itself"}}};

int run(int count, char** words, const Installation& installation) {
  CLI::App app(description, "gridsmith");
  add_commands(app, installation);
  if (count < 2) {
    print(help_page(app, help_width()));
    return exit_usage;
  }
  const std::vector<std::string> typed(words + 1, words + count);
  if (const std::string fault = fault_of_words(app, typed); !fault.empty()) {
    note(fault);
    return exit_usage;
  }
  try {
    app.parse(count, words);
  } catch (const CLI::Success& asked) { // --help, --version
    std::ostringstream text;
    const int code = app.exit(asked, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    note(usage_error(app, error, typed));
    return exit_usage;
  }
  return exit_done;
}

constexpr int reader_gone = 141; // 128 + SIGPIPE, as shells report it

/// With the file that it is about, or the limit of the shell that may be the cause.
std::string text_of(const std::system_error& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return (file->path1().empty() ? "the working folder" : file->path1().string()) + ": " +
           error.code().message();
  if (error.code() == std::errc::too_many_files_open)
    return std::string(error.what()) + "; 'ulimit -n' allows more";
  if (error.code() == std::errc::resource_unavailable_try_again)
    return std::string("no more threads or processes can be started (") + error.what() +
           "); 'ulimit -u' or 'ulimit -v' allows more";
  if (error.code() == std::errc::not_enough_memory)
    return std::string(error.what()) + "; 'ulimit -v' allows more";
  return error.what();
}

/// The exit code of a step, after one line for what it throws.
template <typename Step>
int code_of(const Step& step) {
  try {
    return step();
  } catch (const OutputGone&) {
    return reader_gone;
  } catch (const CommandFailed& failed) {
    if (*failed.what() != '\0')
      note(failed.what());
    return failed.code();
  } catch (const NoSuchDevice& absent) {
    note(absent.what());
    return exit_no_device;
  } catch (const InputError& error) {
    note(error.what());
    return exit_usage;
  } catch (const WorkerRefused& refused) {
    note(refused.what());
    return refused.no_device() ? exit_no_device : exit_failed;
  } catch (const std::system_error& error) {
    note(text_of(error));
    return exit_failed;
  } catch (const std::exception& error) {
    note(plain_text(error));
    return exit_failed;
  }
}

} // namespace

void add_commands(CLI::App& app, const Installation& installation) {
  app.footer(footer);
  app.set_help_flag("-h,--help", "Show this page"); // the commands take it over
  app.require_subcommand(1);
  app.set_version_flag("--version,-V", version_text, "Show the version");
  use_help_pages(app, help_width());
  for (const auto& [folder, title] : command_groups)
    for (const CommandEntry& one : command_table())
      if (one.folder == folder) {
        one.add(app, installation);
        app.get_subcommands([](CLI::App*) { return true; }).back()->group(title);
      }
  refuse_values_of_flags(app);
}

int run_program(int count, char** words, const Installation& installation) {
  prepare_streams();
  end_when_interrupted(); // a command with something to finish takes the signals over
  const int code = code_of([&] { return run(count, words, installation); });
  const int arrived = code_of([] {
    finish_output();
    return static_cast<int>(exit_done);
  });
  return code != exit_done ? code : arrived;
}

} // namespace gridsmith
