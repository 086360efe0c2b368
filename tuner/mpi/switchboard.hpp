// Rank 0 between the tuner and the helper programs of all nodes. The tuner starts relays in their place
// (relay.hpp), which connect here; each is a line to a program on some node: a worker where its GPU is, a
// compiler where there is the most room. The devices of all nodes have numbers in one list. An agent that
// falls silent is dropped: its programs count as killed from outside, its GPUs as lost, and the tuner asks
// the others.
#pragma once

#include "gridsmith/tuner/mpi/host.hpp"
#include "gridsmith/tuner/mpi/relay.hpp"

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
  std::size_t compilers() const;
  /// Carries on, waiting at most so long where nothing is to do.
  void turn(std::chrono::milliseconds limit);
  bool lost_any() const; ///< an agent: MPI cannot be ended in order

private:
  using Clock = std::chrono::steady_clock;

  struct Agent {
    AgentReport report;
    Clock::time_point heard;
    std::size_t compiling = 0; ///< compilers there
    std::string lost = {};     ///< why; "": it serves
  };

  /// A GPU of the list.
  struct Place {
    int agent;
    Device device; ///< as its node knows it
  };

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

  void list_devices();
  void accept_relays();
  bool serve(std::uint64_t number, Line& line);
  void begin(std::uint64_t number, Line& line, LineStart start);
  void order(std::uint64_t number, Line& line, const Bytes& content);
  bool translate(std::uint64_t number, Line& line, Message& message);
  void connect(std::uint64_t number, Line& line, int agent, const LineStart& start);
  std::optional<int> best_compiler() const;
  void refuse(Line& line, const std::string& why) const;
  void answer(Line& line, const std::string& text) const;
  void hang_up(std::uint64_t number, const Line& line);
  void send(int agent, const Letter& letter);
  void take(int agent, Letter letter);
  bool check_hello(Line& line, const Bytes& content);
  void drop(int agent, const std::string& why);
  void note(const std::string& line) const;

  Post& post_;
  Host own_;
  SwitchboardSettings settings_;
  std::vector<Agent> agents_;
  std::vector<Place> places_;
  int listener_ = -1;
  std::uint64_t numbers_ = 0;
  Lines lines_;
  std::optional<Hello> compiler_hello_; ///< the first one: all others are to be alike
};

} // namespace gridsmith
