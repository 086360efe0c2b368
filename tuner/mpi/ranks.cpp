// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <thread>

namespace gridsmith {
namespace {

constexpr int tag = 18;         // of all letters
constexpr std::size_t head = 9; // bytes before the content: its kind and its line

} // namespace

struct Ranks::Sending {
  struct One {
    Bytes bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  std::deque<One> open; ///< which stay where they are until they have left

  void forget_sent() {
    while (!open.empty()) {
      int done = 0;
      MPI_Test(&open.front().request, &done, MPI_STATUS_IGNORE);
      if (done == 0)
        return;
      open.pop_front();
    }
  }
};

Ranks::Ranks() : sending_(std::make_unique<Sending>()) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &here_);
  MPI_Comm_size(machine, &all_here_);
  MPI_Comm_free(&machine);
}

Ranks::~Ranks() {
  MPI_Finalize();
}

void Ranks::send(int rank, const Letter& letter) {
  sending_->forget_sent();
  auto& one = sending_->open.emplace_back();
  one.bytes.resize(head + letter.content.size());
  one.bytes[0] = static_cast<std::uint8_t>(letter.kind);
  std::memcpy(one.bytes.data() + 1, &letter.line, sizeof letter.line);
  if (!letter.content.empty())
    std::memcpy(one.bytes.data() + head, letter.content.data(), letter.content.size());
  MPI_Isend(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE, rank, tag,
            MPI_COMM_WORLD, &one.request);
}

std::optional<std::pair<int, Letter>> Ranks::receive() {
  sending_->forget_sent();
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS ||
      there == 0)
    return std::nullopt;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  Bytes bytes(static_cast<std::size_t>(count));
  MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, &status);
  if (bytes.size() < head)
    return std::nullopt;
  Letter letter;
  letter.kind = static_cast<LetterKind>(bytes[0]);
  std::memcpy(&letter.line, bytes.data() + 1, sizeof letter.line);
  letter.content.assign(bytes.begin() + head, bytes.end());
  return std::pair(status.MPI_SOURCE, std::move(letter));
}

void Ranks::flush(int most_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
  for (sending_->forget_sent(); !sending_->open.empty() && std::chrono::steady_clock::now() < end;
       sending_->forget_sent())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Ranks::abandon(int exit_code) {
  flush(200);
  ::_exit(exit_code);
}

} // namespace gridsmith
