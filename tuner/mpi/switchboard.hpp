// SPDX-License-Identifier: Apache-2.0
// Rank 0 between the tuner and the helper programs of all nodes. The tuner starts relays in their place
// (relay.hpp), which connect here; each is a line to a program on some node: a worker where its GPU is, a
// compiler where there is the most room. The devices of all nodes have numbers in one list. An agent that
// falls silent is dropped: its programs count as killed from outside, its GPUs as lost, and the tuner asks
// the others.
#pragma once

#include "gridsmith/tuner/mpi/host.hpp"
#include "gridsmith/tuner/mpi/nodes.hpp"
#include "gridsmith/tuner/mpi/relay.hpp"
#include "gridsmith/tuner/mpi/shared_ends.hpp"
#include "gridsmith/tuner/processes/pauses.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct SwitchboardSettings {
  std::filesystem::path folder;              ///< of relays; the socket is made there
  std::chrono::milliseconds silence{30'000}; ///< of an agent, after which it is dropped
  bool compile_only = false;                 ///< agents without a GPU compile
  bool share = false;                        ///< GPUs of other machines are not locked there
  std::function<void(const std::string&)> note = {};
};

class Switchboard {
public:
  /// @param reports by rank, rank 0's first; those that cannot serve are noted and left out
  /// @param own of rank 0's machine
  /// @throws std::system_error
  Switchboard(Post& post, Host own, std::vector<AgentReport> reports, SwitchboardSettings settings);
  ~Switchboard();
  Switchboard(const Switchboard&) = delete;
  Switchboard& operator=(const Switchboard&) = delete;

  /// Cores of all agents that compile.
  std::size_t compilers() const { return nodes_.compilers(); }

  /// Carries on, waiting at most so long where nothing is to do.
  void turn(std::chrono::milliseconds limit);

  bool lost_any() const { return lost_any_; } ///< an agent: MPI cannot be ended in order

private:
  struct Line {
    FrameSocket relay;
    std::optional<int> agent = {}; ///< none: not known yet
    bool compiler = false;
    bool numbered = true; ///< false: its first orders name a device by our number
    MessageBuffer orders = {};
    bool greeted = true; ///< false: a worker's Hello was said for it and is still to come
    std::optional<LineStart> start = {};
    MessageBuffer hello = {}; ///< its first words
    bool heard_hello = false;
    bool ended = false; ///< its relay was told so
  };

  using Lines = std::map<std::uint64_t, Line>;

  void accept_relays();
  bool serve(std::uint64_t number, Line& line);
  void hear(std::uint64_t number, Line& line, Letter letter);
  void begin(std::uint64_t number, Line& line, LineStart start);
  void order(std::uint64_t number, Line& line, const Bytes& content);
  bool translate(std::uint64_t number, Line& line, Message& message);
  void connect(std::uint64_t number, Line& line, int agent, const LineStart& start);
  void refuse(Line& line, const std::string& why) const;
  void answer(Line& line, const std::string& text) const;
  void send_job(std::uint64_t number, Line& line, const Bytes& content);
  void hang_up(std::uint64_t number, const Line& line);
  void send(int agent, const Letter& letter);
  void take(int agent, Letter letter);
  bool check_hello(Line& line, const Bytes& content);
  void drop(int agent, const std::string& why);

  Post& post_;
  Host own_;
  SwitchboardSettings settings_;
  Nodes nodes_;
  Pauses pauses_;
  std::map<int, SharedEnds> sent_; ///< to the compilers of each agent
  bool lost_any_ = false;
  int listener_ = -1;
  std::uint64_t numbers_ = 0;
  Lines lines_;
  std::optional<Hello> compiler_hello_; ///< the first one: all others are to be alike
};

} // namespace gridsmith
