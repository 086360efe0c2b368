// SPDX-License-Identifier: Apache-2.0
// Facts of what the real compiler makes, for the oldest and the newest chips: no GPU is needed.
#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/metrics/code/instruction.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/probes.hpp"

#include <nvrtc.h>

#include <algorithm>
#include <map>
#include <random>

namespace compiled_code_test {

using namespace gridsmith;

namespace {

using Cubin = std::vector<std::uint8_t>;

/// The log is a failure.
Cubin compile(const std::string& source, int capability, bool lines = false,
              const std::map<std::string, std::string>& headers = {}) {
  nvrtcProgram program = nullptr;
  std::vector<const char*> names, texts;
  for (const auto& [name, text] : headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  nvrtcCreateProgram(&program, source.c_str(), "probe.cu", static_cast<int>(names.size()),
                     texts.data(), names.data());
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(capability);
  std::vector<const char*> options{arch.c_str(), GRIDSMITH_TOOLKIT_INCLUDE};
  if (lines)
    options.push_back("-lineinfo");
  const bool compiled = nvrtcCompileProgram(program, static_cast<int>(options.size()),
                                            options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  INFO(log);
  REQUIRE(compiled);
  nvrtcGetCUBINSize(program, &size);
  Cubin cubin(size);
  nvrtcGetCUBIN(program, reinterpret_cast<char*>(cubin.data()));
  nvrtcDestroyProgram(&program);
  return cubin;
}

/// Those of the list that this NVRTC compiles for.
std::vector<int> capabilities() {
  int count = 0;
  nvrtcGetNumSupportedArchs(&count);
  std::vector<int> supported(static_cast<std::size_t>(count));
  nvrtcGetSupportedArchs(supported.data());
  std::vector<int> known{75, 80, 86, 89, 90, 100, 120};
  std::erase_if(known, [&](int one) {
    return std::find(supported.begin(), supported.end(), one) == supported.end();
  });
  return known;
}

const Cubin& probes(int capability) {
  static std::map<int, Cubin> made;
  Cubin& cubin = made[capability];
  if (cubin.empty())
    cubin = compile(test::probes, capability, true);
  return cubin;
}

int count_of(const CodeFacts& facts, MemoryKind kind, int bytes) {
  for (const MemoryCount& one : facts.mix.memory)
    if (one.kind == kind && one.bytes == bytes)
      return one.count;
  return 0;
}

template <typename Test>
void for_each_capability(const Test& test) {
  for (const int capability : capabilities()) {
    INFO("compute capability " << capability);
    test(capability, probes(capability));
  }
}

} // namespace

TEST_CASE("no instruction of the probes is unknown") {
  for_each_capability([](int capability, const Cubin& cubin) {
    for (const char* kernel : test::probe_kernels) {
      INFO(kernel);
      const CodeFacts facts = code_facts(cubin, kernel);
      CHECK(facts.compute_capability == capability);
      CHECK(facts.mix.instructions > 5);
      CHECK(facts.unknown == 0);
    }
  });
}

TEST_CASE("accesses by kind and width") {
  for_each_capability([](int, const Cubin& cubin) {
    const CodeFacts widths = code_facts(cubin, "widths");
    for (const MemoryKind kind : {MemoryKind::global_load, MemoryKind::global_store}) {
      INFO(to_text(kind));
      CHECK(count_of(widths, kind, 1) == 2);
      CHECK(count_of(widths, kind, 2) == 2);
      for (const int bytes : {4, 8, 16})
        CHECK(count_of(widths, kind, bytes) == 1);
    }
    const CodeFacts shared = code_facts(cubin, "shared_memory");
    for (const MemoryKind kind : {MemoryKind::shared_load, MemoryKind::shared_store})
      for (const int bytes : {4, 8, 16})
        CHECK(count_of(shared, kind, bytes) == 1);
    CHECK(shared.mix.of(CodeClass::barrier) == 1);
    const CodeFacts local = code_facts(cubin, "local_memory");
    CHECK(local.mix.of(MemoryKind::local_load) > 0);
    CHECK(local.mix.of(MemoryKind::local_store) > 0);
    CHECK(local.stack_bytes == 256);
    CHECK(code_facts(cubin, "generic").mix.of(MemoryKind::generic_load) == 1);
    CHECK(code_facts(cubin, "generic").mix.of(MemoryKind::generic_store) == 1);
  });
}

TEST_CASE("atomics with and without an answer") {
  for_each_capability([](int, const Cubin& cubin) {
    const CodeFacts facts = code_facts(cubin, "atomics");
    CHECK(count_of(facts, MemoryKind::global_atomic, 4) == 4);
    CHECK(count_of(facts, MemoryKind::global_atomic, 8) == 4);
    CHECK(facts.mix.of(MemoryKind::shared_atomic) >= 1);
  });
}

TEST_CASE("classes of arithmetic") {
  for_each_capability([](int, const Cubin& cubin) {
    const auto of = [&](const char* kernel, CodeClass kind) {
      INFO(kernel);
      return code_facts(cubin, kernel).mix.of(kind);
    };
    CHECK(code_facts(cubin, "single").mix.multiply_adds == 1);
    CHECK(of("single", CodeClass::fp32) >= 4);
    CHECK(of("single", CodeClass::special) == 2);
    CHECK(code_facts(cubin, "wide").mix.multiply_adds == 1);
    CHECK(of("wide", CodeClass::fp64) >= 3);
    CHECK(of("halves", CodeClass::fp16) >= 3);
    CHECK(of("matrices", CodeClass::tensor) > 0);
    CHECK(of("whole", CodeClass::integer) >= 6);
    CHECK(of("conversions", CodeClass::conversion) >= 3);
    CHECK(of("conversions", CodeClass::conversion_64) >= 3);
    CHECK(of("lanes", CodeClass::shuffle) >= 4);
    CHECK(of("slow_division", CodeClass::control) > 3);
    CHECK(code_facts(cubin, "slow_division").calls);
    CHECK_FALSE(code_facts(cubin, "single").calls);
    CHECK(code_facts(cubin, "constants").mix.indexed_constant_loads >= 1);
    CHECK(code_facts(cubin, "single").mix.indexed_constant_loads == 0);
    CHECK(code_facts(cubin, "clocks").mix.clock_reads >= 2);
    CHECK(code_facts(cubin, "single").mix.clock_reads == 0); // which reads threadIdx
    CHECK(of("uniform", CodeClass::uniform) >= 1);
    CHECK(code_facts(cubin, "textures").mix.of(MemoryKind::texture) == 2);
  });
}

TEST_CASE("loops: unrolling, nesting, loads ahead") {
  for_each_capability([](int capability, const Cubin& cubin) {
    const CodeFacts unrolled = code_facts(cubin, "unrolled");
    REQUIRE(unrolled.hottest_loop());
    CHECK(unrolled.hottest_loop()->mix.multiply_adds == 8);
    CHECK(unrolled.hottest_loop()->mix.of(MemoryKind::global_load) == 16);
    CHECK(unrolled.hottest_loop()->in_flight.loads >= 8);
    CHECK(unrolled.hottest_loop()->in_flight.bytes ==
          std::int64_t{4} * unrolled.hottest_loop()->in_flight.loads);
    CHECK(unrolled.in_flight.loads >= unrolled.hottest_loop()->in_flight.loads);

    const CodeFacts plain = code_facts(cubin, "not_unrolled");
    REQUIRE(plain.loops.size() == 1);
    CHECK(plain.loops[0].mix.multiply_adds == 1);
    CHECK(plain.loops[0].in_flight.loads == 2);
    CHECK(plain.loops[0].mix.overhead() > unrolled.hottest_loop()->mix.overhead());

    const CodeFacts chain = code_facts(cubin, "chain"); // each address is loaded by the one before
    REQUIRE(chain.loops.size() == 1);
    CHECK(chain.loops[0].in_flight.loads == 1);
    CHECK(chain.in_flight.loads <= 2);

    const CodeFacts nested = code_facts(cubin, "nested");
    REQUIRE(nested.loops.size() == 2);
    CHECK(nested.hottest_loop()->depth == 2);
    CHECK_FALSE(nested.loops[0].innermost);

    if (capability >= 80) {
      const CodeFacts copies = code_facts(cubin, "copies");
      CHECK(count_of(copies, MemoryKind::async_copy, 16) == 2);
      CHECK(count_of(copies, MemoryKind::async_copy, 4) == 1);
      CHECK(copies.in_flight.loads == 3);
      CHECK(copies.in_flight.bytes == 36);
    }
    CHECK(code_facts(cubin, "recursion").calls);
  });
}

TEST_CASE("each load has a barrier, and what needs its value waits for that") {
  for_each_capability([](int capability, const Cubin& cubin) {
    const auto file = read_cubin(cubin);
    int loads = 0;
    for (const CubinSection& section : file->sections)
      if (section.name.starts_with(".text."))
        for (const MachineInstruction& one : decode(section.content, capability))
          if (one.memory == MemoryKind::global_load) {
            ++loads;
            CHECK(one.write_barrier < 6);
          }
    CHECK(loads > 100);
    const auto code = decode(content_of(*file, ".text.doubled"), capability);
    const auto load = std::find_if(code.begin(), code.end(), [](const MachineInstruction& one) {
      return one.memory == MemoryKind::global_load;
    });
    const auto user = std::find_if(load, code.end(), [](const MachineInstruction& one) {
      return one.kind == CodeClass::fp32;
    });
    REQUIRE(user != code.end());
    CHECK((user->wait_mask >> load->write_barrier & 1u) == 1);
  });
}

TEST_CASE("copies in bulk, clusters and stored matrices of 9.0 and newer") {
  for (const int capability : capabilities()) {
    if (capability < 90)
      continue;
    INFO(capability);
    const Cubin cubin = compile(test::newer_probes, capability);
    for (const char* kernel : test::newer_probe_kernels) {
      INFO(kernel);
      CHECK(code_facts(cubin, kernel).unknown == 0);
    }
    const CodeFacts bulk = code_facts(cubin, "bulk_copies");
    CHECK(bulk.mix.of(MemoryKind::bulk_copy) == 5);
    CHECK(count_of(bulk, MemoryKind::bulk_copy, 0) == 5);
    REQUIRE(bulk.loops.size() >= 1); // that waits for the copies
    CHECK(code_facts(cubin, "clusters").mix.of(CodeClass::barrier) >= 2);
    const CodeFacts matrices = code_facts(cubin, "stored_matrices");
    CHECK(count_of(matrices, MemoryKind::shared_store, 16) == 1);
    CHECK(count_of(matrices, MemoryKind::shared_store, 4) == 1);
  }
}

CodeFacts own(const Cubin& cubin, const std::string& kernel) {
  CodeFacts facts = code_facts(cubin, kernel);
  facts.lines = lines_of_files(facts.lines, {"probe.cu", "sub/put.h"});
  return facts;
}

TEST_CASE("source lines of accesses, the innermost of inlined functions") {
  const std::string source = "__device__ __forceinline__ void put(float* o, int i, float v) {\n"
                             "  o[i] = v;\n"
                             "}\n"
                             "extern \"C\" __global__ void k(float* o, const float* a) {\n"
                             "  int i = threadIdx.x;\n"
                             "  float x = a[i];\n"
                             "  put(o, i, x * 2);\n"
                             "  put(o, i + 32, x * 3);\n"
                             "  o[i + 64] = x + 1;\n"
                             "}\n"
                             "extern \"C\" __global__ void other(float* o) {\n"
                             "  o[threadIdx.x] = 1;\n"
                             "}\n";
  for (const int capability : capabilities()) {
    INFO(capability);
    const Cubin cubin = compile(source, capability, true);
    const auto stores = lines_of(own(cubin, "k"), MemoryKind::global_store);
    REQUIRE(stores.size() == 2);
    CHECK(stores[0].place == "probe.cu:2");
    CHECK(stores[0].instructions == 2);
    CHECK(stores[1].place == "probe.cu:9");
    const auto loads = lines_of(own(cubin, "k"), MemoryKind::global_load);
    REQUIRE(loads.size() == 1);
    CHECK(loads[0].place == "probe.cu:6");
    const auto others = lines_of(own(cubin, "other"), MemoryKind::global_store);
    REQUIRE(others.size() == 1);
    CHECK(others[0].place == "probe.cu:12");
    CHECK(code_facts(compile(source, capability), "k").lines.empty());
  }
}

TEST_CASE("source lines in headers: of one's own, and the call of what is the toolkit's") {
  const std::map<std::string, std::string> headers{
      {"sub/put.h", "#pragma once\n"
                    "__device__ __forceinline__ void put(float* o, int i, float v) {\n"
                    "  o[i] = v;\n"
                    "}\n"}};
  const std::string source = "#include \"sub/put.h\"\n"
                             "#include <cuda_fp16.h>\n"
                             "extern \"C\" __global__ void k(float* o, const __half2* a) {\n"
                             "  int i = threadIdx.x;\n"
                             "  put(o, i, __low2float(h2exp(a[i])));\n"
                             "  for (int j = 0; j < i; ++j) {\n"
                             "    if (a[j].x > a[i].y)\n"
                             "      o[j + 64] = sqrtf(o[j]);\n"
                             "    __syncthreads();\n"
                             "  }\n"
                             "  o[i + 32] = 1;\n"
                             "}\n";
  for (const int capability : capabilities()) {
    INFO(capability);
    const CodeFacts facts = own(compile(source, capability, true, headers), "k");
    const auto has = [&](const char* place, const InstructionTest& wanted) {
      const auto lines = lines_of(facts, wanted);
      return std::any_of(lines.begin(), lines.end(),
                         [&](const LineCount& one) { return one.place == place; });
    };
    const auto stores = lines_of(facts, MemoryKind::global_store);
    REQUIRE(stores.size() == 3);
    CHECK(stores[0].place == "probe.cu:8"); // in the loop
    CHECK(has("sub/put.h:3", [](const MachineInstruction& one) {
      return one.memory == MemoryKind::global_store;
    }));
    CHECK(has("probe.cu:9", [](const MachineInstruction& one) { return one.name() == "BAR"; }));
    CHECK(has("probe.cu:7",
              [](const MachineInstruction& one) { return one.name() == "BRA" && one.guarded; }));
    CHECK(has("probe.cu:5",
              [](const MachineInstruction& one) { return one.kind == CodeClass::special; }));
    for (const LineOf& one : facts.lines)
      for (const SourceLine& place : one.places)
        CHECK((place.file == "probe.cu" || place.file == "sub/put.h"));
  }
}

TEST_CASE("a cubin that is cut off is refused, a damaged one does no harm") {
  const Cubin& whole = probes(capabilities().back());
  for (std::size_t size = 0; size < whole.size(); size += 64) {
    INFO(size);
    CHECK_THROWS_AS(code_facts(std::span(whole).first(size), "unrolled"), InputError);
  }
  std::mt19937 random(3);
  int read = 0;
  for (int i = 0; i < 400; ++i) {
    Cubin changed = whole;
    for (int flips = 0; flips < 20; ++flips)
      changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    try {
      read += code_facts(changed, test::probe_kernels[random() % test::probe_kernels.size()])
                          .mix.instructions > 0
                  ? 1
                  : 0;
    } catch (const InputError&) {
      CHECK(true);
    }
  }
  CHECK(read > 0);
}

} // namespace compiled_code_test
