// SPDX-License-Identifier: Apache-2.0
// What a source does to the macros of parameters, as the real NVRTC sees it, and errors that say what to
// do. Needs no GPU.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"

namespace parameter_macros_test {

using namespace gridsmith;

namespace {

const std::string kernel = "extern \"C\" __global__ void k(int* x) { *x = TILE; }\n";

struct Source {
  std::string text = {}, header = "\n";
  std::vector<std::string> options = {};
  std::vector<ParameterMacro> parameters = {{"TILE", true}};
};

CodeObject compile(const Source& source) {
  const auto bundle = make_bundle({"k.cu", source.text}, {{"own.h", source.header}});
  std::vector<std::string> options = source.options;
  options.emplace_back("-DTILE=16");
  static const Nvrtc nvrtc; // to open it takes as long as to compile a small kernel
  return nvrtc.compile({{bundle, "k", options, source.parameters}, 90});
}

std::string error_of(const Source& source) {
  return compile(source).error.value_or("none");
}

std::string again_at(const std::string& place) {
  return place +
         ": error: TILE is defined again, so the definition's value has no effect; put the line in "
         "#ifndef TILE and #endif, or delete it";
}

} // namespace

TEST_CASE("a source that defines a parameter's macro does not compile") {
  CHECK(error_of({.text = kernel}) == "none");
  CHECK(error_of({.text = "\n#define TILE 32\n" + kernel}) == again_at("k.cu(2)"));
  // Right for one configuration is wrong for the others.
  CHECK(error_of({.text = "#define TILE 16\n" + kernel}) == again_at("k.cu(1)"));
  CHECK(error_of({.text = "#include \"own.h\"\n" + kernel, .header = "\n\n#define TILE 8\n"}) ==
        again_at("own.h(3)"));
  CHECK(error_of({.text = "#undef TILE\n#define TILE 8\n" + kernel}) == again_at("k.cu(2)"));
  CHECK(error_of({.text = "#undef TILE\n#include \"own.h\"\n" + kernel,
                  .header = "#define TILE 8\n"}) == again_at("own.h(1)"));
  for (const char* option : {"-w", "--diag-suppress=47", "--diag-error=47", "-lineinfo"})
    CHECK(error_of({.text = "#define TILE 8\n" + kernel, .options = {option}}) ==
          again_at("k.cu(1)"));
  // No end of the last line.
  CHECK(error_of({.text = kernel + "#undef TILE\n#define TILE 8"}) == again_at("k.cu(3)"));
}

TEST_CASE("what the preprocessor does not take for a definition is none") {
  CHECK(error_of({.text = "#ifndef TILE\n#define TILE 32\n#endif\n" + kernel}) == "none");
  CHECK(error_of({.text = "#if TILE > 64\n#define TILE 64\n#endif\n" + kernel}) == "none");
  CHECK(error_of({.text = "// #define TILE 4\n/*\n#define TILE 4\n*/\n" + kernel}) == "none");
  CHECK(error_of({.text = "#define TILES 4\n#define OTHER TILE\n" + kernel}) == "none");
  CHECK(error_of({.text = kernel + "#undef TILE\n"}) == "none"); // tidies up behind itself
  const std::string other = "#define OTHER 1\n#define OTHER 2\n";
  CHECK(error_of({.text = other + kernel}) == "none"); // no parameter
}

TEST_CASE("a parameter with one value may be defined to it") {
  const std::vector<ParameterMacro> fixed{{"TILE", false}};
  CHECK(error_of({.text = "#define TILE 16\n" + kernel, .parameters = fixed}) == "none");
  CHECK(error_of({.text = "#define TILE 17\n" + kernel, .parameters = fixed}) ==
        again_at("k.cu(1)"));
}

TEST_CASE("watching a parameter changes nothing of the code") {
  const std::string texts[] = {
      kernel,
      "#define TEXT2(x) #x\n#define TEXT(x) TEXT2(x)\n#define JOIN2(a, b) a##b\n"
      "#define JOIN(a, b) JOIN2(a, b)\n#if TILE == 16\n__device__ int JOIN(v, TILE) = 1;\n#endif\n"
      "static_assert(sizeof(TEXT(TILE)) == 3);\n"
      "extern \"C\" __global__ void k(int* x) {\n#pragma unroll TILE\n"
      "  for (int i = 0; i < 64; ++i) x[i] = JOIN(v, TILE) + __LINE__;\n}\n",
      "#define F(x) x\n#define CALL TILE\nextern \"C\" __global__ void k(int* x) { *x = CALL; }"};
  for (const std::string& text : texts)
    for (const char* option : {"-lineinfo", "-G", "--use_fast_math"}) {
      const CodeObject watched = compile({.text = text, .options = {option}});
      const CodeObject plain = compile({.text = text, .options = {option}, .parameters = {}});
      INFO(watched.error.value_or("") << plain.error.value_or(""));
      REQUIRE((watched.cubin && plain.cubin));
      CHECK(*watched.cubin == *plain.cubin);
    }
}

TEST_CASE("code of the host is called that") {
  const auto says = [](const std::string& text, const std::string& place, const std::string& what) {
    const std::string keep = "Gridsmith compiles the kernel only; keep the __global__ function and "
                             "what it calls";
    CHECK(error_of({.text = text}) == place + ": error: host code (" + what + "): " + keep);
  };
  says(kernel + "int main() { k<<<1, 1>>>(nullptr); }\n", "k.cu(2)",
       "a function without __device__");
  says("static int count;\n" + kernel, "k.cu(1)", "a variable without __device__ or __constant__");
  says(kernel + "__host__ __device__ void f(void* p) { cudaFree(p); }\n", "k.cu(2)",
       "a name of the CUDA runtime");
}

TEST_CASE("a name that comes with a header, and a header that is not there, are explained") {
  const auto ends = [](const std::string& text, const std::string& end) {
    INFO(error_of({.text = text}));
    CHECK(error_of({.text = text}).ends_with(end));
  };
  const auto use = [](const std::string& name) {
    return "extern \"C\" __global__ void k(float* x) { *x = " + name + "; }\n";
  };
  ends(use("INFINITY"), "\"INFINITY\" is undefined; NVRTC knows it with #include <cmath>");
  ends(use("FLT_MAX"), "NVRTC knows it with #include <cfloat>");
  ends(use("int32_t(1)"), "NVRTC knows it with #include <cstdint>");
  ends(use("SOMETHING"), "identifier \"SOMETHING\" is undefined");
  ends(
      "#include \"mine.h\"\n" + kernel,
      "cannot open source file \"mine.h\"; headers are read next to the file that includes them, in "
      "the source's folder and below -I of CompilerOptions");
}

} // namespace parameter_macros_test
