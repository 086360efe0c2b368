// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a value: once asks to stop, and ends the program where that is not heard within two
// seconds; twice ends it at once. Its exit code is then 130.
#pragma once

#include <stop_token>
#include <thread>

namespace gridsmith {

class Interrupts {
public:
  /// Takes SIGINT and SIGTERM over for the life of the object. Make it before any thread starts.
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::stop_token token() const { return requested_.get_token(); }

private:
  void listen();

  std::stop_source requested_;
  int signals_ = -1;
  int wake_ = -1;
  std::thread listener_;
};

/// Of every command, until it makes Interrupts because it has something to finish: SIGINT and SIGTERM
/// end the program with one line and exit code 130.
void end_when_interrupted();

} // namespace gridsmith
