// SPDX-License-Identifier: Apache-2.0
// Counts two transposes on the device and checks what is known of them; prints what counting costs.
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace counter_session_test {

using namespace gridsmith;

namespace {

constexpr int n = 8192;
constexpr double matrix_bytes = 4.0 * n * n;

constexpr const char* source = R"(
extern "C" __global__ void naive(float* out, const float* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[size_t(x) * n + y + row] = in[size_t(y + row) * n + x];
}
extern "C" __global__ void tiled(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[size_t(y + row) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x;
  const int v = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[size_t(v + row) * n + u] = tile[threadIdx.x][threadIdx.y + row];
}
extern "C" __global__ void tiny(float* out, const float*, int) {
  if (threadIdx.x > 1000) out[0] = 1;
}
)";

void check(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(code));
}

double wall_ms(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::string compile(int capability) {
  nvrtcProgram program{};
  const auto arch = fmt::format("--gpu-architecture=sm_{}", capability);
  const char* options[] = {arch.c_str()};
  std::size_t size = 0;
  if (nvrtcCreateProgram(&program, source, "transposes.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS ||
      nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS ||
      nvrtcGetCUBINSize(program, &size) != NVRTC_SUCCESS)
    throw std::runtime_error("NVRTC does not compile the transposes");
  std::string cubin(size, '\0');
  nvrtcGetCUBIN(program, cubin.data());
  nvrtcDestroyProgram(&program);
  return cubin;
}

class Bench {
public:
  Bench() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // what was printed survives a crash
    check(cudaSetDevice(0));
    check(cudaFree(nullptr)); // makes the context current
    int major = 0, minor = 0, l2 = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    flush_bytes_ = 2 * static_cast<std::size_t>(l2);
    const auto cubin = compile(10 * major + minor);
    check(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    for (auto** buffer : {&in_, &out_})
      check(cudaMalloc(buffer, static_cast<std::size_t>(matrix_bytes)));
    check(cudaMalloc(&scratch_, flush_bytes_));
    check(cudaMemset(in_, 0, static_cast<std::size_t>(matrix_bytes)));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
    naive = kernel("naive");
    tiled = kernel("tiled");
    tiny = kernel("tiny");
  }

  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  ~Bench() {
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(scratch_);
    cudaLibraryUnload(library_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  cudaKernel_t naive{}, tiled{}, tiny{};

  cudaKernel_t kernel(const char* name) const {
    cudaKernel_t found{};
    check(cudaLibraryGetKernel(&found, library_, name));
    return found;
  }

  void launch(cudaKernel_t kernel) {
    int extent = n;
    void* arguments[] = {&out_, &in_, &extent};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(n / 32, n / 32), dim3(32, 8),
                           arguments, 0, nullptr));
  }

  void launch_and_wait(cudaKernel_t kernel) {
    launch(kernel);
    check(cudaDeviceSynchronize());
  }

  void flush() { check(cudaMemsetAsync(scratch_, 1, flush_bytes_, nullptr)); }

  double event_ms(cudaKernel_t kernel) {
    check(cudaEventRecord(begin_));
    launch(kernel);
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

  double median_ms(cudaKernel_t kernel, int launches = 51) {
    std::vector<double> times;
    for (int k = 0; k < launches; ++k)
      times.push_back(event_ms(kernel));
    std::nth_element(times.begin(), times.begin() + launches / 2, times.end());
    return times[static_cast<std::size_t>(launches / 2)];
  }

private:
  cudaLibrary_t library_{};
  float *in_ = nullptr, *out_ = nullptr;
  void* scratch_ = nullptr;
  std::size_t flush_bytes_ = 0;
  cudaEvent_t begin_{}, end_{};
};

std::vector<CounterValues> collect(Bench& bench, CounterSession& session, std::size_t launches) {
  std::vector<CounterValues> counted;
  const auto prepare = [&](const CountedLaunch&) -> std::size_t {
    bench.flush();
    return 0; // no kernel
  };
  const auto body = [&](const CountedLaunch& at) -> std::size_t {
    bench.launch_and_wait(at.number % 2 ? bench.naive : bench.tiled);
    return 1;
  };
  const double ms = wall_ms([&] { counted = session.collect(launches, prepare, body); });
  fmt::print("     collect of {:3} launches, {} pass(es): {:8.2f} ms, {:7.3f} ms per launch\n",
             launches, session.passes(), ms, ms / static_cast<double>(launches));
  return counted;
}

void print(const CounterValues& values) {
  for (const auto& [name, value] : values)
    fmt::print("       {} = {:.10g}\n", name, value);
}

void check_values(const std::vector<CounterValues>& counted, bool one_pass = true) {
  const Device device;
  double worst_sectors = 0, worst_read = 0, worst_write = 0;
  for (std::size_t number = 0; number < counted.size(); ++number) {
    const MetricFacts facts{counted[number], device};
    const auto off = [&](std::string_view metric, double expected) {
      return std::abs(metric_value(metric, facts).value_or(-1) / expected - 1);
    };
    worst_sectors = std::max({worst_sectors, off("load_sectors_per_request", 4),
                              off("store_sectors_per_request", number % 2 ? 32 : 4)});
    if (number % 2) // the naive one really moves a fifth more: its stores fill no sector at once
      continue;
    worst_read = std::max(worst_read, off("dram_read_bytes", matrix_bytes));
    worst_write = std::max(worst_write, off("dram_write_bytes", matrix_bytes));
  }
  INFO(counted.size() << " launches");
  CHECK(worst_sectors < (one_pass ? 1e-6 : 2e-3)); // 4 and 32 per request; else of two launches
  CHECK(worst_read < 0.15);                        // of the matrix
  CHECK(worst_write < 0.15);
}

} // namespace

TEST_CASE_METHOD(Bench, "what is counted is right, and enabled counters cost kernels nothing") {
  const double tiled_before = median_ms(tiled);
  const double naive_before = median_ms(naive);
  fmt::print("     event-timed before enabling: tiled {:.4f}, naive {:.4f} ms\n", tiled_before,
             naive_before);
  std::optional<CounterSession> session;
  fmt::print("     construct: {:.1f} ms\n",
             wall_ms([&] { session.emplace(0, wanted_counters("default", chip_name(0)).names); }));
  fmt::print("     chip {}, {} pass(es)\n", session->chip(), session->passes());
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // before the first session
  print(collect(*this, *session, 1).front());
  for (const std::size_t launches : {1, 2, 16, 64, 16, 64})
    check_values(collect(*this, *session, launches));
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // between sessions
  CHECK(median_ms(naive) == Approx(naive_before).epsilon(0.05));
  fmt::print("     destroy: {:.1f} ms\n", wall_ms([&] { session.reset(); }));
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // after
}

TEST_CASE_METHOD(Bench, "a counted duration is the kernel's own, whatever is launched between") {
  CounterSession session(0, {"gpu__time_duration.sum"}, 3);
  constexpr std::size_t turns = 11;
  std::vector<double> tiny_us, tiled_ms;
  const auto prepare = [&](const CountedLaunch& at) -> std::size_t {
    launch_and_wait(naive);
    if (at.number % 3 == 0)
      launch_and_wait(tiled); // so that nothing is where it would be by counting alone
    return at.number % 3 == 0 ? 2 : 1;
  };
  const auto values =
      session.collect(2 * turns, prepare, [&](const CountedLaunch& at) -> std::size_t {
        launch_and_wait(at.number % 2 ? tiled : tiny);
        return 1;
      });
  for (std::size_t number = 0; number < values.size(); ++number) {
    const double ns = values[number].at("gpu__time_duration.sum");
    number % 2 ? tiled_ms.push_back(ns / 1e6) : tiny_us.push_back(ns / 1e3);
  }
  std::sort(tiny_us.begin(), tiny_us.end());
  std::sort(tiled_ms.begin(), tiled_ms.end());
  const double events_ms = median_ms(tiled);
  fmt::print("     counted: tiny {:.2f} us, tiled {:.4f} ms; by events: tiled {:.4f} ms\n",
             tiny_us[turns / 2], tiled_ms[turns / 2], events_ms);
  CHECK(tiny_us[turns / 2] < 45);                                // 65,536 blocks that do nothing
  CHECK(tiled_ms[turns / 2] == Approx(events_ms).epsilon(0.06)); // events hold the launch too
}

TEST_CASE_METHOD(Bench, "every launch is repeated once per pass, prepared before") {
  CounterSession session(0, wanted_counters("default", chip_name(0)).names);
  std::vector<std::pair<std::size_t, std::size_t>> prepared, launched;
  const auto values = session.collect(
      3,
      [&](const CountedLaunch& at) -> std::size_t {
        CHECK(prepared == launched);
        prepared.emplace_back(at.pass, at.number);
        return 0;
      },
      [&](const CountedLaunch& at) -> std::size_t {
        launched.emplace_back(at.pass, at.number);
        if (at.number == 1)
          return 0; // it could not be launched
        launch_and_wait(tiled);
        return 1;
      });
  REQUIRE(launched.size() == 3 * session.passes());
  CHECK(prepared == launched);
  for (std::size_t i = 0; i < launched.size(); ++i)
    CHECK(launched[i] == std::pair(i / 3, i % 3));
  CHECK(values[1].empty());
  check_values({values[0]});
  CHECK(values[2].size() == values[0].size());
}

TEST_CASE_METHOD(Bench, "what a body throws comes through, and counting goes on after it") {
  CounterSession session(0, wanted_counters("default", chip_name(0)).names);
  const auto body = [&](const CountedLaunch& at) -> std::size_t {
    if (at.number == 2)
      throw std::runtime_error("body");
    launch_and_wait(tiled);
    return 1;
  };
  CHECK_THROWS_WITH(session.collect(4, {}, body), "body");
  check_values(collect(*this, session, 4));
}

TEST_CASE_METHOD(Bench, "the full set counts the same") {
  std::optional<CounterSession> session;
  fmt::print("     construct again, full set: {:.1f} ms\n",
             wall_ms([&] { session.emplace(0, wanted_counters("full", chip_name(0)).names); }));
  const std::vector<CounterValues> first = collect(*this, *session, 2);
  print(first.back());
  check_values(collect(*this, *session, 16), false);
  // The first collecting counts what later ones do: instructions are the same at every launch.
  const std::vector<CounterValues> again = collect(*this, *session, 2);
  for (std::size_t number = 0; number < 2; ++number) {
    CHECK(first[number].size() == again[number].size());
    for (const auto& [name, value] : first[number])
      if (name.find("inst_executed") != name.npos && name.ends_with(".sum")) {
        INFO(name);
        CHECK(again[number].at(name) == value);
      }
  }
}

} // namespace counter_session_test
