// SPDX-License-Identifier: Apache-2.0
// The works that a process has open: as many as the memory allows, so that going back to one costs
// nothing.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// The device has no memory for what was to be opened.
class NoMemory : public Error {
public:
  using Error::Error;
};

/// Data and reference of one problem, ready for batches.
class OpenedWork {
public:
  virtual ~OpenedWork() = default;
  virtual void run(const EvaluateBatch& batch) = 0;
};

class OpenWorks {
public:
  /// Opens a work and completes the answer. @throws NoMemory and whatever else stands in the way
  using Make = std::function<std::unique_ptr<OpenedWork>(const OpenWork&, WorkOpened& answer)>;
  /// Of the device's memory, 0 to 1.
  using FreeShare = std::function<double()>;

  OpenWorks(Make make, FreeShare free_share);

  /// Others are closed, the one used longest ago first, until half of the device's memory is free: what
  /// a kernel takes while it runs must be there as if this work were alone. Where that is not enough
  /// all are. @throws what `make` throws
  WorkOpened open(const OpenWork& work);

  /// @throws ProtocolError for a batch of a work that is not open
  void run(const EvaluateBatch& batch);

private:
  struct Entry {
    std::uint64_t number = 0;
    std::unique_ptr<OpenedWork> work;
  };

  void close_first(WorkOpened& answer);

  Make make_;
  FreeShare free_share_;
  std::vector<Entry> works_; ///< the one used longest ago first
};

} // namespace gridsmith
