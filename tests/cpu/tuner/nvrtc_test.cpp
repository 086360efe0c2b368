// SPDX-License-Identifier: Apache-2.0
// The real NVRTC, which needs no GPU: headers by content, code that is recognised, a door that may
// be closed, and a compiler that ends with its tuner.
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/source/host_headers.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/compiler/nvcc/toolkit_files.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <thread>

namespace nvrtc_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const fs::path compiler = GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler";

CompileJob job_of(std::shared_ptr<const SourceBundle> source, std::vector<std::string> options = {},
                  const std::string& kernel = "k") {
  return {{std::move(source), kernel, std::move(options)}, 90};
}

CodeObject compile(const std::string& text, std::vector<std::string> options = {},
                   const std::string& kernel = "k") {
  static const Nvrtc nvrtc; // to open it takes as long as to compile a small kernel
  return nvrtc.compile(job_of(make_bundle({"k.cu", text}), std::move(options), kernel));
}

std::string refusal(const fs::path& library) {
  try {
    const Nvrtc nvrtc(library);
  } catch (const NvrtcError& error) {
    return error.what();
  }
  return "no error";
}

/// Fully unrolled: many seconds of work.
const std::string heavy = R"(extern "C" __global__ void k(const float* a, float* b) {
  float sum[16] = {};
#pragma unroll
  for (int i = 0; i < 20000; ++i)
#pragma unroll
    for (int j = 0; j < 16; ++j)
      sum[j] += a[i * 7 % 1031 + j] * b[i * 13 % 977 + j * threadIdx.x];
#pragma unroll
  for (int j = 0; j < 16; ++j)
    b[threadIdx.x + j] = sum[j];
})";

/// One compiler process with its wall, or without.
class CompilerProcess {
public:
  explicit CompilerProcess(std::vector<fs::path> readable = {}, bool confined = true)
      : pool_(settings(std::move(readable), confined)) {}

  std::shared_ptr<const CodeObject> compile(const std::string& text,
                                            std::vector<std::string> options = {}) {
    pool_.compile(++id_, job_of(make_bundle({"k.cu", text}), std::move(options)).request);
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < end) {
      std::vector<pollfd> descriptors;
      pool_.add_descriptors(descriptors);
      ::poll(descriptors.data(), descriptors.size(), 100);
      pool_.advance();
      if (const auto done = pool_.take(); !done.empty())
        return done.front().code;
    }
    throw std::runtime_error("no answer");
  }

  std::size_t restarts() const { return pool_.restarts(); }

private:
  static CompilerSettings settings(std::vector<fs::path> readable, bool confined) {
    CompilerSettings settings;
    settings.program = compiler;
    settings.compute_capability = 90;
    settings.no_cache = true;
    settings.readable = std::move(readable);
    settings.confined = confined;
    return settings;
  }

  CompilerPool pool_;
  std::uint64_t id_ = 0;
};

const std::string plain = "extern \"C\" __global__ void k(int* x) { *x = 1; }\n";

/// "--fmad=true|false" -> "--fmad=true", with values of which the form names only the kind.
std::string example_of(std::string form) {
  const std::pair<std::string, std::string> samples[] = {
      {" NAME[=TEXT]", "A=1"}, {" NAME", "A"}, {"=DIR", "=/tmp"}, {"=HEADER", "=cuda_fp16.h"},
      {"=N,N…", "=177,550"},   {"=N", "=32"},  {"=0…64", "=64"}};
  for (const auto& [kind, sample] : samples)
    if (form.ends_with(kind))
      return form.replace(form.size() - kind.size(), kind.size(), sample);
  form = form.substr(0, form.find('|'));
  std::erase(form, ' ');
  return form;
}

} // namespace

TEST_CASE("every option that a definition may name compiles") {
  for (const std::string& form : allowed_compiler_options()) {
    const std::string option = example_of(form);
    if (only_compiler_with(option) == "nvcc")
      continue;
    INFO(option);
    REQUIRE(parse_compiler_options({option}).size() == 1);
    const CodeObject code = compile(plain, {parse_compiler_options({option}).front().word()});
    INFO(code.error.value_or("") << code.log);
    CHECK(code.cubin);
  }
}

TEST_CASE("PTX comes where it is wanted, of the same compilation") {
  CompileJob job = job_of(make_bundle({"k.cu", plain}));
  CHECK(Nvrtc().compile(job).ptx.empty());
  job.ptx = true;
  const CodeObject code = Nvrtc().compile(job);
  CHECK(code.cubin);
  CHECK_THAT(code.ptx, contains_text(".target sm_90"));
  CHECK_THAT(code.ptx, contains_text(".entry k("));
  CHECK(code.ptx.find('\0') == std::string::npos);
}

TEST_CASE("behind its wall the compiler finds the toolkit, and headers only where they travel") {
  const std::string source =
      "#include <cuda_fp16.h>\n#include <cub/block/block_reduce.cuh>\n" + plain;
  const auto code = CompilerProcess().compile(source, {"-std=c++17"});
  INFO(code->error.value_or("") << code->log);
  CHECK(code->cubin);
  const test::Folder folder;
  test::write(folder.path() / "mine.h", "#define MINE 1\n");
  const auto beside =
      CompilerProcess({folder.path()})
          .compile("#include <mine.h>\n" + plain, {"--include-path=" + folder.path().string()});
  CHECK_THAT(beside->error.value(), contains_text("is not part of the kernel's sources"));
}

TEST_CASE(
    "headers of the toolkit compile as they do by nvcc, also where they include one another") {
  CompilerProcess behind_its_wall;
  for (const char* header :
       {"mma.h", "cooperative_groups.h", "cooperative_groups/reduce.h",
        "cooperative_groups/memcpy_async.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h",
        "cuda_pipeline.h", "cuda_awbarrier.h", "cuComplex.h", "curand_kernel.h", "cuda/barrier",
        "cuda/pipeline", "cuda/atomic", "cuda/std/complex", "cub/block/block_reduce.cuh",
        "cub/warp/warp_scan.cuh"}) {
    const auto code = behind_its_wall.compile(fmt::format("#include <{}>\n{}", header, plain));
    INFO(header << ": " << code->error.value_or("") << code->log);
    CHECK(code->cubin);
  }
}

TEST_CASE("headers of the host may be included, and have what device code uses of them") {
  CompilerProcess behind_its_wall;
  const auto compiled = [&](const std::string& text) {
    const auto code = behind_its_wall.compile(text);
    INFO(text << code->error.value_or("") << code->log);
    CHECK(code->cubin);
  };
  std::string one_way, other_way; // each has what it needs, and may come twice
  for (const HostHeader& header : host_headers()) {
    const std::string line = fmt::format("#include <{}>\n", header.name);
    one_way += line + line;
    other_way.insert(0, line);
  }
  compiled(one_way + plain);
  compiled(other_way + plain);
  const auto uses = [&](const std::string& header, const std::string& value) {
    compiled(fmt::format("#include <{}>\nextern \"C\" __global__ void k(float* x, int n) {{ "
                         "*x = {}; }}\n",
                         header, value));
  };
  std::map<std::string, std::string> sums; // by header, which is the only one
  for (const char* name : {"INFINITY", "NAN", "M_PI", "FLT_MAX", "DBL_EPSILON", "INT_MAX",
                           "ULLONG_MAX", "CHAR_BIT", "int8_t(n)", "uint64_t(n)", "uintptr_t(x)"}) {
    const std::string word(name);
    std::string& sum = sums[std::string(host_header_of(word.substr(0, word.find('('))))];
    sum += (sum.empty() ? "" : " + ") + word;
  }
  for (const auto& [header, sum] : sums)
    uses(header, sum);
  uses("cmath",
       "std::sqrt(*x) + std::abs(n) + std::pow(*x, 2.0f) + std::fmaxf(*x, 1) + std::isnan(*x)");
  uses("math.h", "HUGE_VAL + sqrtf(M_SQRT2)");
  uses("algorithm", "std::max(1, n) + std::min<float>(*x, n) + std::clamp(n, 1, 2)");
  uses("cstdint", "std::uint16_t(n) + sizeof(std::int64_t)");
  uses("limits", "std::numeric_limits<float>::max() + std::numeric_limits<int>::lowest()");
  uses("type_traits", "std::is_same_v<float, decltype(+*x)>");
  uses("array", "std::array<int, 3>{1, 2, 3}[n]");
  uses("functional", "std::plus<float>()(*x, 1)");
  uses("cassert", "(assert(n > 0), 1)");
  uses("cstdio", "printf(\"%d\", n)");
  uses("cstring", "(memcpy(x, x + n, 4), 1)");
  compiled("#include <cub/cub.cuh>\nextern \"C\" __global__ void k(float* x) {\n"
           "  __shared__ cub::WarpReduce<float>::TempStorage room;\n"
           "  *x = cub::WarpReduce<float>(room).Sum(*x);\n}\n");
  compiled("#include <algorithm>\n#include <cmath>\n#include <limits>\nusing namespace std;\n"
           "extern \"C\" __global__ void k(float* x) { *x = max(sqrt(*x), min(abs(*x), "
           "numeric_limits<float>::max())); }\n");
}

TEST_CASE("an own header of a host's name is the one that is included") {
  const CodeObject code = Nvrtc().compile(job_of(make_bundle(
      {"k.cu", "#include <limits>\nextern \"C\" __global__ void k(int* x) { *x = OWN; }\n"},
      {{"limits", "#define OWN 1\n"}}, {"."})));
  INFO(code.error.value_or("") << code.log);
  CHECK(code.cubin);
}

TEST_CASE("a kernel on tensor cores compiles") {
  const CodeObject code = compile(R"(#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void k(const half* a, const half* b, float* c) {
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
})");
  INFO(code.error.value_or("") << code.log);
  CHECK(code.cubin);
}

TEST_CASE("what a compilation must not open is refused by the wall, and without it by us") {
  const test::Folder folder;
  const fs::path file = folder.path() / "written", secret = folder.path() / "secret.h";
  test::write(secret, "the secret\n");
  const std::string reading = "#define ANY \"" + secret.string() + "\"\n#include ANY\n" + plain;
  const std::vector<std::string> writing[] = {{"--time=" + file.string()},
                                              {"-Xcudafe", "--list=" + file.string()},
                                              {"--create-pch=" + file.string()}};
  CompilerProcess confined, free({}, false);
  for (CompilerProcess* one : {&confined, &free}) {
    for (const auto& options : writing) {
      INFO(options.back());
      one->compile(plain, options);
      CHECK_FALSE(fs::exists(file));
    }
    const auto code = one->compile(reading);
    CHECK_FALSE(code->cubin);
    CHECK(code->log.find("the secret") == std::string::npos);
    CHECK(one->compile(plain)->cubin);
    CHECK(one->restarts() == 0);
  }
}

TEST_CASE("a kernel becomes code with its facts, its hash and its command") {
  const CodeObject code =
      compile("extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = N; }", {"-DN=3 + 1"});
  INFO(code.error.value_or(""));
  REQUIRE(code.cubin);
  CHECK(code.kernel == "k");
  CHECK(code.facts.registers_per_thread > 0);
  CHECK(code.code_hash.size() == 64);
  CHECK(code.ms > 0);
  CHECK(code.command == "nvcc -cubin -arch=sm_90 '-DN=3 + 1' -I. -o k.cubin k.cu");
}

TEST_CASE("the command that is told makes the same kernel of a template") {
  const std::string text = "namespace n { template <typename T, int N> __global__ void k(T* x) {\n"
                           "  x[threadIdx.x] = N + M; } }\n";
  const CodeObject code = compile(text, {"-DM=3"}, "n::k<float, 128>");
  INFO(code.error.value_or("") << code.command);
  REQUIRE(code.cubin);
  const test::Folder folder;
  test::write(folder / "k.cu", text);
  const std::string typed = "cd '" + folder.path().string() +
                            "' && PATH='" GRIDSMITH_TOOLKIT_PROGRAMS "':$PATH && " + code.command;
  CHECK(std::system(typed.c_str()) == 0);
  CHECK_THAT(test::read_file(folder / "k.cubin"), contains_text(".text." + code.kernel));
}

TEST_CASE("of kernels with one name the types of the parameters say which") {
  const std::string text =
      "namespace a { struct P { int n; };\n__global__ void f(P* p) { p->n = 1; }\n"
      "__global__ void f(P p, float* x) { *x = p.n; }\n"
      "template <class T, int N> __global__ void g(T* x) { *x = N; }\n"
      "template <class T, int N> __global__ void g(T* x, int n) { x[n] = N; } }\n";
  CHECK(compile(text, {}, "a::f(P*)").kernel == "_ZN1a1fEPNS_1PE");
  CHECK(compile(text, {}, "a::f(P, float*)").kernel == "_ZN1a1fENS_1PEPf");
  CHECK(compile(text, {"-DTILE=4"}, "a::g<float, TILE>(float*, const int)").kernel ==
        "_ZN1a1gIfLi4EEEvPT_i");
  CHECK_THAT(compile(text, {}, "a::f").error.value_or(""),
             contains_text("valid: a::f(P*), a::f(P, float*)"));
  CHECK_THAT(compile(text, {}, "a::f(P*, int)").error.value_or(""),
             contains_text("valid: a::f(P*), a::f(P, float*)"));
  CHECK(compile(text, {}, "a::f(Q)").error.value_or("") ==
        "k.cu has no kernel 'a::f(Q)': identifier \"Q\" is undefined");
}

TEST_CASE("code tells its parameters, variables and launch bounds") {
  const std::string kernels =
      "__constant__ float table[4];\n__device__ int state;\n"
      "struct Large { int numbers[1200]; };\n"
      "extern \"C\" __global__ void __launch_bounds__(64, 2)\n"
      "k(float* x, char c, double d, int unused) { *x = table[c] + d; }\n"
      "extern \"C\" __global__ void none() { state = 1; }\n"
      "template <int N> __global__ void t(Large l, short s) { state = l.numbers[s]; }\n";
  const Nvrtc nvrtc;
  for (const int capability : nvrtc.capabilities()) {
    INFO(capability);
    const auto compiled = [&](const std::string& kernel) {
      CompileJob job = job_of(make_bundle({"k.cu", kernels}), {}, kernel);
      job.compute_capability = capability;
      return nvrtc.compile(job);
    };
    const CodeObject code = compiled("k");
    CHECK(code.parameter_bytes == std::vector<std::int64_t>{8, 1, 8, 4});
    CHECK(code.facts.max_threads_per_block == 64);
    for (const char* name : {"table", "state"})
      CHECK(std::count(code.variables.begin(), code.variables.end(), name) == 1);
    CHECK(compiled("none").parameter_bytes == std::vector<std::int64_t>{});
    CHECK(compiled("none").facts.max_threads_per_block == 0);
    CHECK(compiled("t<3>").parameter_bytes == std::vector<std::int64_t>{4800, 2});
  }
}

TEST_CASE("an error is its first line") {
  const CodeObject code = compile("extern \"C\" __global__ void k() { x = 1; }");
  CHECK_FALSE(code.cubin);
  CHECK_THAT(code.error.value(), contains_text("k.cu(1): error"));
  CHECK_FALSE(compile("", {}, "absent").cubin);
  CHECK_FALSE(Nvrtc().compile(CompileJob{}).cubin);
}

TEST_CASE("own headers come by content, nested and relative, the toolkit's from the toolkit") {
  const auto bundle = make_bundle(
      {"k.cu", "#include \"./sub/a.h\"\n#include <b.h>\n#include <cuda_fp16.h>\n#include "
               "<cuda/std/array>\n"
               "extern \"C\" __global__ void k(int* x) { *x = A + B + C + sizeof(__half); }\n"},
      {{"sub/a.h", "#pragma once\n#include \"b.h\"\n#include \"../../c.h\"\n#define A 1\n"},
       {"sub/b.h", "#define B 2\n"},
       {"b.h", "#include \"sub/a.h\"\n"},
       {"../c.h", "#define C 3\n"}});
  const CodeObject code = Nvrtc().compile(job_of(bundle));
  INFO(code.error.value_or("") << code.log);
  CHECK(code.cubin);
}

TEST_CASE("a file on this machine that is not in the bundle is not found") {
  const test::Folder folder;
  test::write(folder.path() / "stray.h", "");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const CodeObject code = compile("#include \"stray.h\"\nextern \"C\" __global__ void k() {}\n");
  fs::current_path(before);
  CHECK_FALSE(code.cubin);
}

TEST_CASE(
    "nothing on this machine is read but the toolkit's headers, and what is asked for is seen") {
  const test::Folder folder;
  const std::string header = (folder.path() / "a.h").string();
  test::write(header, "#define F 1\n");
  const std::string kernel = "extern \"C\" __global__ void k(int* x) { *x = F; }\n";
  const CodeObject absolute = compile("#include \"" + header + "\"\n" + kernel);
  CHECK_THAT(absolute.error.value_or(""), contains_text(header + " is not part of the kernel's"));
  const CodeObject asked =
      compile("#if __has_include(\"" + header + "\")\n#error seen\n#endif\n#define F 2\n" + kernel);
  CHECK(asked.cubin);
  const CodeObject climbing = compile("#include <../../../../../../../../etc/passwd>\n" + kernel);
  CHECK_FALSE(climbing.cubin);
  CHECK(climbing.log.find("root") == std::string::npos);
  CHECK(Nvrtc().unseen_reading().value_or("seen") == "seen");
  CHECK_THAT(run_program(compiler, {"--check"}, 60s).text, contains_text("\"unseen\":\"\""));
}

TEST_CASE("no memory for the compiler is the machine's fault, not the source's") {
  const test::Folder folder;
  CompilerSettings settings;
  settings.no_cache = true;
  settings.compute_capability = 90;
  settings.program = folder.path() / "starved";
  test::write(settings.program, "#!/bin/sh\nulimit -v 200000\nexec " + compiler.string() + "\n");
  fs::permissions(settings.program, fs::perms::owner_all);
  CompilerPool pool(settings);
  const std::string text =
      "#include <cub/block/block_reduce.cuh>\nextern \"C\" __global__ void k() {}\n";
  pool.compile(1, {make_bundle({"k.cu", text}), "k", {}});
  std::vector<Compiled> compiled;
  while ((compiled = pool.take()).empty()) {
    std::this_thread::sleep_for(10ms);
    pool.advance();
  }
  INFO(compiled[0].code->error.value_or(""));
  CHECK(compiled[0].code->of_machine);
}

TEST_CASE("a header that is not there is the source's fault") {
  CompilerSettings settings;
  settings.program = compiler; // behind its wall
  settings.no_cache = true;
  settings.compute_capability = 90;
  CompilerPool pool(settings);
  pool.compile(1, {make_bundle({"k.cu", "#include <absent.h>\n"}), "k", {}});
  std::vector<Compiled> compiled;
  while ((compiled = pool.take()).empty()) {
    std::this_thread::sleep_for(10ms);
    pool.advance();
  }
  CHECK_THAT(compiled[0].code->error.value_or(""), contains_text("absent.h"));
  CHECK_FALSE(compiled[0].code->of_machine);
}

TEST_CASE("a toolkit is known by names, sizes and times") {
  const test::Folder folder;
  const auto hash = [&] { return listing_hash({folder.path()}, {}); };
  fs::create_directory(folder.path() / "sub");
  test::write(folder.path() / "sub" / "a.h", "1");
  const std::string before = hash();
  CHECK(hash() == before);
  test::write(folder.path() / "sub" / "a.h", "12");
  const std::string longer = hash();
  CHECK(longer != before);
  fs::last_write_time(folder.path() / "sub" / "a.h", fs::file_time_type::clock::now() + 1h);
  CHECK(hash() != longer);
  test::write(folder.path() / "new.h", "");
  CHECK(hash() != longer);
}

TEST_CASE("headers of many files are compiled once, and the code is the same") {
  const test::Folder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const std::string text = "// A sum.\n#include <cub/block/block_reduce.cuh>\n"
                           "extern \"C\" __global__ void k(float* x) {\n"
                           "  using Sum = cub::BlockReduce<float, THREADS_OF_MINE>;\n"
                           "  __shared__ typename Sum::TempStorage shared;\n"
                           "  const float sum = Sum(shared).Sum(x[threadIdx.x]);\n"
                           "  if (threadIdx.x == 0)\n    x[0] = sum;\n}\n";
  const auto source = make_bundle({"k.cu", text});
  Nvrtc keeping;
  keeping.keep_headers_in(folder.path());
  const auto compiled = [&](int threads, bool more = true) {
    CompileJob job = job_of(source, {"-DTHREADS_OF_MINE=" + std::to_string(threads)});
    job.more_follow = more;
    return keeping.compile(job);
  };
  // Of processor time: on a busy machine the time on the clock says little.
  const auto seconds_of = [](auto&& work) {
    const std::clock_t begun = std::clock();
    work();
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  };
  CodeObject first, second;
  const CodeObject alone = compiled(64, false);
  const double making = seconds_of([&] { first = compiled(64); });
  const double using_them = seconds_of([&] { second = compiled(128); });
  REQUIRE(second.cubin);
  CHECK(alone.headers.empty()); // nobody would use them again
  CHECK(first.headers == "made");
  CHECK(second.headers == "used");
  CHECK(using_them < making);
  CHECK(second.log.find("precompiled") == second.log.npos);
  CHECK(first.code_hash == alone.code_hash);
  const CodeObject plainly = compile(text, {"-DTHREADS_OF_MINE=128"});
  CHECK(second.code_hash == plainly.code_hash);
  CHECK(second.facts == plainly.facts);
  const CodeObject wrong = compiled(-1);
  CHECK_THAT(wrong.error.value_or(""), contains_text("error"));
  // A macro that a header names is there before it; few headers are not worth it.
  CodeObject bare = keeping.compile(
      {job_of(source, {"-DTHREADS_OF_MINE=64", "-DNDEBUG=1"}).request, 90, false, true});
  CHECK(bare.headers.empty());
  const auto small = make_bundle(
      {"k.cu", "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half* x) { *x = N; }\n"});
  bare = keeping.compile({job_of(small, {"-DN=1"}).request, 90, false, true});
  CHECK(bare.cubin);
  CHECK(bare.headers.empty());
  ::unsetenv("TMPDIR");
}

TEST_CASE("looking for the headers that a source opens prints nothing") {
  const test::Folder folder;
  test::write(folder / "k.cu",
              "#include <cub/block/block_reduce.cuh>\n"
              "extern \"C\" __global__ void k(float* x) { x[0] = VALUE_OF_MINE; }\n");
  test::write(folder / "k.json", R"({
    "ConfigurationSpace": {"TuningParameters": [{"Name": "VALUE_OF_MINE", "Type": "int",
      "Values": "[1, 2, 3]"}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
      "ProblemSize": [32], "GlobalSize": {"X": "1"}, "LocalSize": {"X": "32"},
      "Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 1}]}})");
  const std::string command = std::string(GRIDSMITH_PROGRAM) + " check-definition " +
                              (folder / "k.json").string() + " >" + (folder / "out").string() +
                              " 2>" + (folder / "err").string();
  CHECK(std::system(command.c_str()) == 0);
  CHECK(test::read_file(folder / "err").empty());
  CHECK_THAT(test::read_file(folder / "out"), contains_text("3 of 3 samples compile"));
}

TEST_CASE("a confined compiler keeps headers in the folder of its run") {
  CompilerSettings settings;
  settings.program = compiler;
  settings.compute_capability = 90;
  settings.no_cache = true;
  CompilerPool pool(settings);
  const auto source = make_bundle(
      {"k.cu", "#include <cuda/std/complex>\nextern \"C\" __global__ void k(float* x) {\n"
               "  *x = cuda::std::complex<float>(*x, VALUE_OF_MINE).imag();\n}\n"});
  for (int value = 0; value < 3; ++value)
    pool.compile(static_cast<std::uint64_t>(value),
                 {source, "k", {"-DVALUE_OF_MINE=" + std::to_string(value)}},
                 {.more_follow = true});
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (pool.tally().compilations < 3 && std::chrono::steady_clock::now() < end) {
    std::vector<pollfd> descriptors;
    pool.add_descriptors(descriptors);
    ::poll(descriptors.data(), descriptors.size(), 100);
    pool.advance();
  }
  for (const Compiled& one : pool.take())
    CHECK(one.code->error.value_or("") == "");
  CHECK(pool.tally().headers_made == 1);
  CHECK(pool.tally().headers_used == 2);
}

TEST_CASE("equal machine code is recognised whatever it is called") {
  const std::string text = "template <int N> __global__ void k(float* x) {\n"
                           "  x[threadIdx.x] = N > 5 ? 2.0f : 1.0f;\n}\n";
  const CodeObject one = compile(text, {}, "k<1>"), two = compile(text, {}, "k<2>"),
                   seven = compile(text, {"-DUNUSED=1"}, "k<7>");
  REQUIRE(one.cubin);
  REQUIRE(seven.cubin);
  CHECK(*one.cubin != *two.cubin);
  CHECK(one.code_hash == two.code_hash);
  CHECK(one.code_hash != seven.code_hash);
}

TEST_CASE("a library that is absent or something else is one line") {
  CHECK_THAT(refusal("/nowhere/libnvrtc.so.13"), contains_text("/nowhere/libnvrtc.so.13"));
  const test::Folder folder;
  CHECK_THAT(refusal(folder.path()), contains_text("cannot be opened"));
  test::write(folder.path() / "libnvrtc.so.12", "no library");
  CHECK_THAT(refusal(folder.path()), contains_text("libnvrtc.so.12"));
  CHECK_THAT(refusal("libc.so.6"), contains_text("cannot be opened"));
}

TEST_CASE("the program takes a library by argument and says what is wrong with it") {
  CompilerSettings settings;
  settings.program = compiler;
  settings.no_cache = true;
  settings.nvrtc = "/nowhere/libnvrtc.so.13";
  try {
    CompilerPool pool(settings);
    FAIL("no error");
  } catch (const HelperError& error) {
    CHECK_THAT(error.what(), contains_text("/nowhere/libnvrtc.so.13"));
  }
  settings.nvrtc.reset();
  CHECK_THAT(CompilerPool(settings).toolkit(), contains_text("."));
}

TEST_CASE("a compiler inside a long compilation ends with its tuner") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t tuner = ::fork();
  if (tuner == 0) {
    ChildProcess child = ChildProcess::start(compiler);
    child.send(job_of(make_bundle({"k.cu", heavy})));
    const pid_t number = child.id();
    if (::write(pipe[1], &number, sizeof number) < 0)
      ::_exit(1);
    while (true) {
      child.send_rest();
      child.receive();
      if (const auto message = child.next();
          message && std::holds_alternative<CodeObject>(*message))
        ::_exit(3); // not long enough
      std::this_thread::sleep_for(10ms);
    }
  }
  pid_t number = 0;
  REQUIRE(::read(pipe[0], &number, sizeof number) == sizeof number);
  std::this_thread::sleep_for(1s);
  const auto state = [&] {
    std::ifstream stat("/proc/" + std::to_string(number) + "/stat");
    std::string text, name, letter;
    return stat >> text >> name >> letter ? letter : "gone";
  };
  CHECK(state() != "gone");
  ::kill(tuner, SIGKILL);
  int status = 0;
  const pid_t reaped = ::waitpid(tuner, &status, 0);
  INFO("waitpid gave " << reaped << " of " << tuner << ", status " << status);
  CHECK(WIFSIGNALED(status)); // inside the compilation
  std::this_thread::sleep_for(1s);
  CHECK((state() == "gone" || state() == "Z"));
}

TEST_CASE("the toolkit's disassembler reads what was compiled, where there is one") {
  const Disassembler disassembler(std::nullopt, {GRIDSMITH_TOOLKIT_PROGRAMS});
  if (!disassembler.program()) {
    std::cout << "not judged: there is no nvdisasm or cuobjdump here\n";
    return;
  }
  const CodeObject code = compile("extern \"C\" __global__ void k(float* x) { *x = 1; }");
  const Disassembly text = disassembler.disassemble(*code.cubin);
  INFO(text.missing_because.value_or(""));
  REQUIRE(text.sass);
  CHECK_THAT(*text.sass, contains_text("EXIT"));
}

} // namespace nvrtc_test
