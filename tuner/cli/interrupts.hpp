// Ctrl-C as a value: once asks to stop after the running evaluation, twice ends at once.
#pragma once

#include <atomic>
#include <thread>

namespace gridsmith {

class Interrupts {
public:
  /// Takes SIGINT and SIGTERM over for the life of the object. Make it before any thread starts.
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool requested() const { return requested_; }

private:
  void listen();

  std::atomic<bool> requested_ = false;
  int signals_ = -1;
  int wake_ = -1;
  std::thread listener_;
};

} // namespace gridsmith
