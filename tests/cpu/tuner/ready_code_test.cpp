// SPDX-License-Identifier: Apache-2.0
// Code that was compiled before is taken as it is, and what it takes of the device is read from it.
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/compiler/ready_code.hpp"

#include <string>

namespace ready_code_test {

using namespace gridsmith;

namespace {

constexpr int capability = 90;

/// A kernel that takes registers and shared memory.
CodeObject made(const std::string& name) {
  const std::string source = R"(
extern "C" __global__ void NAME(float* y, const float* x, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += tile[(threadIdx.x + k) % 256] * tile[(threadIdx.x * 3 + k) % 256];
  if (i < n) y[i] = sum;
})";
  std::string text = source;
  text.replace(text.find("NAME"), 4, name);
  static const Nvrtc nvrtc{std::nullopt};
  CodeObject code = nvrtc.compile({{make_bundle({"a.cu", text}), name, {}}, capability});
  REQUIRE(code.cubin);
  return code;
}

SourceFile file_of(const std::string& name, const CodeObject& code) {
  return {name, std::string(code.cubin->begin(), code.cubin->end())};
}

CompileJob job(SourceFile main, const std::string& kernel, int of = capability) {
  return {{make_bundle(std::move(main)), kernel, {}, {}, Compiler::none}, of};
}

} // namespace

TEST_CASE("a cubin is taken whole, with the resources that its compiler reported") {
  const CodeObject before = made("first");
  const CodeObject code = ready_code(job(file_of("a.cubin", before), "first"));
  REQUIRE(code.cubin);
  CHECK(*code.cubin == *before.cubin);
  CHECK(code.code_hash == before.code_hash);
  CHECK(code.facts.registers_per_thread == before.facts.registers_per_thread);
  CHECK(code.facts.registers_per_thread > 0);
  CHECK(code.facts.static_shared_bytes == before.facts.static_shared_bytes);
  CHECK(code.facts.static_shared_bytes == 1024);
  CHECK(code.parameter_bytes == std::vector<std::int64_t>{8, 8, 4});
}

TEST_CASE("the only kernel of a file need not be named; a parameter chooses among files") {
  const CodeObject a = made("first"), b = made("second");
  CHECK(ready_code(job(file_of("a.cubin", a), "")).kernel == "first");
  CompileJob both = job(file_of("a.cubin", a), "first");
  both.request.source = make_bundle(file_of("a.cubin", a), {file_of("b.cubin", b)}, {}, {});
  both.request.units = {"b.cubin"};
  both.request.options = {"-DBINARY=1"};
  CHECK(ready_code(both).kernel == "second");
  both.request.options = {"-DBINARY=0"};
  CHECK(ready_code(both).kernel == "first");
  both.request.options = {"-DBINARY=2"};
  CHECK(ready_code(both).error == "BINARY=2: there are 2 files of compiled code");
}

TEST_CASE("what is no code for this device is an error in one line") {
  CHECK(ready_code(job({"a.cubin", "no code"}, "first")).error == "a.cubin is no cubin");
  const CodeObject code = made("first");
  CHECK(ready_code(job(file_of("a.cubin", code), "first", 80)).error ==
        "a.cubin is code for compute capability 9.0; this device has 8.0");
  SourceFile cut = file_of("a.cubin", code);
  cut.text.resize(cut.text.size() / 2);
  CHECK(ready_code(job(cut, "first")).error == "a.cubin is no cubin");
}

} // namespace ready_code_test
