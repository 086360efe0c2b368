// SPDX-License-Identifier: Apache-2.0
// A tuning as a page that follows it: what a session tells is kept here, and whoever looks is shown it from
// threads of the server. The session's thread only appends.
#pragma once

#include "gridsmith/tuner/presentation/report_source.hpp"
#include "gridsmith/tuner/watch/page_server.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace gridsmith {

class LiveReport {
public:
  LiveReport();
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  /// What is tuned next, or beside what has begun.
  void begin(const Subject& subject);
  /// @param subject by the order in which they began; none: the last. @pre one has begun
  void tell(std::span<const Measurement> measured, std::optional<std::size_t> subject = {});
  /// Those that were not reached may be missing.
  void finish(std::span<const Outcome> outcomes);
  /// No more will come: streams end.
  void end();

  /// To be served; this outlives the server.
  Site site();

private:
  struct Place;
  class Stream;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace gridsmith
