// SPDX-License-Identifier: Apache-2.0
// The real nvcc behind the real wall, which needs no GPU: files with host code, and what a hostile one tries.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

namespace nvcc_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const fs::path compiler = GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler";

CompilerSettings settings() {
  CompilerSettings settings;
  settings.program = compiler;
  settings.compute_capability = 90;
  settings.no_cache = true;
  return settings;
}

CompileRequest request(const std::string& text, const std::string& kernel = "k",
                       std::vector<std::string> options = {},
                       std::vector<ParameterMacro> parameters = {}) {
  return {make_bundle({"k.cu", text}), kernel, std::move(options), std::move(parameters),
          Compiler::nvcc};
}

CodeObject compile(const CompileRequest& request, CompilerSettings with = settings()) {
  CompilerPool pool(std::move(with));
  return *compile_all(pool, {&request, 1}, {}).front();
}

std::string error_of(const CompileRequest& request) {
  return compile(request).error.value_or("no error");
}

const std::string whole = R"(#include <cstdio>
#include <vector>
extern "C" __global__ void plain(float* x) { *x = 1; }
extern "C" __global__ void f(float* x) { *x = 2; }
static __global__ void hidden(float* x) { *x = 3; }
namespace a { namespace {
__global__ void unnamed(float* x) { *x = 5; }
template <class T, int N> __global__ void scale(T* x, const T* __restrict__ y) { *x = *y * N; }
}
struct S { int v; };
__global__ void inside(float* x) { *x = 4; }
template <class T> __global__ void by_value(T s, T* x) { *x = s; }
}
template <template <class> class V, class F> __global__ void nested(V<F>* p, F f) { p->t = f; }
template <class T> struct W { T t; };
int main() {
  std::vector<float> host(4);
  a::scale<float, 3><<<1, 1>>>(host.data(), host.data());
  std::printf("%f\n", host[0]);
}
)";

} // namespace

TEST_CASE("kernels of a file with host code are found by their names") {
  CompilerPool pool(settings());
  std::vector<CompileRequest> requests;
  for (const char* kernel :
       {"plain", "f", "hidden", "a::scale<float, 3>", "a::scale<unsigned char, FACTOR>",
        "a::by_value<a::S>", "nested<W, int>", "a::inside", "a::unnamed"})
    requests.push_back(request(whole, kernel, {"-DFACTOR=4"}));
  const auto codes = compile_all(pool, requests, {});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    INFO(requests[i].kernel << ": " << codes[i]->error.value_or(""));
    REQUIRE(codes[i]->cubin);
    CHECK(codes[i]->facts.registers_per_thread > 0);
    CHECK(codes[i]->parameter_bytes.has_value());
  }
  CHECK(codes[0]->kernel == "plain");
  CHECK(codes[1]->kernel == "f");
  CHECK(codes[3]->kernel.find("5scaleIfLi3E") != std::string::npos);
  CHECK(codes[4]->kernel.find("5scaleIhLi4E") != std::string::npos);
  CHECK(pool.named(Compiler::nvcc).starts_with("nvcc "));
  CHECK(pool.named(Compiler::nvcc).find(';') == std::string::npos);
}

TEST_CASE("of kernels with one name nvcc is asked for that of these parameters") {
  const std::string text =
      "#include <cstdio>\nnamespace a { struct P { int n; };\n"
      "__global__ void f(P* p) { p->n = 1; }\n__global__ void f(P p, float* x) { *x = p.n; }\n"
      "template <class T> __global__ void g(T* x) { *x = 1; }\n"
      "template <class T> __global__ void g(T* x, int n) { x[n] = 1; } }\n"
      "__global__ void once(int* x, const int n) { *x = n; }\n"
      "void once(float* x) { std::printf(\"%f\\n\", *x); }\n";
  CHECK(compile(request(text, "a::f(P*)")).kernel == "_ZN1a1fEPNS_1PE");
  CHECK(compile(request(text, "a::f(P, float*)")).kernel == "_ZN1a1fENS_1PEPf");
  CHECK(compile(request(text, "a::g<float>(float*, int)")).kernel == "_ZN1a1gIfEEvPT_i");
  CHECK(compile(request(text, "once(int*, int)")).kernel == "_Z4oncePii");
  CHECK_THAT(error_of(request(text, "a::f")), contains_text("valid: a::f(P*), a::f(P, float*)"));
  CHECK_THAT(error_of(request(text, "a::f(Q)")), contains_text("k.cu has no kernel 'a::f(Q)'"));
}

TEST_CASE("macros of a source that are short words change nothing") {
  CHECK(compile(request("#define T float\n#define kernel 3\n#define n 4\n"
                        "__global__ void k(T* x) { *x = 1; }\n"))
            .cubin);
}

TEST_CASE("two compilations of one source are the same code, and a header of its own counts") {
  const auto with = [](const std::string& header) {
    CompileRequest one =
        request("#include \"../common/h.h\"\nnamespace { template <int N> __global__ "
                "void k(int* x) { *x = VALUE * N; } }\n",
                "k<2>");
    one.source = make_bundle(one.source->main, {{"../common/h.h", header}});
    return compile(one);
  };
  const CodeObject first = with("#define VALUE 3\n"),
                   again = with("#define VALUE 3\n// a remark\n"),
                   other = with("#define VALUE 4\n");
  REQUIRE(first.cubin);
  CHECK(first.code_hash == again.code_hash);
  CHECK(first.code_hash != other.code_hash);
}

TEST_CASE("other sources are compiled by themselves and linked") {
  CompileRequest linked =
      request("#include <cstdio>\n"
              "extern __device__ int other(int);\nextern __device__ int table[4];\n"
              "template <int N> __global__ void k(int* x) { *x = other(N) + table[N]; }\n"
              "int main() {}\n",
              "k<2>", {"-DFACTOR=3"}, {{"FACTOR"}});
  const std::string unit =
      "#include <vector>\nstatic int same;\n__device__ int table[4] = {1, 2, 3, 4};\n"
      "__device__ int other(int n) { return FACTOR * n; }\n";
  const auto with = [&](const std::string& text) {
    CompileRequest one = linked;
    one.source = make_bundle(linked.source->main, {{"sub/other.cu", text}});
    one.units = {"sub/other.cu"};
    return one;
  };
  const CodeObject code = compile(with(unit));
  INFO(code.error.value_or(""));
  REQUIRE(code.cubin);
  CHECK(code.kernel == "_Z1kILi2EEvPi");
  CHECK(code.code_hash == compile(with(unit + "// a remark\n")).code_hash);
  CompileRequest other = with(unit);
  other.options = {"-DFACTOR=4"};
  CHECK(code.code_hash != compile(other).code_hash);
  CHECK_THAT(error_of(with("")), contains_text("other"));
  CHECK_THAT(error_of(with("__device__ int other(int n) { return m; }\n")),
             contains_text("other.cu(1): error: identifier \"m\" is undefined"));
}

TEST_CASE("what does not compile by nvcc is said with its place") {
  CHECK_THAT(error_of(request(whole, "none")), contains_text("none"));
  CHECK_THAT(error_of(request(whole, "plain2")), contains_text("plain"));
  CHECK(error_of(request("#include \"none.h\"\n")) ==
        "k.cu:1:10: fatal error: none.h: No such file or directory; name its folder in "
        "CompilerOptions (-I) or with --include");
  CHECK_THAT(error_of(request("\n__global__ void k(int* x) { *x = y; }\n")),
             contains_text("k.cu(2): error: identifier \"y\" is undefined"));
  const std::string again = "\n#define N 4\n__global__ void k(int* x) { *x = N; }\n";
  CHECK_THAT(error_of(request(again, "k", {"-DN=4"}, {{"N"}})),
             contains_text("k.cu(2): error: N is defined again"));
  CHECK_THAT(error_of(request("\n#undef N" + again, "k", {"-DN=4"}, {{"N"}})),
             contains_text("k.cu(3): error: N is defined again"));
}

TEST_CASE("nothing that a source or an option says is done by nvcc's shell") {
  const std::string text = "__global__ void k(int* x) { const char* s = V; *x = s != nullptr; }\n";
  const test::Folder folder;
  const fs::path mark = folder.path() / "mark";
  for (const std::string& touch :
       {"$(touch " + mark.string() + ")", "`touch " + mark.string() + "`",
        "\"; touch " + mark.string() + "; \""}) {
    compile(request(text, "k", {"-DV=" + touch}));
    compile(request(text, touch));
    CompileRequest named = request(text, "k", {"-DV=\"a\""});
    named.source = make_bundle(named.source->main, {}, {touch});
    CHECK_THAT(error_of(named), contains_text("to a shell"));
  }
  CHECK_FALSE(fs::exists(mark));
  CHECK(compile(request(text, "k", {"-DV=\"a b\""})).cubin);
}

TEST_CASE("nvcc behind the wall reads what belongs to it, and none of the user's variables") {
  const bool landlock = ::syscall(444, nullptr, 0, 1) > 0;
  const test::Folder folder;
  test::write(folder.path() / "secret.h", "#define SECRET 1\n");
  const CompileRequest reads = request("#include \"" + (folder.path() / "secret.h").string() +
                                       "\"\n__global__ void k(int* x) { *x = SECRET; }\n");
  if (landlock)
    CHECK_THAT(error_of(reads), contains_text("Permission denied"));
  CompilerSettings may = settings();
  may.readable = {folder.path()};
  CHECK(compile(reads, may).cubin);
  for (const char* variable : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"})
    ::setenv(variable, "--no-such-option", 1);
  for (const char* variable :
       {"CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "NVCC_CCBIN"})
    ::setenv(variable, folder.path().c_str(), 1);
  CHECK(compile(request(whole, "plain")).cubin);
  CHECK_THAT(error_of(request("#include \"secret.h\"\n")), contains_text("No such file"));
  for (const char* variable :
       {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX",
        "COMPILER_PATH", "NVCC_CCBIN"})
    ::unsetenv(variable);
}

TEST_CASE("a time-out ends nvcc with all that it started") {
  // Other tests run nvcc too: these are known by their folder for temporary files.
  const test::Folder folder;
  const std::string before = ::getenv("TMPDIR") ? ::getenv("TMPDIR") : "/tmp";
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  CompilerSettings impatient = settings();
  impatient.first_limit = impatient.least_limit = 100ms; // less than any takes
  CHECK_THAT(compile(request(whole, "plain"), impatient).error.value_or(""),
             contains_text("did not answer within"));
  ::setenv("TMPDIR", before.c_str(), 1);
  // Neither nvcc nor one of its compilers is left, once the kernel has ended what was killed.
  const auto left = [&] {
    std::size_t count = 0;
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::ifstream file(process.path() / "cmdline", std::ios::binary);
      const std::string line{std::istreambuf_iterator<char>(file), {}};
      count += line.find(folder.path().string()) != line.npos ? 1 : 0;
    }
    return count;
  };
  for (int wait = 0; wait < 100 && left() > 0; ++wait)
    std::this_thread::sleep_for(20ms);
  CHECK(left() == 0);
}

TEST_CASE("an nvcc or a host compiler that does not work is said in a line") {
  const test::Folder folder;
  const auto refused = [&](const fs::path& nvcc) {
    CompilerSettings other = settings();
    other.nvcc = nvcc;
    try {
      compile(request("__global__ void k() {}\n"), other);
    } catch (const HelperError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(refused(folder.path() / "nvcc"), contains_text("there is no such nvcc"));
  test::write(folder.path() / "nvcc", "#!/bin/sh\necho broken\nexit 3\n");
  fs::permissions(folder.path() / "nvcc", fs::perms::owner_all);
  CHECK_THAT(refused(folder.path() / "nvcc"), contains_text("ended with exit code 3: broken"));
  test::write(folder.path() / "nvcc", "#!/bin/sh\nexit 0\n");
  CHECK_THAT(refused(folder.path() / "nvcc"), contains_text("does not say where its programs are"));
}

TEST_CASE("whatever an nvcc does is one configuration's error") {
  const test::Folder folder;
  for (const char* program : {"ptxas", "cicc", "nvlink"})
    test::write(folder.path() / program, "");
  const std::string here = folder.path().string();
  const auto error_by = [&](const std::string& fault) {
    const fs::path nvcc = folder.path() / "nvcc";
    test::write(nvcc, "#!/bin/sh\ncase \"$*\" in\n*--dryrun*) echo '#$ _HERE_=" + here + "'\n" +
                          "echo '#$ CICC_PATH=" + here + "'; echo '#$ TOP=" + here + "';;\n" +
                          "*--version*) echo 'release 1, V1';;\n*) " + fault + ";;\nesac\n");
    fs::permissions(nvcc, fs::perms::owner_all);
    CompilerSettings faulty = settings();
    faulty.nvcc = nvcc;
    faulty.first_limit = faulty.least_limit = 1500ms;
    return compile(request("__global__ void k() {}\n"), faulty).error.value_or("no error");
  };
  CHECK_THAT(error_by("exit 0"), contains_text("nvcc ended with exit code 0"));
  CHECK_THAT(error_by("exit 7"), contains_text("nvcc ended with exit code 7"));
  CHECK_THAT(error_by("kill -9 $$"), contains_text("nvcc"));
  CHECK_THAT(error_by("echo nonsense > gridsmith_kernel.cubin"),
             contains_text("made no code for 'k'"));
  CHECK_THAT(error_by("while :; do :; done"), contains_text("did not answer within"));
  CHECK_THAT(error_by("while :; do echo 'flood of lines flood of lines'; done"),
             contains_text("did not answer within"));
}

TEST_CASE("a definition's compiler is a word of a list, and its options are that compiler's") {
  const test::Folder folder;
  const auto refusal = [&](const std::string& word, const std::string& option) {
    const fs::path file = test::write_kernel(folder.path(), "k", 1);
    std::string text = test::read_file(file);
    const std::string at = "\"KernelName\"";
    text.replace(text.find(at), at.size(), "\"CompilerOptions\": [" + option + "], " + at);
    const std::string section = "\"Gridsmith\": {";
    if (const auto found = text.find(section); found != text.npos)
      text.insert(found + section.size(), "\"Compiler\": \"" + word + "\", ");
    else
      text.insert(text.rfind('}'), ", \"Gridsmith\": {\"Compiler\": \"" + word + "\"}");
    test::write(file, text);
    try {
      read_definition(file);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("nvcc", "").empty());
  CHECK_THAT(refusal("nvc", ""), contains_text("did you mean 'nvcc'?"));
  CHECK_THAT(refusal("nvcc", "\"--minimal\""), contains_text("nvcc has no option '--minimal'"));
  CHECK(refusal("nvrtc", "\"--minimal\"").empty());
  CHECK(refusal("nvcc", "\"--expt-relaxed-constexpr\"").empty());
  CHECK_THAT(refusal("nvrtc", "\"--extended-lambda\""),
             contains_text("NVRTC has no option '--extended-lambda', which nvcc has"));
  for (const std::string option :
       {"-ccbin=/tmp/x", "-Xcompiler=-fplugin=x", "-Xptxas=--options-file=x", "-Xlinker=x",
        "--options-file=x", "@file", "-B/tmp", "-fplugin=x", "-include=/etc/passwd",
        "--compiler-bindir=/tmp", "-keep", "--keep-dir=/tmp", "-o", "-run", "-dryrun", "-ldir=/tmp",
        "--config-dir=/tmp"})
    CHECK_THAT(refusal("nvcc", "\"" + option + "\""), contains_text("CompilerOptions"));
}

} // namespace nvcc_test
