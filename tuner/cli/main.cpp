// gridsmith: the command line. Links nothing of CUDA; starts on any machine in milliseconds.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <algorithm>
#include <exception>
#include <sstream>

namespace gridsmith {
namespace {

constexpr const char* description =
    "Gridsmith finds the fastest configuration of a CUDA kernel, and says why.\n"
    "\n"
    "  gridsmith tune transpose --size 8192x8192     tune on this machine's GPU, or on a "
    "recording\n"
    "  gridsmith export header gridsmith.db -o tuned.hpp\n"
    "                                                hand the best on to a library\n"
    "  gridsmith simulate FILE… --strategy default   judge a search strategy without a GPU\n";

constexpr const char* footer =
    "\nExit codes: 0 done; 1 failed; 2 usage or bad input; 3 no usable device; 130 interrupted.\n"
    "Each command has its own page: gridsmith COMMAND --help";

/// CLI11 names the word it does not know; the nearest command is more help.
std::string usage_line(const CLI::App& app, const CLI::ParseError& error, int count, char** words) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  if (count > 1 && words[1][0] != '-' && app.get_subcommands().empty())
    return unknown_name("command", words[1], names);
  if (app.get_subcommands().empty())
    return error.what();
  const CLI::App* command = app.get_subcommands().front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options())
    if (!option->get_lnames().empty())
      options.push_back("--" + option->get_lnames().front());
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    for (int i = 2; i < count; ++i) {
      const std::string word = std::string(words[i]).substr(0, std::string(words[i]).find('='));
      if (word.starts_with("--") &&
          std::find(options.begin(), options.end(), word) == options.end())
        return unknown_name("option", word, options) + " for '" + command->get_name() + "'";
    }
  return error.what();
}

int run(int count, char** words) {
  const Installation installation = find_installation();
  CLI::App app(description, "gridsmith");
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", "gridsmith " + std::string(version()));
  app.get_formatter()->column_width(32);
  add_tune_command(app, installation);
  add_devices_command(app, installation);
  add_occupancy_command(app, installation);
  add_space_command(app, installation);
  add_simulate_command(app, installation);
  add_export_command(app, installation);
  add_show_command(app, installation);
  add_diff_command(app, installation);
  add_inspect_command(app, installation);
  add_kernels_command(app, installation);
  add_doctor_command(app, installation);
  add_check_definition_command(app, installation);
  add_init_command(app, installation);
  try {
    app.parse(count, words);
  } catch (const CLI::Success& asked) { // --help, --version
    std::ostringstream text;
    const int code = app.exit(asked, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    note(usage_line(app, error, count, words));
    return exit_usage;
  }
  return exit_done;
}

constexpr int reader_gone = 141; // 128 + SIGPIPE, as shells report it

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
  } catch (const std::exception& error) {
    note(error.what());
    return exit_failed;
  }
}

} // namespace
} // namespace gridsmith

int main(int count, char** words) {
  using namespace gridsmith;
  prepare_streams();
  const int code = code_of([&] { return run(count, words); });
  const int arrived = code_of([] {
    finish_output();
    return static_cast<int>(exit_done);
  });
  return code != exit_done ? code : arrived;
}
