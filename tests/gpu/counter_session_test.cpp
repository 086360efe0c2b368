// Counts two transposes on the device and checks what is known of them; prints what counting costs.
#include "gridsmith/metrics/counters/counter_session.hpp"
#include "gridsmith/metrics/counters/counters.hpp"
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

std::vector<CounterValues> collect(Bench& bench, CounterSession& session, std::size_t ranges) {
  std::vector<CounterValues> counted;
  const double ms = wall_ms([&] {
    counted = session.collect(
        ranges, [&](const CountedLaunch&) { bench.flush(); },
        [&](const CountedLaunch& at) {
          bench.launch_and_wait(at.range % 2 ? bench.naive : bench.tiled);
        });
  });
  fmt::print("     collect of {:3} ranges, {} pass(es): {:8.2f} ms, {:7.3f} ms per range\n", ranges,
             session.passes(), ms, ms / static_cast<double>(ranges));
  return counted;
}

void print(const CounterValues& values) {
  for (const auto& [name, value] : values)
    fmt::print("       {} = {:.10g}\n", name, value);
}

void check_values(const std::vector<CounterValues>& counted) {
  const Device device;
  double worst_sectors = 0, worst_read = 0, worst_write = 0;
  for (std::size_t range = 0; range < counted.size(); ++range) {
    const MetricFacts facts{counted[range], device};
    const auto off = [&](std::string_view metric, double expected) {
      return std::abs(metric_value(metric, facts).value_or(-1) / expected - 1);
    };
    worst_sectors = std::max({worst_sectors, off("load_sectors_per_request", 4),
                              off("store_sectors_per_request", range % 2 ? 32 : 4)});
    if (range % 2) // the naive one really moves a fifth more: its stores fill no sector at once
      continue;
    worst_read = std::max(worst_read, off("dram_read_bytes", matrix_bytes));
    worst_write = std::max(worst_write, off("dram_write_bytes", matrix_bytes));
  }
  INFO(counted.size() << " ranges");
  CHECK(worst_sectors < 1e-6); // 4 and 32 per request
  CHECK(worst_read < 0.15);    // of the matrix
  CHECK(worst_write < 0.15);
}

void time_inside_session(Bench& bench, CounterSession& session) {
  std::vector<double> times;
  session.collect(
      16, [&](const CountedLaunch&) { times.push_back(bench.median_ms(bench.tiled, 5)); },
      [&](const CountedLaunch&) { bench.launch_and_wait(bench.tiled); });
  std::nth_element(times.begin(), times.begin() + 8, times.end());
  fmt::print("     event-timed inside a session, outside a range: {:.4f} ms\n", times[8]);
}

void cost_of_unrelated_launches(Bench& bench, CounterSession& session) {
  const auto hundred = [&] {
    for (int k = 0; k < 100; ++k)
      bench.launch(bench.tiny);
    check(cudaDeviceSynchronize());
  };
  const auto body = [&](const CountedLaunch&) { bench.launch_and_wait(bench.tiny); };
  const double alone = wall_ms(hundred);
  const double plain = wall_ms([&] { session.collect(16, {}, body); });
  const double loaded =
      wall_ms([&] { session.collect(16, [&](const CountedLaunch&) { hundred(); }, body); });
  fmt::print("     100 launches of an empty kernel: {:.3f} ms outside sessions, {:.3f} ms between "
             "ranges\n",
             alone, (loaded - plain) / 16);
  const double one =
      wall_ms([&] { session.collect(1, {}, [&](const CountedLaunch&) { hundred(); }); });
  const double one_plain = wall_ms([&] { session.collect(1, {}, body); });
  fmt::print("     100 launches inside one range: {:.3f} ms\n", one - one_plain);
}

} // namespace

TEST_CASE_METHOD(Bench, "what is counted is right, and enabled counters cost kernels nothing") {
  const double tiled_before = median_ms(tiled);
  const double naive_before = median_ms(naive);
  fmt::print("     event-timed before enabling: tiled {:.4f}, naive {:.4f} ms\n", tiled_before,
             naive_before);
  std::optional<CounterSession> session;
  fmt::print("     construct: {:.1f} ms\n",
             wall_ms([&] { session.emplace(0, counter_set("default").names(chip_name(0)), 64); }));
  fmt::print("     chip {}, {} pass(es)\n", session->chip(), session->passes());
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // before the first session
  print(collect(*this, *session, 1).front());
  for (const std::size_t ranges : {1, 2, 16, 64, 16, 64})
    check_values(collect(*this, *session, ranges));
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // between sessions
  CHECK(median_ms(naive) == Approx(naive_before).epsilon(0.05));
  time_inside_session(*this, *session);
  cost_of_unrelated_launches(*this, *session);
  fmt::print("     destroy: {:.1f} ms\n", wall_ms([&] { session.reset(); }));
  CHECK(median_ms(tiled) == Approx(tiled_before).epsilon(0.05)); // after
}

TEST_CASE_METHOD(Bench, "every range is launched once per pass, prepared before") {
  CounterSession session(0, counter_set("default").names(chip_name(0)), 64);
  std::vector<std::pair<std::size_t, std::size_t>> prepared, launched;
  session.collect(
      2,
      [&](const CountedLaunch& at) {
        CHECK(prepared == launched);
        prepared.emplace_back(at.pass, at.range);
      },
      [&](const CountedLaunch& at) {
        launched.emplace_back(at.pass, at.range);
        launch_and_wait(tiled);
      });
  REQUIRE(launched.size() == 2 * session.passes());
  CHECK(prepared == launched);
  for (std::size_t i = 0; i < launched.size(); ++i)
    CHECK(launched[i] == std::pair(i / 2, i % 2));
}

TEST_CASE_METHOD(Bench, "what a body throws comes through, and counting goes on after it") {
  CounterSession session(0, counter_set("default").names(chip_name(0)), 64);
  CHECK_THROWS_WITH(session.collect(4, {},
                                    [&](const CountedLaunch& at) {
                                      if (at.range == 2)
                                        throw std::runtime_error("body");
                                      launch_and_wait(tiled);
                                    }),
                    "body");
  check_values(collect(*this, session, 4));
}

TEST_CASE_METHOD(Bench, "the full set counts the same") {
  std::optional<CounterSession> session;
  fmt::print("     construct again, full set: {:.1f} ms\n",
             wall_ms([&] { session.emplace(0, counter_set("full").names(chip_name(0)), 64); }));
  print(collect(*this, *session, 2).back());
  check_values(collect(*this, *session, 16));
}
