// SPDX-License-Identifier: Apache-2.0
// The workspace on the device: argument data, verdicts, and the GPU time of every launch.
#pragma once

#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"

#include <functional>
#include <vector>

namespace gridsmith {

class DeviceWorkspace final : public Workspace {
public:
  struct Looks {
    bool differences = false; ///< of outputs from what is expected
    bool digests = false;     ///< of outputs
  };

  /// @param expect fills the data from a seed and makes its expected outputs known
  /// @param seed that it has now
  /// @param largest_batch most launches between begin() and read()
  /// @param looks what is wanted of each result besides whether it is right
  DeviceWorkspace(ArgumentData& data, const EventStopwatch& caches, cudaStream_t stream,
                  std::function<void(DataSeed seed)> expect, std::uint64_t seed,
                  std::size_t largest_batch, const Looks& looks);

  void use_seed(DataSeed seed) override;

  void begin(std::size_t launches) override;
  void prepare(std::size_t number, Occasion which) override;
  void launch(std::size_t number, Kernel& kernel) override;
  void judge(std::size_t number) override;
  std::vector<JudgedLaunch> read() override;
  void repair() override;

  std::size_t prepare_repeat(Kernel& kernel) override;
  void repeat(Kernel& kernel) override;

private:
  /// Pairs of events around what is enqueued for one launch.
  class Spans {
  public:
    void begin(cudaStream_t stream);
    void end(cudaStream_t stream);

    void clear() { used_ = 0; }

    bool empty() const { return used_ == 0; }

    /// @pre the stream has passed them
    double sum_ms() const;

  private:
    std::vector<Event> events_;
    std::size_t used_ = 0;
  };

  struct LaunchSpans {
    Spans around, launch;
  };

  void launch_on_changed(Kernel& kernel);
  template <typename T>
  std::vector<T> copied(const DeviceMemory& memory) const;

  Differences* differences() const { return static_cast<Differences*>(differences_.get()); }

  std::uint64_t* digests() const { return static_cast<std::uint64_t*>(digests_.get()); }

  template <typename Action>
  void spanned(Spans& spans, const Action& action) {
    spans.begin(stream_);
    action();
    spans.end(stream_);
  }

  ArgumentData& data_;
  const EventStopwatch& caches_;
  cudaStream_t stream_;
  std::function<void(DataSeed)> expect_;
  DataSeed seed_;
  Occasion occasion_ = Occasion::first; ///< of the last prepare()
  bool expected_changed_ = false;       ///< by a launch that was judged
  DeviceMemory verdicts_;               ///< largest batch times data_.verdicts()
  PinnedMemory host_verdicts_;
  // One for each of the largest batch; null: not wanted.
  DeviceMemory differences_, digests_;
  std::vector<LaunchSpans> spans_; ///< by number; they keep their events
  std::size_t launches_ = 0;
};

} // namespace gridsmith
