// SPDX-License-Identifier: Apache-2.0
// --watch and --watch-stay of `tune`: the report served while it runs.
#pragma once

#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/watch/live_report.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace gridsmith {

struct WatchOptions {
  std::optional<int> port; ///< 0: any; none: nobody watches
  bool stay = false;
};

void add_watch_options(CLI::App& command, WatchOptions& options, const std::string& group);

class Watching {
public:
  /// Serves from now on where that is asked for, and says where. @throws InputError
  explicit Watching(const WatchOptions& options);

  ~Watching() { report_.end(); }

  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// Tells this one too.
  Listener beside(Listener listener);
  /// They stay on the page. @param stop ends the staying
  void finish(std::span<const Outcome> outcomes, const std::stop_token& stop);

private:
  bool stay_;
  LiveReport report_;
  std::optional<PageServer> server_; ///< ends before the report that it serves
};

} // namespace gridsmith
