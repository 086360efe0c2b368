// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/nvml_board.hpp"

#include <chrono>
#include <thread>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr auto short_pause = 200us; // the counter goes up every 100 ms (H200)

} // namespace

/// @throws std::runtime_error
void NvmlBoard::open() {
  if (nvml_)
    return;
  nvml_.emplace();
  device_ = nvml_->device(uuid_);
}

std::string NvmlBoard::useless_because() {
  if (uuid_.starts_with("MIG-"))
    return "the energy is the whole board's, and this is a slice of it (MIG)";
  try {
    open();
    nvml_->energy_mj(device_);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void NvmlBoard::enqueue(Kernel& kernel, int launches) {
  Burst burst{make_event(), make_event()};
  check(cudaEventRecord(burst.begin.get(), stream_));
  for (int launch = 0; launch < launches; ++launch)
    kernel.launch();
  check(cudaEventRecord(burst.end.get(), stream_));
  under_way_.push_back(std::move(burst));
}

std::vector<double> NvmlBoard::done() {
  std::vector<double> all;
  for (; !under_way_.empty(); under_way_.pop_front()) {
    const cudaError_t state = cudaEventQuery(under_way_.front().end.get());
    if (state == cudaErrorNotReady)
      break;
    check(state);
    all.push_back(elapsed_ms(under_way_.front().begin, under_way_.front().end));
  }
  return all;
}

double NvmlBoard::energy_mj() {
  try {
    open();
    return nvml_->energy_mj(device_);
  } catch (const std::runtime_error& error) {
    throw Error(error.what());
  }
}

bool NvmlBoard::was_busy() {
  try {
    open();
    return nvml_->busy_percent(device_) > 0;
  } catch (const std::runtime_error&) { // a board that cannot say
    return false;
  }
}

std::optional<double> NvmlBoard::temperature() {
  try {
    open();
    return nvml_->temperature(device_);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

void NvmlBoard::pause() {
  std::this_thread::sleep_for(short_pause);
}

} // namespace gridsmith
