// SPDX-License-Identifier: Apache-2.0
// The tuner's side of the messages, as small as a test needs it: one compiler per core, one worker.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith::testing {

struct Programs {
  std::filesystem::path compiler, worker;
  Device device; ///< the first
};

/// Of this build. @throws std::runtime_error when the worker lists no device
Programs find_programs();

double ms_since(std::chrono::steady_clock::time_point begun);
/// 0 of none.
double median_of(std::vector<double> values);

class Compilers {
public:
  explicit Compilers(const std::filesystem::path& program);

  std::vector<CodeObject> all(const std::vector<CompileRequest>& requests, int compute_capability);
  /// The worker's own kernels. @throws std::runtime_error with the compiler's reason
  std::shared_ptr<const Bytes> device_code(int compute_capability);

private:
  std::vector<ChildProcess> children_;
};

class Driver {
public:
  /// Starts a worker and waits until the work is open. @throws std::runtime_error when it is
  /// refused
  static Driver open(const std::filesystem::path& program, const UseDevice& device,
                     const OpenWork& open);

  static std::optional<WorkRefused> refusal(const std::filesystem::path& program,
                                            const UseDevice& device, const OpenWork& open);

  /// One more work in the same process, from here on the one that is measured; ms that it took.
  /// @throws std::runtime_error when it is refused
  double open_too(const OpenWork& open);

  /// Back to one that is open.
  void go_on_with(std::uint64_t work) { work_ = work; }

  const WorkOpened& opened() const { return opened_; } ///< the last

  const std::optional<ContextLost>& lost() const { return lost_; }

  void send(const Message& message) { child_.send(message); }

  /// Each job as a race of its own; executions by id, until all have come or the context is lost.
  std::map<std::uint64_t, Execution> race(const std::vector<LaunchJob>& jobs);
  /// One batch; the same.
  std::map<std::uint64_t, Execution> run(EvaluateBatch batch);
  std::optional<StageBegun> last_stage_after(std::chrono::milliseconds wait);
  /// Whether the process ends by itself within some seconds.
  bool ends();

private:
  Driver(const std::filesystem::path& program, const UseDevice& device, const OpenWork& open,
         std::optional<WorkRefused>& refused);
  /// Until the work is open or refused.
  void wait_for_opened(std::optional<WorkRefused>& refused);
  std::map<std::uint64_t, Execution> executions(std::size_t count);

  ChildProcess child_;
  std::uint64_t work_ = 0;
  WorkOpened opened_;
  std::optional<ContextLost> lost_;
};

/// The next message of a child; nothing after the limit or when it has ended.
std::optional<Message> wait_message(ChildProcess& child, std::chrono::milliseconds limit);

} // namespace gridsmith::testing
