// SPDX-License-Identifier: Apache-2.0
// What another process says: frames as they come, in pieces; single documents; a stream as the
// children read it. A message that is understood can be said again, and means the same.
#include "gridsmith/tests/fuzz/fuzz.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace gridsmith::fuzz::frames {

namespace {

constexpr std::size_t length_bytes = 8; // of a frame, in front of its document

void check(const Message& message) {
  const Bytes said = encode(message);
  must_answer("our own message is not understood", [&] {
    require(encode(decode(Bytes(said.begin() + length_bytes, said.end()))) == said,
            "a message changes when said again");
  });
}

void in_pieces(const std::uint8_t* bytes, std::size_t count) {
  MessageBuffer buffer;
  const std::size_t piece = 1 + (count > 0 ? bytes[0] : 0);
  for (std::size_t at = 0; at < count; at += piece) {
    buffer.append(bytes + at, std::min(piece, count - at));
    while (const auto message = buffer.next())
      check(*message);
  }
  buffer.take_text();
}

/// Blocking, from a file that stands for the pipe.
void as_a_child(const std::uint8_t* bytes, std::size_t count) {
  struct File {
    int descriptor = ::memfd_create("frames", MFD_CLOEXEC);

    ~File() { ::close(descriptor); }
  } const file;

  require(::write(file.descriptor, bytes, count) == static_cast<ssize_t>(count), "no memory file");
  ::lseek(file.descriptor, 0, SEEK_SET);
  while (read_message(file.descriptor)) {
  }
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] { in_pieces(bytes, count); });
  answered([&] { check(decode(Bytes(bytes, bytes + count))); });
  answered([&] { as_a_child(bytes, count); });
}

} // namespace gridsmith::fuzz::frames
