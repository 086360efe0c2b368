// SPDX-License-Identifier: Apache-2.0
// One child program that speaks messages over its standard input and output (one socket for both).
// Nothing here waits but reap() and run_program(): the tuner's poll loop says when there is
// something to do. Nothing process-wide of the host is touched: no signal, no descriptor, no
// environment.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// A helper program cannot serve: it is absent, of another version, or ends again and again.
class HelperError : public Error {
public:
  using Error::Error;
};

/// @throws HelperError naming both versions and the program, when they are not the same.
void check_version(const Hello& hello, const std::filesystem::path& program);
/// The program did not begin with its version. @throws HelperError always.
[[noreturn]] void refuse_stranger(const std::filesystem::path& program);

/// Owns the process: the destructor kills and reaps it. Move-only. A child whose host is killed
/// learns it from the socket and by watching the host (protocol_streams.hpp: end_when_unread), not from a
/// death signal, because Linux sends that when the *thread* that started the child ends.
class ChildProcess {
public:
  /// The child has the socket as descriptors 0 and 1, our standard error to write to, no other
  /// descriptor of ours, a session of its own without a terminal (Ctrl-C is the tuner's to answer, and nothing can
  /// be typed into the user's shell), no signal blocked or ignored.
  /// @param niceness added to that of the calling thread.
  /// @param environment "NAME=value", in place of ours; empty: ours
  /// @throws HelperError when the program cannot be executed, std::system_error when there is no
  /// process or socket.
  static ChildProcess start(const std::filesystem::path& program,
                            const std::vector<std::string>& arguments = {}, int niceness = 0,
                            std::vector<std::string> environment = {});
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  pid_t id() const { return process_; }

  /// As at its start, from now on; less than before needs rights.
  void set_niceness(int niceness);

  /// Ours, non-blocking; for poll.
  int descriptor() const { return socket_; }

  /// Keeps what the socket does not take now for send_rest().
  void send(const Message& message);
  /// Frames as they are, whole or in parts.
  void send_bytes(Bytes bytes);
  void send_rest();

  bool has_unsent() const { return sent_ < unsent_.size(); }

  /// Takes what has come, or some MiB of it. False when the child has closed its end: it ended or is about to.
  bool receive();

  /// @throws ProtocolError for a frame that is no message.
  std::optional<Message> next() { return buffer_.next(); }

  /// Everything received and not read yet as plain text, of a program that prints.
  std::string take_text() { return buffer_.take_text(); }

  std::size_t unread() const { return buffer_.unread(); }

  /// Closes our end: a child that waits for more sees that there is none.
  void hang_up();
  void kill();
  /// Waits a second for the end, then kills, and says how it was: "was killed by signal 11
  /// (Segmentation fault)", "ended with exit code 1". Where the host ignores SIGCHLD or waits for
  /// any child, how it ended is lost, and the text says so.
  std::string reap();

  /// After reap(): by itself, with exit code 0.
  bool ended_well() const { return ended_well_; }

  /// After reap(): by a signal that somebody sends (a person, the system short of memory), not by
  /// one that the program's own fault raises. After kill(), too.
  bool ended_from_outside() const { return ended_from_outside_; }

  /// After reap(): the signal that ended it, 0 for none; else its exit code. Where that is lost, 0.
  int end_signal() const { return end_signal_; }

  int exit_code() const { return exit_code_; }

  /// Memory in use; nothing where the system does not tell.
  std::optional<std::size_t> resident_bytes() const;

private:
  ChildProcess(pid_t process, int process_descriptor, int socket);

  bool has_ended();
  bool wait(std::optional<std::chrono::milliseconds> limit);
  void forget();

  pid_t process_ = -1;          ///< -1: reaped or moved away
  int process_descriptor_ = -1; ///< pidfd; -1 where the system has none
  int socket_ = -1;
  Bytes unsent_;
  std::size_t sent_ = 0; ///< of unsent_
  MessageBuffer buffer_;
  std::string ending_; ///< after the end
  bool ended_well_ = false;
  bool ended_from_outside_ = false;
  int end_signal_ = 0, exit_code_ = 0;
};

/// What a program printed and how it ended, for short questions without messages.
struct ProgramOutput {
  std::string text;
  std::string ended; ///< as ChildProcess::reap() says it
  bool good = false; ///< ended by itself with exit code 0
  int exit_code = 0; ///< as ChildProcess::exit_code()
};

/// @throws as ChildProcess::start().
ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit,
                          std::vector<std::string> environment = {});

} // namespace gridsmith
