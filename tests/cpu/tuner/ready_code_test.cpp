// SPDX-License-Identifier: Apache-2.0
// Code that was compiled before is taken as it is, or assembled, and what it takes of the device is read from it.
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/compiler/ready_code.hpp"

#include <string>

namespace ready_code_test {

using namespace gridsmith;

namespace {

constexpr int capability = 90;

Nvrtc& nvrtc() {
  static Nvrtc opened{std::nullopt};
  return opened;
}

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
  CompileJob job{{make_bundle({"a.cu", text}), name, {}}, capability};
  job.ptx = true;
  CodeObject code = nvrtc().compile(job);
  REQUIRE(code.cubin);
  return code;
}

SourceFile file_of(const std::string& name, const CodeObject& code) {
  return {name, std::string(code.cubin->begin(), code.cubin->end())};
}

CompileJob job(SourceFile main, const std::string& kernel, int of = capability) {
  return {{make_bundle(std::move(main)), kernel, {}, {}, Compiler::none}, of};
}

CodeObject ready(const CompileJob& job) {
  return ready_code(job, nvrtc().file().parent_path());
}

} // namespace

TEST_CASE("a cubin is taken whole, with the resources that its compiler reported") {
  const CodeObject before = made("first");
  const CodeObject code = ready(job(file_of("a.cubin", before), "first"));
  REQUIRE(code.cubin);
  CHECK(*code.cubin == *before.cubin);
  CHECK(code.code_hash == before.code_hash);
  CHECK(code.facts.registers_per_thread == before.facts.registers_per_thread);
  CHECK(code.facts.registers_per_thread > 0);
  CHECK(code.facts.static_shared_bytes == before.facts.static_shared_bytes);
  CHECK(code.facts.static_shared_bytes == 1024);
  CHECK_FALSE(code.facts.spill_bytes()); // what compiled it knew
  CHECK(code.parameter_bytes == std::vector<std::int64_t>{8, 8, 4});
}

TEST_CASE("the only kernel of a file need not be named; a parameter chooses among files") {
  const CodeObject a = made("first"), b = made("second");
  CHECK(ready(job(file_of("a.cubin", a), "")).kernel == "first");
  CompileJob both = job(file_of("a.cubin", a), "first");
  both.request.source = make_bundle(file_of("a.cubin", a), {file_of("b.cubin", b)}, {}, {});
  both.request.units = {"b.cubin"};
  both.request.options = {"-DBINARY=1"};
  CHECK(ready(both).kernel == "second");
  both.request.options = {"-DBINARY=0"};
  CHECK(ready(both).kernel == "first");
  both.request.options = {"-DBINARY=2"};
  CHECK(ready(both).error == "BINARY=2: there are 2 files of compiled code");
}

TEST_CASE("what is no code for this device is an error in one line") {
  CHECK(ready(job({"a.cubin", "no code"}, "first")).error == "a.cubin is neither a cubin nor PTX");
  const CodeObject code = made("first");
  CHECK(ready(job(file_of("a.cubin", code), "first", 80)).error ==
        "a.cubin is code for compute capability 9.0; this device has 8.0");
  SourceFile cut = file_of("a.cubin", code);
  cut.text.resize(cut.text.size() / 2);
  CHECK(ready(job(cut, "first")).error == "a.cubin is neither a cubin nor PTX");
}

TEST_CASE("PTX is assembled for the device; what it has against it is an error in one line") {
  const CodeObject before = made("first");
  CompileJob given = job({"a.ptx", before.ptx}, "first");
  given.ptx = true;
  const CodeObject code = ready(given);
  INFO(code.error.value_or(""));
  REQUIRE(code.cubin);
  CHECK(code.facts.static_shared_bytes == 1024);
  CHECK(code.facts.registers_per_thread > 0);
  CHECK(code.parameter_bytes == std::vector<std::int64_t>{8, 8, 4});
  CHECK(code.ptx == before.ptx);

  CHECK(ready(job({"a.ptx", before.ptx}, "first", 100)).cubin); // newer devices as well
  CHECK(
      ready(job({"a.ptx", before.ptx}, "first", 80)).error ==
      "a.ptx: ptxas fatal   : SM version specified by .target is higher than default SM version assumed");
  const CodeObject other = made("second");
  SourceFile both = file_of("a.cubin", other);
  both.text += before.ptx; // as debug information has it
  CHECK(ready(job(both, "second")).error.value_or("") == "");
  std::string bad = before.ptx;
  bad.insert(bad.find("bar.sync"), "bogus.");
  CHECK_THAT(ready(job({"a.ptx", bad}, "first")).error.value_or(""), contains_text("error   : "));
}

} // namespace ready_code_test
