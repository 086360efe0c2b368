// SPDX-License-Identifier: Apache-2.0
// Stands where the tuner expects a helper program, and carries its standard streams to rank 0's
// switchboard, which knows the node where the program runs. It ends as that one ends. Frames between
// the two: a byte of LetterKind, four of length (little-endian), content.
#pragma once

#include "gridsmith/tuner/mpi/letter.hpp"

#include <filesystem>
#include <optional>

namespace gridsmith {

/// A socket with frames. Move-only; closes it.
class FrameSocket {
public:
  explicit FrameSocket(int descriptor) : descriptor_(descriptor) {}

  ~FrameSocket();
  FrameSocket(FrameSocket&& other) noexcept;
  FrameSocket& operator=(FrameSocket&& other) = delete;

  int descriptor() const { return descriptor_; }

  bool has_unsent() const { return !unsent_.empty(); }

  void send(LetterKind kind, const Bytes& content);
  void send_rest();
  /// False: the other end is gone.
  bool receive();
  std::optional<Letter> next();

private:
  int descriptor_;
  Bytes unsent_, unread_;
};

/// Where the switchboard of this folder listens.
inline std::filesystem::path switchboard_file(const std::filesystem::path& folder) {
  return folder / "switchboard";
}

/// @param words as main() has them: the first is the helper's name, in the switchboard's folder
/// @return the exit code, where it is not ended as the program was
int run_relay(int count, char** words);

} // namespace gridsmith
