// SPDX-License-Identifier: Apache-2.0
// The example library of tests/consumer/dense on a GPU: what it plans is compiled, launched, right, and, on a GPU
// of the kind that was measured, where that was measured, as fast as its record says.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/consumer/dense/dense.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace dense_test {

using namespace gridsmith;

namespace {

const std::filesystem::path catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
constexpr double drift = 0.08;     // another GPU of the same product, another day
constexpr double apart_ms = 0.002; // what events around one launch differ by
constexpr int samples = 21;

void need(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(code));
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  need(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

dense::Gpu this_gpu() {
  return {10 * attribute(cudaDevAttrComputeCapabilityMajor) +
              attribute(cudaDevAttrComputeCapabilityMinor),
          attribute(cudaDevAttrMultiProcessorCount),
          attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          2.0 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) /
              8e6};
}

struct FreeDevice {
  void operator()(float* pointer) const { cudaFree(pointer); }
};

using Array = std::unique_ptr<float, FreeDevice>;

Array array(const std::vector<float>& content) {
  void* pointer = nullptr;
  need(cudaMalloc(&pointer, content.size() * sizeof(float)));
  need(cudaMemcpy(pointer, content.data(), content.size() * sizeof(float), cudaMemcpyHostToDevice));
  return Array(static_cast<float*>(pointer));
}

std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& one : list)
    one = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 16) / 65536 - 0.5f;
  return list;
}

dim3 extents(const auto& of) {
  return {static_cast<unsigned>(of[0]), static_cast<unsigned>(of[1]), static_cast<unsigned>(of[2])};
}

/// Compiled for this GPU as an application does it.
class Kernel {
public:
  Kernel(const std::string& source, const char* name, const std::string& options) {
    std::vector<std::string> words{fmt::format("-arch=sm_{}", this_gpu().compute_capability)};
    std::istringstream all(options);
    for (std::string word; all >> word;)
      words.push_back(word);
    std::vector<const char*> list;
    list.reserve(words.size());
    for (const std::string& word : words)
      list.push_back(word.c_str());
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram(&program, source.c_str(), name, 0, nullptr, nullptr);
    const bool compiled =
        nvrtcCompileProgram(program, static_cast<int>(list.size()), list.data()) == NVRTC_SUCCESS;
    std::size_t size = 0;
    nvrtcGetCUBINSize(program, &size);
    std::vector<char> cubin(size);
    nvrtcGetCUBIN(program, cubin.data());
    nvrtcDestroyProgram(&program);
    if (!compiled)
      throw std::runtime_error(fmt::format("{} {} does not compile", name, options));
    need(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    need(cudaLibraryGetKernel(&kernel_, library_, name));
  }

  ~Kernel() { cudaLibraryUnload(library_); }

  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void launch(dim3 grid, dim3 block, std::size_t shared_bytes, void** arguments) const {
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), grid, block, arguments,
                          shared_bytes, nullptr));
  }

private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

/// Leaves an L2 that holds other data and nothing to be written back, as the tuner does: by reading.
class Flush {
public:
  void operator()() const {
    int count = size;
    float* data = data_.get();
    void* arguments[] = {static_cast<void*>(&data), &count};
    kernel_.launch(1024, 256, 0, arguments);
  }

private:
  static constexpr int size = 64 << 20;

  Kernel kernel_{R"(extern "C" __global__ void read_all(float* data, int size) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
      sum += data[i];
    if (sum != 0) // never
      data[0] = sum;
  })",
                 "read_all", ""};
  Array data_ = array(std::vector<float>(size));
};

/// The median of launches of what is planned, each with a flushed L2.
double median_ms(const dense::Plan& plan, void** arguments) {
  std::ostringstream source;
  source << std::ifstream(catalogue / plan.kernel / (std::string(plan.kernel) + ".cu")).rdbuf();
  const Kernel kernel(source.str(), plan.kernel, plan.options);
  const auto launch = [&] {
    kernel.launch(extents(plan.grid), extents(plan.block),
                  static_cast<std::size_t>(plan.dynamic_shared_bytes), arguments);
  };
  const Flush flush;
  cudaEvent_t begin = nullptr, end = nullptr;
  need(cudaEventCreate(&begin));
  need(cudaEventCreate(&end));
  launch();
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    flush();
    need(cudaEventRecord(begin));
    launch();
    need(cudaEventRecord(end));
    need(cudaEventSynchronize(end));
    float ms = 0;
    need(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(static_cast<double>(ms));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return summarise(times)->median_ms;
}

/// That of the configuration with these options, in the shipped recording; nothing where there is none.
std::optional<TimeSummary> recorded(const dense::Plan& plan, const std::string& problem) {
  const auto file = catalogue / plan.kernel / "recordings" / (problem + "__h200.json.gz");
  if (!std::filesystem::exists(file))
    return std::nullopt;
  for (const Measurement& row : read_recording(file).measurements) {
    std::string options;
    for (const auto& [name, value] : row.configuration)
      options += fmt::format("{}-D{}={}", options.empty() ? "" : " ", name, to_text(value));
    if (options == plan.options)
      return summarise(row.times_ms);
  }
  return std::nullopt;
}

/// In print; of what was measured on this kind of GPU also within the record's interval.
void compare(const dense::Plan& plan, const std::string& problem, double ms) {
  const auto record = recorded(plan, problem);
  fmt::print("{} {}: {:.4f} ms, {}{}{}\n", plan.kernel, problem, ms, plan.match,
             plan.expected_ms > 0 ? fmt::format(", expected {:.4f}", plan.expected_ms) : "",
             record ? fmt::format(", recorded {:.4f} to {:.4f}", record->low_ms, record->high_ms)
                    : "");
  if (!record || std::string(plan.match) != "measured_problem")
    return;
  INFO(plan.kernel << " " << problem << " " << plan.options);
  CHECK(ms > record->low_ms * (1 - drift) - apart_ms);
  CHECK(ms < record->high_ms * (1 + drift) + apart_ms);
}

void transposes(int rows, int columns) {
  const std::vector<float> content = numbers(std::int64_t{rows} * columns, 1);
  const Array in = array(content), out = array(std::vector<float>(content.size()));
  const auto plan = dense::plan_transpose(this_gpu(), rows, columns, in.get(), out.get());
  REQUIRE(plan);
  float *from = in.get(), *to = out.get();
  void* arguments[] = {static_cast<void*>(&from), static_cast<void*>(&to), &rows, &columns};
  const double ms = median_ms(*plan, arguments);
  std::vector<float> found(content.size());
  need(cudaMemcpy(found.data(), to, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::size_t wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      wrong += found[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                     static_cast<std::size_t>(row)] !=
               content[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                       static_cast<std::size_t>(column)];
  CHECK(wrong == 0);
  compare(*plan, fmt::format("{}x{}", rows, columns), ms);
}

void multiplies(int m, int n, int k) {
  const std::vector<float> a = numbers(std::int64_t{m} * k, 1), b = numbers(std::int64_t{k} * n, 2);
  const Array left = array(a), right = array(b),
              product = array(
                  std::vector<float>(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)));
  const auto plan = dense::plan_matmul(this_gpu(), m, n, k, left.get(), right.get(), product.get());
  REQUIRE(plan);
  float *pa = left.get(), *pb = right.get(), *pc = product.get();
  void* arguments[] = {
      static_cast<void*>(&pa), static_cast<void*>(&pb), static_cast<void*>(&pc), &m, &n, &k};
  const double ms = median_ms(*plan, arguments);
  std::vector<float> found(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  need(cudaMemcpy(found.data(), pc, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int check = 0; check < 64; ++check) { // spread over the matrix, its corners among them
    const std::size_t at = (found.size() - 1) * static_cast<std::size_t>(check) / 63;
    const std::size_t row = at / static_cast<std::size_t>(n),
                      column = at % static_cast<std::size_t>(n);
    double expected = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
      expected += static_cast<double>(a[row * static_cast<std::size_t>(k) + i]) *
                  static_cast<double>(b[i * static_cast<std::size_t>(n) + column]);
    CHECK(std::abs(static_cast<double>(found[at]) - expected) < 1e-3 + 1e-4 * std::abs(expected));
  }
  compare(*plan, fmt::format("{}x{}x{}", m, n, k), ms);
}

} // namespace

TEST_CASE(
    "the example library transposes as its header says, where it was measured and elsewhere") {
  for (const auto& [rows, columns] :
       {std::pair(8192, 8192), {4096, 4096}, {1000, 3000}, {6000, 6000}, {5000, 7001}})
    transposes(rows, columns);
}

TEST_CASE(
    "the example library multiplies as its header says, where it was measured and elsewhere") {
  multiplies(4096, 4096, 4096);
  multiplies(1024, 1024, 1024);
  multiplies(513, 257, 1025);
  multiplies(2048, 2048, 2048);
  multiplies(3000, 1000, 2000);
}

} // namespace dense_test
