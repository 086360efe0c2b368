// SPDX-License-Identifier: Apache-2.0
// Tells the tuner by messages and Nsight by ranges what the worker is at.
#pragma once

#include "gridsmith/tuner/worker/nvtx.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <string>

namespace gridsmith {

class MessageObserver final : public Observer {
public:
  /// @param output descriptor for messages
  /// @param started what times are counted from
  MessageObserver(int output, const HostClock& started);

  /// Of what is measured from here on, for the ranges.
  void set_kernel(const std::string& name) { kernel_ = name; }

  void stage_begun(const Candidate& candidate, std::string_view stage) override;
  void stage_ended() override;
  void profiling(bool on) override;
  void done(Candidate& candidate) override;
  /// Says who it was and ends the process at once: destructors would call into the lost context.
  [[noreturn]] void context_lost(const Candidate& candidate, const std::string& reason) override;

private:
  int output_;
  HostClock started_;
  std::string kernel_;
  NvtxDomain nvtx_;
};

} // namespace gridsmith
