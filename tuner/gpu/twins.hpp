// SPDX-License-Identifier: Apache-2.0
// Launches that are the same although their configurations differ (a flag that changes nothing when
// another is off): one is measured, its twins wait for it and share what it gave. Knows no process, so
// that it serves however many workers measure.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Equal for launches of the same machine code with the same geometry in all its fields, and so for
/// equal launches wherever the arguments are the same. "": not known of this code.
std::string launch_key(const CodeObject& code, const Geometry& geometry);

class Twins {
public:
  using Number = std::uint64_t; ///< of a trial, the caller's
  using Shared = std::shared_ptr<const Measurement>;

  enum class Turn {
    measure, ///< nobody has launched this yet, or its key is not known
    wait,    ///< for the one that is being measured: measured() or left() names it
    share,   ///< what answer() gives
  };

  /// One more is about to be launched.
  Turn join(Number number, const std::string& key);

  /// What the twin of this one gave. @pre its turn is to share
  const Measurement& answer(Number number) const { return *answers_.at(number); }

  /// Those that waited for this one, which share now. What says nothing of the launch itself is not
  /// shared: see left().
  std::vector<Number> measured(Number number, const Measurement& measurement);

  /// No longer wanted, or its failure was the machine's: which of those that waited for it is to be
  /// measured in its place.
  std::optional<Number> left(Number number);

  /// Its answer is not needed any more.
  void forget(Number number) { answers_.erase(number); }

private:
  struct Family {
    std::optional<Number> first; ///< being measured
    std::vector<Number> waiting;
    Shared measured;
  };

  void remember(const std::string& key);

  std::map<std::string, Family> families_;    ///< by key
  std::map<Number, std::string> keys_;        ///< of those on their way
  std::map<Number, Shared> answers_;          ///< of those whose turn is to share
  std::deque<std::string> measured_in_order_; ///< so that not all are kept
};

} // namespace gridsmith
