// SPDX-License-Identifier: Apache-2.0
// What rank 0 and the agents of the other nodes say to each other: the bytes of the pipes between tuner
// and helper programs, each under the number of its line, and what goes before and after them.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

enum class LetterKind : std::uint8_t {
  report,    ///< agent -> rank 0, once, first: AgentReport
  alive,     ///< both ways, once a second
  start,     ///< rank 0 -> agent: a program on a new line, LineStart
  data,      ///< both ways: bytes of its standard streams
  shortened, ///< rank 0 -> agent: a whole message, of SharedEnds
  close,     ///< rank 0 -> agent: nobody wants it any more
  ended,     ///< agent -> rank 0: LineEnd; nothing follows
  over,      ///< rank 0 -> agent: the tuner has ended
  here,      ///< agent -> rank 0, its answer
  finish,    ///< rank 0 -> agent, last
  abandon,   ///< in its place where a rank is lost: MPI would have the agent wait for that one
};

struct Letter {
  LetterKind kind = LetterKind::alive;
  std::uint64_t line = 0; ///< rank 0's number
  Bytes content = {};
};

/// What an agent has.
struct AgentReport {
  std::string host, version;
  std::size_t cores = 0;       ///< for compilers
  std::vector<Device> devices; ///< its own, with the numbers that they have there
  std::string reason;          ///< why there are none
};

template <Like<AgentReport> T>
void for_fields(T& v, auto&& visit) {
  visit("host", v.host);
  visit("version", v.version);
  visit("cores", v.cores);
  visit("devices", v.devices);
  visit("reason", v.reason);
}

/// A helper program by its name: where it is, the agent knows.
struct LineStart {
  std::string program;
  std::vector<std::string> arguments;
  std::string lock = {}; ///< UUID of the GPU that the agent locks on its machine first; "": none
};

template <Like<LineStart> T>
void for_fields(T& v, auto&& visit) {
  visit("program", v.program);
  visit("arguments", v.arguments);
  visit("lock", v.lock);
}

/// How a program ended.
struct LineEnd {
  int signal = 0; ///< 0: by itself, with this exit code
  int code = 0;
};

template <Like<LineEnd> T>
void for_fields(T& v, auto&& visit) {
  visit("signal", v.signal);
  visit("code", v.code);
}

/// Between ranks. Nothing waits.
class Post {
public:
  virtual ~Post() = default;
  virtual void send(int rank, const Letter& letter) = 0;
  /// The next that came, and from whom.
  virtual std::optional<std::pair<int, Letter>> receive() = 0;

protected:
  Post() = default;
  Post(const Post&) = default;
  Post& operator=(const Post&) = default;
};

} // namespace gridsmith
