// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/watching.hpp"

#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <condition_variable>
#include <mutex>

namespace gridsmith {
namespace {

constexpr int highest_port = 65535;

/// @param text "" and CLI11's word for an option without its value: any port
int port_of(const std::string& text) {
  if (text.empty() || text == "true")
    return 0;
  int port = 0;
  const char* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, port);
      read.ptr != end || read.ec != std::errc() || port < 1 || port > highest_port)
    throw InputError(
        fmt::format("--watch {}: a port is a number from 1 to {}; to use any free port, put "
                    "--watch last; or write --watch=PORT",
                    text, highest_port));
  return port;
}

} // namespace

void add_watch_options(CLI::App& command, WatchOptions& options, const std::string& group) {
  CLI::Option* watch =
      command
          .add_option_function<std::string>(
              "--watch", [&options](const std::string& port) { options.port = port_of(port); },
              "Serve the report on this machine during the search; stderr shows its address")
          ->expected(0, 1)
          ->type_name("[PORT]")
          ->group(group);
  command
      .add_flag("--watch-stay", options.stay,
                "Continue to serve the report after the search, "
                "until Ctrl-C")
      ->needs(watch)
      ->group(group);
}

Watching::Watching(const WatchOptions& options) : stay_(options.stay) {
  if (!options.port)
    return;
  if (!has_report_page())
    throw InputError(std::string(no_report_page));
  server_.emplace(report_.site(), *options.port);
  note("watch it at " + server_->address());
}

Listener Watching::beside(Listener listener) {
  if (!server_)
    return listener;
  Listener both = listener;
  both.begun = [this, begun = listener.begun](const Subject& subject) {
    report_.begin(subject);
    begun(subject);
  };
  both.progress = [this, progress = listener.progress](const Progress& now) {
    report_.tell(now.told, now.subject);
    progress(now);
  };
  return both;
}

void Watching::finish(std::span<const Outcome> outcomes, const std::stop_token& stop) {
  if (!server_)
    return;
  report_.finish(outcomes);
  if (stay_) {
    note("it stays at " + server_->address() + " until Ctrl-C");
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
  }
  report_.end();
  server_.reset();
}

} // namespace gridsmith
