// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/hold_clocks.hpp"

#include "gridsmith/tuner/worker/nvml.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

namespace gridsmith {
namespace {

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

/// Until nobody holds the other end any more.
void wait_for_end() {
  char byte = 0;
  ssize_t got = 0;
  do
    got = ::read(STDIN_FILENO, &byte, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
}

} // namespace

int hold_clocks(const std::string& uuid, unsigned sm_clock_mhz) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_IGN);
  try {
    const Nvml nvml;
    const Nvml::Device device = nvml.device(uuid);
    nvml.lock_clocks(device, sm_clock_mhz);
    say("locked");
    wait_for_end();
    nvml.restore_clocks(device);
    return 0;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}

} // namespace gridsmith
