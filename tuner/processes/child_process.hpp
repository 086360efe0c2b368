// One child program that speaks messages over its standard input and output (one socket for both).
// Nothing here waits: the tuner's poll loop says when there is something to do.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Owns the process: the destructor kills and reaps it. Move-only.
class ChildProcess {
public:
  /// @param courtesy niceness added to ours. A program that cannot be executed ends with 127.
  /// @throws std::system_error when no process or socket can be had.
  static ChildProcess start(const std::filesystem::path& program,
                            const std::vector<std::string>& arguments = {}, int courtesy = 0);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  /// Ours, non-blocking; for poll.
  int descriptor() const { return socket_; }

  /// Keeps what the socket does not take now for send_rest().
  void send(const Message& message);
  void send_rest();

  bool has_unsent() const { return sent_ < unsent_.size(); }

  /// Takes what has come. False when the child has closed its end: it ended or is about to.
  bool receive();

  /// @throws ProtocolError for a frame that is no message.
  std::optional<Message> next() { return buffer_.next(); }

  /// Everything received and not read yet as plain text, of a program that prints.
  std::string take_text() { return buffer_.take_text(); }

  /// Closes our end: a child that waits for more sees that there is none.
  void hang_up();
  void kill();
  /// Kills what still runs, waits for the end, and says how it was: "was killed by signal 11
  /// (Segmentation fault)", "ended with exit code 1".
  std::string reap();
  /// Memory in use; 0 when not known.
  std::size_t resident_bytes() const;

private:
  ChildProcess(pid_t process, int socket) : process_(process), socket_(socket) {}

  pid_t process_ = -1; ///< -1: reaped or moved away
  int socket_ = -1;
  Bytes unsent_;
  std::size_t sent_ = 0; ///< of unsent_
  MessageBuffer buffer_;
  std::string ending_; ///< after reap()
};

/// What a program printed and how it ended, for short questions without messages.
struct ProgramOutput {
  std::string text;
  std::string ended; ///< as ChildProcess::reap() says it
};

ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit);

} // namespace gridsmith
