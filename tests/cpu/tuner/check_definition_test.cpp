// SPDX-License-Identifier: Apache-2.0
// What an author is told of a definition whose source was compiled: by the program itself and the
// real NVRTC, which need no GPU.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/author.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace check_definition_test {

using namespace gridsmith;
using test::Author;
using test::count;

TEST_CASE("a definition that fits its kernel is good, and its samples show every branch") {
  const Author author;
  CHECK(author.check() == 0);
  CHECK_THAT(author.said(), contains_text("6 configurations of a product of 10"));
  CHECK_THAT(author.said(), contains_text("default compiles: "));
  CHECK_THAT(author.said(), contains_text("(THREADS=512 METHOD=turned)")); // the only one
  CHECK_THAT(author.said(), contains_text("(THREADS=32 METHOD=plain)"));
  CHECK(author.said().find("in none of them") == std::string::npos);
}

TEST_CASE("samples have every text, and one that does not compile is only counted") {
  const Author author;
  std::string many = "\"plain\", \"turned\"";
  for (int i = 0; i < 6; ++i)
    many += ", \"m" + std::to_string(i) + "\"";
  CHECK(author.check({{"\"plain\", \"turned\"", many}, {"METHOD == 'plain' or", "True or"}}) == 0);
  CHECK(author.said().find("in none of them") == std::string::npos);
  CHECK_THAT(author.said(), contains_text("nor do 5 more"));
  CHECK_THAT(author.said(), contains_text("#error directive: no such method"));
  CHECK_THAT(author.out(), contains_text("\nok: 40 configurations, 2 of 8 samples compile\n"));
  CHECK_THAT(author.said(), contains_text("k.json: no sample compiles that has METHOD=m0"));
  CHECK(author.check({{"\"plain\", \"turned\"", many},
                      {"METHOD == 'plain' or", "True or"},
                      {"#if METHOD == plain", "#if 0"},
                      {"#elif METHOD == turned", "#elif 0"}}) == 1);
  CHECK(author.out().find("ok: ") == std::string::npos);
}

TEST_CASE("extremes that no sample has are named") {
  const Author author;
  std::string parameters;
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) {
    parameters +=
        std::string("{\"Name\": \"") + name + "\", \"Values\": [0, 1, 2], \"Default\": 1}, ";
  }
  // Each extreme excludes all others of its kind, so that four samples cannot have them.
  const std::string only_one =
      "A + B + C + D + E + F >= 5 and A // 2 + B // 2 + C // 2 + D // 2 + E // 2 + F // 2 <= 1";
  CHECK(author.check({{"{\"Name\": \"METHOD\"", parameters + "{\"Name\": \"METHOD\""},
                      {"METHOD == 'plain' or THREADS == 512", only_one}}) == 0);
  CHECK_THAT(author.said(), contains_text("in none of them: "));
  CHECK_THAT(author.said(), contains_text("--all compiles every configuration"));
}

TEST_CASE("arguments that are not the kernel's are told with the numbers, once") {
  const Author author;
  const std::string n = R"({"Name": "n", "Type": "int", "MemoryType": "Scalar"})";
  CHECK(author.check({{",\n      " + n, ""}, {"\"Scalars\": {\"n\": \"n\"},", ""}}) == 1);
  const std::string few = "the kernel takes 3 arguments, the definition gives 2";
  CHECK_THAT(author.said(), contains_text("default compiles, but is wrong, as are "));
  CHECK(count(author.said(), few) == 1);
  CHECK(
      author.check(
          {{n, n + R"(, {"Name": "m", "Type": "int", "MemoryType": "Scalar", "FillValue": 1})"}}) ==
      1);
  CHECK_THAT(author.said(), contains_text("the kernel takes 3 arguments, the definition gives 4"));
  CHECK(author.check({{"\"int\"", "\"double\""}}) == 1);
  CHECK_THAT(author.said(),
             contains_text("argument 3 (n) has 4 bytes in the kernel and 8 in the definition"));
}

TEST_CASE("a __constant__ variable that nothing fills") {
  const Author author;
  CHECK(author.check({{"extern", "__constant__ float table[2] = {1, 2};\nextern"}}) == 0);
  CHECK(author.check({{"extern", "__constant__ float table[2];\nextern"}}) == 1);
  CHECK_THAT(author.said(), contains_text("nothing fills the __constant__ variable table of the "
                                          "source, so that it is 0"));
}

TEST_CASE("what decides nothing is no good definition") {
  const Author author;
  const auto with = [&](const std::string& more) {
    return author.check({{"\"WorkModel\"", more + ", \"WorkModel\""}});
  };
  CHECK(with(R"("Reference": {"Element": "in[i]", "Accept": "rms_error < 1e-4"})") == 0);
  CHECK_THAT(author.said(), contains_text("Element; accepted: rms_error < 1e-4"));
  CHECK(with(R"("Reference": {"Element": "in[i]", "Accept": "rms_error"})") == 2);
  CHECK(with(R"("Reference": {"Element": "in[i]"}, "Verify": "i < 4")") == 0);
  CHECK_THAT(author.said(), contains_text("out[3] = "));
  CHECK(with(R"("Reference": {"Element": "in[i]"}, "Verify": "i < 0")") == 1);
  CHECK_THAT(author.said(), contains_text("no element of out was found that is verified"));
  CHECK(author.check({{"\"FillType\"", "\"MemType\": \"Konstant\", \"FillType\""}}) == 1);
  CHECK_THAT(author.said(), contains_text("'Konstant' is not known (valid: Constant, Global)"));
}

TEST_CASE("a __constant__ variable that the kernel does not have") {
  const Author author;
  CHECK(author.check({{"\"FillType\"", "\"MemType\": \"Constant\", \"FillType\""}}) == 1);
  CHECK_THAT(author.said(), contains_text("argument 'in' has the MemType Constant, and no compiled "
                                          "kernel reads a __constant__ variable of this name"));
  CHECK(author.check({{"\"Size\": \"n\"}", "\"Size\": \"64\"}"},
                      {"\"FillType\"", "\"MemType\": \"Constant\", \"FillType\""},
                      {"\"Name\": \"in\"", "\"Name\": \"table\""},
                      {"extern", "__constant__ float table[64];\nextern"},
                      {"in[i]", "table[i & 63]"}}) == 0);
  CHECK(author.check({{"\"Size\": \"n\"}", "\"Size\": \"64\"}"},
                      {"\"FillType\"", "\"MemType\": \"Constant\", \"FillType\""},
                      {"\"Name\": \"in\"", "\"Name\": \"table\""},
                      {"extern", "__constant__ float table[16];\nextern"},
                      {"in[i]", "table[i & 15]"}}) == 1);
  CHECK_THAT(author.said(), contains_text("argument 'table' has 256 bytes, and the __constant__ "
                                          "variable of this name 64"));
}

TEST_CASE("a kernel that the source does not have is answered with those that it has") {
  const Author author;
  CHECK(author.check({{"\"k\"", "\"kk\""}}) == 1);
  CHECK_THAT(author.said(), contains_text("k.cu has no kernel 'kk' (it has: k)"));
}

TEST_CASE("a header that is not there is answered with where headers are read, and nothing else") {
  const Author author;
  CHECK(author.check({{"extern", "#include \"tile.h\"\nextern"}}) == 1);
  CHECK_THAT(author.said(), contains_text("\"tile.h\"; headers are read next to the file"));
  CHECK(author.check({{"extern", "#include <nowhere.h>\nextern"}}) == 1);
  CHECK(author.said().find("__nv_") == std::string::npos);
  CHECK(author.said().find("k.o: ") == std::string::npos);
}

TEST_CASE("a name that is a macro is told as that, once") {
  const Author author;
  CHECK(author.check({{"\"k\"", "\"typed<float, THREADS>\""}}) == 1);
  CHECK(count(author.said(), "THREADS is a macro here, because it is a parameter") == 1);
  CHECK_THAT(author.said(), contains_text("does not compile, nor do "));
}

TEST_CASE("a parameter that breaks CUDA's own header is named") {
  const Author author;
  CHECK(author.check(
            {{"\"Name\": \"THREADS\"", "\"Name\": \"float4\", \"Type\": \"int\", \"Values\": "
                                       "\"[1]\"}, {\"Name\": \"THREADS\""}}) == 1);
  CHECK(count(author.said(), "CUDA's own header uses its name: rename 'float4'") == 1);
  CHECK(
      author.check({{"\"Name\": \"THREADS\"",
                     "\"Name\": \"T\", \"Type\": \"int\", \"Values\": \"[1]\"}, {\"Name\": \"BX\", "
                     "\"Type\": \"int\", \"Values\": \"[1]\"}, {\"Name\": \"THREADS\""}}) == 1);
  CHECK(count(author.said(), "CUDA's own header uses its name: rename one of 'T', 'BX'") == 1);
}

TEST_CASE("a text that changes a word of CUDA is told as that") {
  const Author author;
  CHECK(author.check({{"#define turned 2", "#define shared 2"},
                      {"METHOD == turned", "METHOD == shared"},
                      {"out[i] = in[n - 1 - i]", "{ __shared__ float x; x = in[i]; out[i] = x; }"},
                      {"\"plain\", \"turned\"", "\"plain\", \"shared\""}}) == 0);
  CHECK_THAT(author.said(),
             contains_text("if 'shared', a value of METHOD, is a macro, __shared__ is "
                           "changed by it"));
  CHECK_THAT(author.said(), contains_text("no sample compiles that has METHOD=shared"));
}

TEST_CASE("a capability that the compiler does not know is not the definition's fault") {
  const Author author;
  const std::string why = "does not compile for compute capability 3.0, only for ";
  CHECK(author.check({}, "--capability 3.0") == 0);
  CHECK_THAT(author.said(), contains_text("compiler not compiled: NVRTC "));
  CHECK_THAT(author.said(), contains_text(why));
  CHECK(author.run("inspect k.json --capability 3.0") == 2);
  CHECK_THAT(author.said(), contains_text(why));
}

TEST_CASE("a space that cannot be is the same to 'space' and to 'check-definition'") {
  const Author author;
  const std::vector<std::pair<std::vector<std::pair<std::string, std::string>>, std::string>> cases{
      {{{"\"GridDivX\": \"THREADS\"", "\"GlobalSize\": {\"X\": \"n // (THREADS * 4096)\"}"}},
       "GlobalSize.X: 'n // (THREADS * 4096)' gives 0; expected an integer of at least 1, of THREADS="},
      {{{"[32, 64, 128, 256, 512]", "[32, 32, 128, 256, 512]"}},
       "TuningParameters[0].Values: parameter 'THREADS' lists the value 32 twice"},
      {{{"THREADS == 512\"", "METHOD <= 3\""}}, "Conditions[0].Expression: expression"},
      {{{"\"GridDivX\"", "\"SharedMemory\": 1000000, \"GridDivX\""}},
       "no configuration satisfies '(1000000) <= shared_bytes_per_block_optin'"}};
  for (const auto& [changes, told] : cases) {
    INFO(told);
    CHECK(author.check(changes) == 2);
    CHECK_THAT(author.said(), contains_text(told));
    CHECK(author.said().find("no work model") == std::string::npos);
    CHECK(author.run("space k.json") == 2);
    CHECK_THAT(author.said(), contains_text(told));
  }
  CHECK(author.check(
            {{"\"Scalars\"",
              R"("Reference": {"Kernel": "k", "Grid": [1], "Block": ["2048"]}, "Scalars")"}}) == 1);
  CHECK_THAT(author.said(),
             contains_text("Gridsmith.Reference: 2048 threads per block, the device allows 1024"));
}

TEST_CASE("a definition is checked for the size that is asked for") {
  const Author author;
  CHECK(author.check({}, "--size 4097") == 0);
  CHECK_THAT(author.out(), contains_text("\nsize        4097: "));
  CHECK(author.out().find("65536") == std::string::npos);
}

TEST_CASE("without a default everything takes the configuration that is asked first") {
  const Author author;
  const std::vector<std::pair<std::string, std::string>> automatic{
      {"{\"Name\": \"THREADS\", \"Values\": [32, 64, 128, 256, 512], \"Default\": 128},", ""},
      {"METHOD == 'plain' or THREADS == 512", "2 <= block_size_y"},
      {"\"LocalSize\": {\"X\": \"THREADS\"}, \"GridDivX\": \"THREADS\",", ""},
      {"\"Scalars\"",
       R"("AutomaticShape": {"Dimensions": 2}, "Reference": {"Kernel": "k"}, "Scalars")"},
      {"__launch_bounds__(THREADS) ", ""},
      {"* THREADS", "* block_size_x"}};
  REQUIRE(author.check(automatic, "--json") == 0);
  const auto report = nlohmann::json::parse(author.out());
  const auto first = report["problems"][0]["configuration"];
  CHECK(first["block_size_x"].get<int>() * first["block_size_y"].get<int>() % 32 == 0);
  std::set<std::string> shown;
  for (const auto& one : report["compiled"])
    if (one["what"] != "sample") {
      shown.insert(one["what"]);
      CHECK(one["configuration"] == first);
    }
  CHECK(shown == std::set<std::string>{"default", "reference"});
  REQUIRE(author.run("inspect k.json --json") == 0);
  CHECK(nlohmann::json::parse(author.out())["configuration"] == first);
  REQUIRE(author.run("inspect k.json METHOD=turned") == 0);
  CHECK_THAT(author.said(), contains_text("(named; what is not, the definition's default)"));
}

TEST_CASE("code that no multiprocessor holds a block of") {
  const Author author;
  CHECK(author.check({{"\"GridDivX\"", "\"SharedMemory\": 232000, \"GridDivX\""},
                      {"const int i =", "__shared__ float more[512];\n  more[threadIdx.x] = n;\n"
                                        "  __syncthreads();\n  const int i = more[n & 63] +"}}) ==
        1);
  CHECK_THAT(author.said(),
             contains_text("wrong: cannot be launched: too much shared memory: 234048 bytes per "
                           "block, the device allows 232448"));
  CHECK(author.run("inspect k.json") == 1);
  CHECK_THAT(author.said(), contains_text("cannot be launched: not one block fits on an SM"));
  CHECK(author.check({{"__launch_bounds__(THREADS)", "__launch_bounds__(64)"}}) == 1);
  CHECK_THAT(author.said(),
             contains_text("a block has 128 threads, the kernel's launch bounds allow 64"));
}

TEST_CASE("inspect compiles no configuration outside of the space") {
  const Author author;
  REQUIRE(author.check() == 0);
  CHECK(author.run("inspect k.json METHOD=turned") == 2);
  CHECK_THAT(author.said(),
             contains_text("THREADS=128 METHOD=turned is not in the space: excluded by 'METHOD == "
                           "'plain' or THREADS == 512'"));
  REQUIRE(author.run("inspect k.json METHOD=turned,THREADS=512 --json") == 0);
  CHECK(nlohmann::json::parse(author.out())["compile_facts"]["max_threads_per_block"] == 512);
}

TEST_CASE("inspect shows what the machine code consists of") {
  const Author author;
  REQUIRE(author.check() == 0);
  REQUIRE(author.run("inspect k.json --json") == 0);
  const auto code = nlohmann::json::parse(author.out())["code"];
  CHECK(code["unknown"] == 0);
  CHECK(code["calls"] == false);
  CHECK(code["loops"].empty());
  CHECK(code["classes"]["memory"] == 2);
  CHECK(code["memory"] == nlohmann::json::parse(R"([
    {"kind": "global_load", "bytes": 4, "count": 1}, {"kind": "global_store", "bytes": 4, "count": 1}])"));
  CHECK(code["in_flight"]["loads"] == 1);
  CHECK(code["instructions"] > 10);
  REQUIRE(author.run("inspect k.json") == 0);
  CHECK_THAT(author.said(),
             contains_text("on memory global load 1 x 4 bytes, global store 1 x 4 bytes "));
  CHECK_THAT(author.said(), contains_text("loads in flight 1 (4 bytes), per thread"));
  REQUIRE(author.check({{"  if (i < n) out[i] = in[i];",
                         "  float sum = 0;\n#pragma unroll 1\n"
                         "  for (int k = 0; k < n; ++k) sum += in[k];\n  out[i] = sum;"}}) == 0);
  REQUIRE(author.run("inspect k.json --json") == 0);
  const auto loops = nlohmann::json::parse(author.out())["code"]["loops"];
  REQUIRE(loops.size() == 1);
  CHECK(loops[0]["hottest"] == true);
  CHECK(loops[0]["classes"]["fp32"] == 1);
  REQUIRE(author.run("inspect k.json") == 0);
  CHECK_THAT(author.said(), contains_text(" hottest loop at 0x"));
}

TEST_CASE("a parameter that the source defines itself is told with its line, once") {
  const Author author;
  CHECK(author.check({{"#define plain 1", "#define plain 1\n#define THREADS 128"}}) == 1);
  CHECK(
      author.said().find(
          "nor do 4 more: k.cu(2): error: THREADS is defined again, so the "
          "definition's value has no effect; put the line in #ifndef THREADS and #endif, or delete it") !=
      std::string::npos);
  CHECK(author.check({{"#define plain 1",
                       "#define plain 1\n#ifndef THREADS\n#define THREADS 128\n#endif"}}) == 0);
}

TEST_CASE("a parameter that nothing asks for, and blocks of one thread along an axis, are noted") {
  const Author author;
  const std::vector<std::pair<std::string, std::string>> unused{
      {"\"Default\": \"plain\"}",
       "\"Default\": \"plain\"}, {\"Name\": \"TILE\", \"Values\": [1, 2]}"}};
  const std::string note =
      "parameter TILE is used nowhere: its name is not in k.cu, its headers, the "
      "launch, the conditions or the options, so its 2 values are tuned as one";
  CHECK(author.check(unused) == 0);
  CHECK(count(author.said(), note) == 1);
  CHECK(author.run("space k.json") == 0);
  CHECK(count(author.said(), note) == 1);
  CHECK(author.check({unused.front(),
                      {"\"METHOD == ", "\"TILE * THREADS <= 512 and METHOD == "},
                      {" or THREADS == 512", ""}}) == 0);
  CHECK(count(author.said(),
              "parameter TILE appears only in conditions, so it changes no launch") == 1);
  CHECK(author.check({{"const int i", "extern __shared__ float s[]; const int i"}}) == 0);
  CHECK(count(author.said(), "k.cu declares extern __shared__ memory, and without "
                             "KernelSpecification.SharedMemory a launch has 0 bytes of it") == 1);
  CHECK(author.check({{"const int i", "/* extern __shared__ */ const int i"}}) == 0);
  CHECK(author.said().find("extern __shared__") == std::string::npos);
  CHECK(author.check({{"\"CUDA\"", "\"C++\""}}) == 0);
  CHECK(count(author.said(),
              "KernelSpecification.Language: 'C++' is not CUDA, so nothing is compiled") == 1);
  CHECK(author.check({{"\"ProblemSize\": [65536]", "\"ProblemSize\": [65536, 1024]"},
                      {"\"Extents\": [\"n\"]", "\"Extents\": [\"n\", \"k\"]"}}) == 0);
  CHECK(count(author.said(),
              "1024 blocks along y, where a block has one thread: extent 1 itself") == 1);
  CHECK(author.check() == 0);
  CHECK(count(author.said(), "where a block has one thread") == 0);
}

TEST_CASE("a file with host code is drafted without it, and what is kept compiles") {
  const test::Program program{GRIDSMITH_PROGRAM};
  const auto file = program.folder() / "app.cu";
  test::write(file, R"(#include <iostream>
#include <type_traits>
struct Pixel {
  float value;
  bool operator==(const Pixel& other) const { return value == other.value; }
  std::conditional_t<true, float, double> scaled(float by) const { return by * value; }
};
__global__ void scale(Pixel* pixels, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(pixels[i] == Pixel{INFINITY})) pixels[i].value = pixels[i].scaled(by);
}
int main() { std::cout << "no kernel\n"; scale<<<4, 256>>>(nullptr, 2, 1024); }
)");
  REQUIRE(program.run({"init", "--from", file.string(), "--json"}) == 0);
  CHECK(nlohmann::json::parse(program.out()).at("error") == "");
  const auto definition = nlohmann::json::parse(test::read_file(program.folder() / "scale.json"));
  CHECK(definition["KernelSpecification"]["CompilerOptions"] ==
        nlohmann::json::array({"-default-device"}));
  CHECK(definition["KernelSpecification"]["KernelFile"] == "app_device.cu");
}

TEST_CASE("a file that its build compiles with macros is drafted with them") {
  const test::Program program{GRIDSMITH_PROGRAM};
  const auto file = program.folder() / "app.cu";
  test::write(file, R"(
__global__ void scale(TYPE* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= BY;
}
)");
  REQUIRE(program.run({"init", "--from", file.string(), "-DTYPE=double", "--define", "BY=3",
                       "--json"}) == 0);
  CHECK(nlohmann::json::parse(program.out()).at("error") == "");
  const auto definition = nlohmann::json::parse(test::read_file(program.folder() / "scale.json"));
  const auto& kernel = definition["KernelSpecification"];
  CHECK(kernel["CompilerOptions"] == nlohmann::json::array({"-DTYPE=double", "-DBY=3"}));
  CHECK(kernel["Arguments"][0]["Type"] == "double");
}

TEST_CASE("what nvcc takes with the options of its advice is drafted with them",
          "[.][needs:nvcc]") {
  const test::Program program{GRIDSMITH_PROGRAM};
  const auto file = program.folder() / "app.cu";
  test::write(file, R"(#include <limits>
__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = std::numeric_limits<float>::max();
}
int main() {
  auto twice = [] __device__(float v) { return 2 * v; };
  float* x; cudaMalloc(&x, 4000); fill<<<4, 256>>>(x, 1000); }
)");
  const auto definition = program.folder() / "fill.json";
  program.run({"tune", file.string(), "--write-definition", definition.string()});
  CHECK(nlohmann::json::parse(
            test::read_file(definition))["KernelSpecification"]["CompilerOptions"] ==
        nlohmann::json::array({"--expt-relaxed-constexpr", "--extended-lambda"}));
}

TEST_CASE("a kernel of a header is drafted with the host code of the file that includes it") {
  const test::Program program{GRIDSMITH_PROGRAM};
  const auto header = program.folder() / "scale.cuh";
  test::write(header, R"(
__global__ void scale(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
)");
  const std::string host = R"(#include "scale.cuh"
int main() {
  const int n = 5000;
  float* d;
  cudaMalloc(&d, n * sizeof(float));
  scale<<<(n + 127) / 128, 128>>>(d, 2.0f, n);
}
)";
  test::write(program.folder() / "app.cu", host);
  REQUIRE(program.run({"init", "--from", header.string(), "--json"}) == 0);
  CHECK_THAT(program.out(), contains_text("the host code is that of app.cu"));
  const auto drafted = nlohmann::json::parse(test::read_file(program.folder() / "scale.json"));
  CHECK(drafted["KernelSpecification"]["ProblemSize"] == nlohmann::json::array({5000}));
  std::filesystem::remove(program.folder() / "scale.json");
  test::write(program.folder() / "other.cu", host);
  REQUIRE(program.run({"init", "--from", header.string(), "--json"}) == 0);
  CHECK_THAT(program.out(), contains_text("app.cu and other.cu include this file"));
}

} // namespace check_definition_test
