// SPDX-License-Identifier: Apache-2.0
// What other ranks say: the content of letters, shortened messages one after the other, and the letters
// of a relay's stream.
#include "gridsmith/tests/fuzz/fuzz.hpp"
#include "gridsmith/tuner/mpi/letter_content.hpp"
#include "gridsmith/tuner/mpi/relay.hpp"
#include "gridsmith/tuner/mpi/shared_ends.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace gridsmith::fuzz::letters {

namespace {

template <Fielded T>
void read_again(const Bytes& content) {
  answered([&] {
    const Bytes said = content_of(read_content<T>(content));
    must_answer("our own letter is not understood", [&] {
      require(content_of(read_content<T>(said)) == said, "a letter changes when said again");
    });
  });
}

/// In pieces of 64 bytes, so that later ones can refer to earlier ones.
void lengthen(const Bytes& content) {
  SharedEnds heard;
  for (std::size_t at = 0; at < content.size(); at += 64) {
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(at);
    const auto left = std::min<std::size_t>(64, content.size() - at);
    answered([&] { heard.lengthen(Bytes(first, first + static_cast<std::ptrdiff_t>(left))); });
  }
}

void as_a_stream(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::size_t most = 65536; // what a socket takes without a reader
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no sockets");
  FrameSocket heard(ends[0]);
  const std::size_t sent = std::min(count, most);
  require(::send(ends[1], bytes, sent, 0) == static_cast<ssize_t>(sent), "not sent");
  ::close(ends[1]);
  while (heard.receive()) {
  }
  while (heard.next()) {
  }
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  const Bytes content(bytes, bytes + count);
  read_again<AgentReport>(content);
  read_again<LineStart>(content);
  read_again<LineEnd>(content);
  lengthen(content);
  as_a_stream(bytes, count);
}

} // namespace gridsmith::fuzz::letters
