// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/loads_in_flight.hpp"

#include <algorithm>
#include <vector>

namespace gridsmith {
namespace {

struct UnderWay {
  int barrier = no_barrier; ///< none yet: that of the next load, or the copy's group is open
  int group = 0;            ///< of asynchronous copies, from 1
  bool shared = false;
  int bytes = 0;
};

class Scoreboard {
public:
  void pass(const MachineInstruction& one) {
    std::erase_if(under_way_, [&](const UnderWay& load) {
      return load.barrier != no_barrier && (one.wait_mask >> load.barrier & 1u) != 0;
    });
    if (one.waits_barrier != no_barrier)
      wait_for_groups(one.waits_barrier, one.waits_until);
    if (one.name() == "LDGDEPBAR")
      close_group(one.write_barrier);
    start(one);
    note();
  }

  void forget() { under_way_.clear(); }

  const LoadsInFlight& most() const { return most_; }

private:
  void start(const MachineInstruction& one) {
    if (!one.memory)
      return;
    const bool asynchronous = *one.memory == MemoryKind::async_copy,
               shared = *one.memory == MemoryKind::shared_load,
               far = *one.memory == MemoryKind::global_load ||
                     *one.memory == MemoryKind::generic_load ||
                     *one.memory == MemoryKind::local_load;
    if (asynchronous)
      under_way_.push_back({no_barrier, group_, false, one.bytes});
    else if (shared || far) {
      under_way_.push_back({one.write_barrier, 0, shared, one.bytes});
      share_barrier(under_way_.back());
    }
  }

  /// Loads that arrive in their order may have no barrier but that of the last.
  void share_barrier(const UnderWay& last) {
    for (UnderWay& load : under_way_)
      if (load.barrier == no_barrier && load.group == 0 && load.shared == last.shared)
        load.barrier = last.barrier;
  }

  /// The copies so far become a group that the barrier tells the end of.
  void close_group(int barrier) {
    for (UnderWay& load : under_way_)
      if (load.group == group_)
        load.barrier = barrier;
    ++group_;
  }

  /// All but the last `left` closed groups have arrived.
  void wait_for_groups(int barrier, int left) {
    std::erase_if(under_way_, [&](const UnderWay& load) {
      return load.barrier == barrier && load.group > 0 && load.group < group_ - left;
    });
  }

  void note() {
    LoadsInFlight now;
    for (const UnderWay& load : under_way_) {
      (load.shared ? now.shared_loads : now.loads) += 1;
      (load.shared ? now.shared_bytes : now.bytes) += load.bytes;
    }
    most_.loads = std::max(most_.loads, now.loads);
    most_.bytes = std::max(most_.bytes, now.bytes);
    most_.shared_loads = std::max(most_.shared_loads, now.shared_loads);
    most_.shared_bytes = std::max(most_.shared_bytes, now.shared_bytes);
  }

  std::vector<UnderWay> under_way_;
  LoadsInFlight most_;
  int group_ = 1;
};

} // namespace

LoadsInFlight loads_in_flight(std::span<const MachineInstruction> code) {
  Scoreboard board;
  for (const MachineInstruction& one : code) {
    board.pass(one);
    if (one.ends_flow())
      board.forget();
  }
  return board.most();
}

LoadsInFlight loads_in_flight(std::span<const MachineInstruction> code,
                              std::span<const std::size_t> body, std::size_t head) {
  Scoreboard board;
  for (int turn = 0; turn < 2; ++turn)
    for (const std::size_t position : body) {
      board.pass(code[position]);
      if (code[position].ends_flow() && code[position].target != head)
        board.forget();
    }
  return board.most();
}

} // namespace gridsmith
