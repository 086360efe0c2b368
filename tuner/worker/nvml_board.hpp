// SPDX-License-Identifier: Apache-2.0
// The board that launches run on, metered by the driver's management library.
#pragma once

#include "gridsmith/tuner/worker/device/cuda_handles.hpp"
#include "gridsmith/tuner/worker/nvml.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace gridsmith {

class NvmlBoard final : public MeteredBoard {
public:
  /// @param uuid of the device @param since outlives this
  NvmlBoard(std::string uuid, cudaStream_t stream, const HostClock& since)
      : uuid_(std::move(uuid)), stream_(stream), since_(since) {}

  /// Why its energy says nothing of launches, one line; "" where it does.
  std::string useless_because();

  void enqueue(Kernel& kernel, int launches) override;
  std::vector<double> done() override;
  double energy_mj() override;
  bool was_busy() override;
  std::optional<double> temperature() override;

  double now_ms() const override { return since_.ms(); }

  void pause() override;

private:
  struct Burst {
    Event begin, end;
  };

  void open();

  std::string uuid_;
  cudaStream_t stream_;
  const HostClock& since_;
  std::optional<Nvml> nvml_;
  Nvml::Device device_ = nullptr;
  std::deque<Burst> under_way_;
};

} // namespace gridsmith
