// The real NVRTC, which needs no GPU: headers by content, code that is recognised, a door that may
// be closed, and a compiler that ends with its tuner.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

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
  return Nvrtc().compile(job_of(make_bundle({"k.cu", text}), std::move(options), kernel));
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
  for (int i = 0; i < 6000; ++i)
#pragma unroll
    for (int j = 0; j < 16; ++j)
      sum[j] += a[i * 7 % 1031 + j] * b[i * 13 % 977 + j * threadIdx.x];
#pragma unroll
  for (int j = 0; j < 16; ++j)
    b[threadIdx.x + j] = sum[j];
})";

} // namespace

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
  ::waitpid(tuner, &status, 0);
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
