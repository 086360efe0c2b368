// SPDX-License-Identifier: Apache-2.0
// MPI, by its one door: letters between ranks, and who shares a machine with whom. No collective but at
// the start and the end, so that no rank waits for another in between.
#pragma once

#include "gridsmith/tuner/mpi/letter.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace gridsmith {

class Ranks final : public Post {
public:
  /// Joins the job. A rank that dies is no error of the others, as far as MPI lets them live.
  Ranks();
  /// Waits for all ranks, unless abandon() was called.
  ~Ranks() override;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }

  int size() const { return size_; }

  int here() const { return here_; } ///< this rank's number among those of its machine …

  int all_here() const { return all_here_; } ///< … and how many these are

  void send(int rank, const Letter& letter) override;
  std::optional<std::pair<int, Letter>> receive() override;
  /// Waits until all that was sent has left, at most so many milliseconds.
  void flush(int most_ms);

  /// Ends the process without a word to the others: some of them are gone.
  [[noreturn]] void abandon(int exit_code);

private:
  struct Sending;

  int rank_ = 0, size_ = 1, here_ = 0, all_here_ = 1;
  std::unique_ptr<Sending> sending_;
};

} // namespace gridsmith
