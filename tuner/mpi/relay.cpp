// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/relay.hpp"

#include "gridsmith/tuner/mpi/letter_content.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t head = 5; // bytes before the content

/// False: nobody takes it any more.
bool write_all(int descriptor, const Bytes& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t put = ::write(descriptor, bytes.data() + sent, bytes.size() - sent);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    sent += static_cast<std::size_t>(put);
  }
  return true;
}

/// As the program that we stand for.
int end_as(const LineEnd& end) {
  if (end.signal == 0)
    return end.code;
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none); // its own node has it, if any
  std::signal(end.signal, SIG_DFL);
  ::raise(end.signal);
  return 128 + end.signal;
}

int connected_to(const std::filesystem::path& file) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, file.c_str(), sizeof address.sun_path - 1);
  if (socket < 0 ||
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return -1;
  return socket;
}

} // namespace

FrameSocket::~FrameSocket() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

FrameSocket::FrameSocket(FrameSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), unsent_(std::move(other.unsent_)),
      unread_(std::move(other.unread_)) {
}

void FrameSocket::send(LetterKind kind, const Bytes& content) {
  unsent_.push_back(static_cast<std::uint8_t>(kind));
  for (std::size_t byte = 0; byte < head - 1; ++byte)
    unsent_.push_back(static_cast<std::uint8_t>(content.size() >> (8 * byte)));
  unsent_.insert(unsent_.end(), content.begin(), content.end());
  send_rest();
}

void FrameSocket::send_rest() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t put = ::send(descriptor_, unsent_.data() + sent, unsent_.size() - sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      break; // full: later; gone: receive() says so
    sent += static_cast<std::size_t>(put);
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
}

bool FrameSocket::receive() {
  std::array<std::uint8_t, 65536> bytes;
  for (int reads = 0; reads < 64; ++reads) {
    const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0)
      unread_.insert(unread_.end(), bytes.begin(), bytes.begin() + got);
    else if (got == 0 || errno != EINTR)
      return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  return true;
}

std::optional<Letter> FrameSocket::next() {
  if (unread_.size() < head)
    return std::nullopt;
  std::size_t length = 0;
  for (std::size_t byte = 0; byte < head - 1; ++byte)
    length |= std::size_t{unread_[1 + byte]} << (8 * byte);
  if (unread_.size() < head + length)
    return std::nullopt;
  const auto content = unread_.begin() + head;
  const auto end = content + static_cast<std::ptrdiff_t>(length);
  Letter letter{static_cast<LetterKind>(unread_.front()), 0, Bytes(content, end)};
  unread_.erase(unread_.begin(), end);
  return letter;
}

int run_relay(int count, char** words) {
  const std::filesystem::path self = words[0];
  FrameSocket board(connected_to(switchboard_file(self.parent_path())));
  if (board.descriptor() < 0)
    return end_as({SIGKILL, 0}); // rank 0 is gone
  std::signal(SIGPIPE, SIG_IGN);
  board.send(LetterKind::start,
             content_of(LineStart{self.filename().string(), {words + 1, words + count}}));
  std::array<std::uint8_t, 65536> bytes;
  while (true) {
    std::array<pollfd, 2> both{
        {{STDIN_FILENO, POLLIN, 0},
         {board.descriptor(), static_cast<short>(POLLIN | (board.has_unsent() ? POLLOUT : 0)), 0}}};
    ::poll(both.data(), both.size(), -1);
    if (both[0].revents != 0) {
      const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got > 0)
        board.send(LetterKind::data, Bytes(bytes.begin(), bytes.begin() + got));
      else if (got == 0)
        return 0; // nobody wants it any more: the switchboard sees that we are gone
    }
    board.send_rest();
    const bool there = board.receive();
    while (const auto letter = board.next()) {
      if (letter->kind == LetterKind::ended)
        return end_as(read_content<LineEnd>(letter->content));
      if (!write_all(STDOUT_FILENO, letter->content))
        return 0;
    }
    if (!there)
      return end_as({SIGKILL, 0});
  }
}

} // namespace gridsmith
