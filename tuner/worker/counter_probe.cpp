// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/counter_probe.hpp"

#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <optional>
#include <string_view>

namespace gridsmith {
namespace {

/// For the driver to compile: the worker's own device code comes with the work. The oldest
/// architecture that the toolkit knows.
constexpr std::string_view nothing = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry nothing() { ret; }
)";

/// Nothing where the driver cannot compile: opening the session is told all the same.
std::optional<LoadedKernel> load_nothing() {
  auto code = std::make_shared<Bytes>(nothing.begin(), nothing.end());
  code->push_back(0); // PTX ends as a C string
  try {
    return LoadedKernel({.cubin = std::move(code),
                         .kernel = "nothing",
                         .geometry = {.grid = {1, 1, 1}, .block = {1, 1, 1}}});
  } catch (const CudaError&) {
    return std::nullopt;
  }
}

void read_one(int ordinal) {
  check(cudaSetDevice(ordinal));
  check(cudaFree(nullptr)); // makes the context
  const std::optional<LoadedKernel> kernel = load_nothing();
  CounterSession session(ordinal, {"gpu__time_duration.sum"}, 1); // every chip has it
  if (kernel)
    session.collect(1, {}, [&](const CountedLaunch&) -> std::size_t {
      kernel->launch(nullptr, nullptr);
      check(cudaDeviceSynchronize());
      return 1;
    });
}

} // namespace

CounterProbe probe_counters(int ordinal) {
  try {
    read_one(ordinal);
    return {.code = 0, .message = ""};
  } catch (const CuptiError& error) {
    return {.code = error.code(), .message = error.what()};
  } catch (const std::exception& error) {
    return {.code = std::nullopt, .message = error.what()};
  }
}

} // namespace gridsmith
