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

  /// What is tuned next; what was told before is of another.
  void begin(const Subject& subject);
  void tell(std::span<const Measurement> measured);
  void finish(const Outcome& outcome);
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
