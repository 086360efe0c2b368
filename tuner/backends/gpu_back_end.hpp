// SPDX-License-Identifier: Apache-2.0
// The CUDA devices of this machine. Their processes start with the first evaluator, and serve all that follow.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"
#include "gridsmith/tuner/backends/gpu_turn.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"

#include <future>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class GpuBackEnd final : public BackEnd {
public:
  /// @param settings `readable` and the conditions are set here
  /// @param numbers of the devices wanted; empty: all there are
  /// @param note one line that a person should read
  GpuBackEnd(GpuProcessSettings settings, std::vector<int> numbers, Note note)
      : settings_(std::move(settings)), numbers_(std::move(numbers)), note_(std::move(note)) {}

  void will_compile(const KernelDefinition& definition) override;
  /// Processes of all kinds beside each other, as each takes a tenth of a second or two.
  void begin() override;

  std::vector<Source> sources(const BackEndProblem& wanted) override;

  std::string absent() const override { return asked_ ? asked_->reason : ""; }

  OpenedEvaluator evaluator_for(const EvaluatorRequest& request,
                                const std::stop_token& stop) override;
  void wait(std::chrono::milliseconds limit) override;

private:
  void ask();
  const DeviceList& devices();
  std::unique_ptr<Evaluator> evaluator_on(const std::vector<Device>& devices,
                                          const EvaluatorRequest& request);

  GpuProcessSettings settings_;
  std::vector<int> numbers_;
  Note note_;
  bool needed_ = false; ///< something will be compiled
  std::future<DeviceList> asking_;
  std::optional<DeviceList> asked_; ///< once: it starts a process
  EarlyStart early_;
  std::optional<GpuTurn> turn_;
};

} // namespace gridsmith
