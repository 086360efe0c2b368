// SPDX-License-Identifier: Apache-2.0
// A job without MPI: agents that are numbers, whose letters a test reads and writes, and the relays that
// the tuner's side would start.
#pragma once

#include "gridsmith/tuner/mpi/letter_content.hpp"
#include "gridsmith/tuner/mpi/switchboard.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <deque>
#include <utility>
#include <vector>

namespace gridsmith::test {

class FakePost final : public Post {
public:
  void send(int rank, const Letter& letter) override { sent.emplace_back(rank, letter); }

  std::optional<std::pair<int, Letter>> receive() override {
    if (coming.empty())
      return std::nullopt;
    auto next = std::move(coming.front());
    coming.pop_front();
    return next;
  }

  std::deque<std::pair<int, Letter>> coming, sent;
};

/// A relay's end of its socket.
inline FrameSocket connect_relay(const std::filesystem::path& folder, const LineStart& start) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, switchboard_file(folder).c_str(), sizeof address.sun_path - 1);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw Error("nobody listens in " + folder.string());
  FrameSocket relay(descriptor);
  relay.send(LetterKind::start, content_of(start));
  return relay;
}

/// Of a node with as many GPUs.
inline AgentReport report_of(const std::string& host, std::size_t gpus,
                             const std::string& driver = "580.1") {
  AgentReport report{host, "1.0", 8, {}, gpus == 0 ? "no driver" : ""};
  for (std::size_t i = 0; i < gpus; ++i) {
    Device& device = report.devices.emplace_back();
    device.ordinal = static_cast<int>(i);
    device.uuid = host + "-" + std::to_string(i);
    device.driver_version = driver;
  }
  return report;
}

} // namespace gridsmith::test
