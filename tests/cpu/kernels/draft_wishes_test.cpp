// SPDX-License-Identifier: Apache-2.0
// Definitions of files with host code as a person asks for them: what is tuned, how the program is run, what is missing.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tests/catch.hpp"

namespace draft_wishes_test {

using namespace gridsmith;

namespace {

Draft wished(const std::string& text, DraftWishes wishes, const std::string& header = "") {
  const ReadSource source(make_bundle({"k.cu", text}, {{"k.h", header}}));
  const KernelSignature& kernel = kernel_named(source, "", "k.cu");
  return draft_of(source, kernel, choice_of(source, kernel, std::move(wishes)), std::nullopt,
                  "k.cu");
}

std::string refusal(const std::string& text, DraftWishes wishes) {
  try {
    wished(text, std::move(wishes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool misses(const Draft& draft, const std::string& option) {
  return std::any_of(draft.missing.begin(), draft.missing.end(),
                     [&](const std::string& one) { return one.starts_with(option); });
}

constexpr const char* scale = R"(
#define BLOCK 128
const int UNROLL = BLOCK / 32;
template <int STEP> __global__ void scale(float* out, const float* in, float factor, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * UNROLL;
  if (i < n) out[i] = factor * in[i] + STEP;
}
int main(int argc, char** argv) {
  if (argc < 2) { printf("usage"); return 1; }
  const int n = atoi(argv[1]);
  float factor = 1.5f;
  if (argc > 2) factor = atof(argv[2]);
  int more = argc > 3 ? strtol(argv[3], nullptr, 10) : 0;
  float *a, *b;
  cudaMalloc(&a, (n + more) * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  int blocks = (n + BLOCK * UNROLL - 1) / (BLOCK * UNROLL);
  scale<7><<<blocks, BLOCK, 4 * BLOCK>>>(a, b, factor, n);
}
)";

} // namespace

TEST_CASE("what a program is run with makes its host code plain") {
  const Draft run = wished(scale, {.run = {{"1000", "2.5"}}});
  CHECK(run.missing.empty());
  CHECK(run.json["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{1000});
  CHECK(run.json["KernelSpecification"]["Arguments"][2]["FillValue"] == 2.5);
  CHECK(run.json["KernelSpecification"]["Arguments"][0]["Size"] == "n");
  CHECK(run.json["Gridsmith"]["DynamicSharedMemory"] == "4 * BLOCK");
  const Draft shorter = wished(scale, {.run = {{"1000"}}});
  CHECK(shorter.json["KernelSpecification"]["Arguments"][2]["FillValue"] == 1.5);
  const Draft longer = wished(scale, {.run = {{"1000", "2", "24"}}});
  CHECK(longer.json["KernelSpecification"]["Arguments"][0]["Size"] == "n + 24");
  const Draft unknown = wished(scale, {});
  CHECK(misses(unknown, "--size n"));
  CHECK_FALSE(misses(unknown, "--argument factor")); // 1.5 stands there
  for (const char* strange : {"many", "12x", "", "1e30"})
    CHECK(misses(wished(scale, {.run = {{strange}}}), "--size n"));
}

TEST_CASE("a __constant__ variable of a struct is asked for") {
  const Draft draft = wished(
      "struct Grid { int nx; float h; };\n__constant__ Grid g;\n__constant__ float taps[4];\n"
      "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = g.h * taps[1]; }\n"
      "int main() { k<<<1, 64>>>(x, 64); }",
      {});
  CHECK(misses(draft, "--field KernelSpecification.Arguments.2=")); // behind x and n
  CHECK_FALSE(misses(draft, "--field KernelSpecification.Arguments.3="));
}

TEST_CASE("a grid keeps a tuned name that has the value 1 in the source") {
  const auto grid = [](DraftWishes wishes) {
    wishes.tuned = {{"WORK", {1, 2, 4}}};
    return wished(R"(
#define TILE 32
#define WORK 1
__global__ void p(float* y, int n) {
  for (int j = 0; j < WORK; ++j) {
    int i = (blockIdx.x * WORK + j) * TILE + threadIdx.x;
    if (i < n) y[i] = 1;
  }
}
int main() { int n = 1000; p<<<(n + TILE * WORK - 1) / (TILE * WORK), TILE>>>(0, n); })",
                  std::move(wishes))
        .json["KernelSpecification"]["GlobalSize"]["X"]
        .get<std::string>();
  };
  CHECK(grid({}) == "(n + 32 * WORK - 1) // (32 * WORK)");
  CHECK(grid({.grid = {"ceil(n / (32 * WORK))"}}) == "ceil(n / (32 * WORK))");
}

TEST_CASE("an index of several elements a thread does not say what the grid covers") {
  const auto asks = [](const std::string& index) {
    return misses(
        wished("__global__ void k(float* y, int n) { int t = blockIdx.x * blockDim.x + threadIdx.x;"
               "  int i = " +
                   index + "; if (i < n) y[i] = 2; }",
               {}),
        "--grid");
  };
  CHECK_FALSE(asks("t"));
  CHECK_FALSE(asks("blockIdx.x * blockDim.x + threadIdx.x"));
  CHECK_FALSE(asks("threadIdx.x + (blockIdx.x * blockDim.x)"));
  CHECK_FALSE(asks("(int)(blockIdx.x * blockDim.x + threadIdx.x)"));
  CHECK(asks("t * 4"));
  CHECK(asks("4 * t"));
  CHECK(asks("t << 2"));
  CHECK(asks("(blockIdx.x * blockDim.x + threadIdx.x) * 4"));
  CHECK(asks("4 * (blockDim.x * blockIdx.x + threadIdx.x)"));
  CHECK(asks("blockIdx.x * blockDim.x * 2 + threadIdx.x"));
  CHECK(asks("2 * blockDim.x * blockIdx.x + threadIdx.x"));
  CHECK(asks("blockIdx.x * (blockDim.x * 2) + threadIdx.x"));
}

TEST_CASE("a template's parameter that no launch gives has the values that are asked for alone") {
  const Draft draft = wished("template <int BM> __global__ void k(float* y, int n) {"
                             "  int i = blockIdx.x * BM + threadIdx.x; if (i < n) y[i] = 2; }",
                             {.tuned = {{"BM", {64, 128}}}});
  const auto& parameter = draft.json["ConfigurationSpace"]["TuningParameters"][0];
  CHECK(parameter["Values"] == nlohmann::ordered_json{64, 128});
  CHECK(parameter["Default"] == 64);
}

TEST_CASE("conditions on the command line choose a branch, and an unknown index none") {
  const auto value = [](const std::string& statements, std::vector<std::string> run) {
    const std::string text =
        "__global__ void k(float* x, int n, int s) { if (threadIdx.x < n) x[0] = s; }\n"
        "int main(int argc, char* argv[]) { int n = 64, s = 3;" +
        statements + "k<<<1, 64>>>(x, n, s); }";
    const Draft draft = wished(text, {.run = std::move(run)});
    return misses(draft, "--argument s")
               ? -1
               : draft.json["KernelSpecification"]["Arguments"][2]["FillValue"].get<int>();
  };
  CHECK(value("", {}) == 3);
  CHECK(value("s = (argc > 1) ? atoi(argv[1]) : 5;", {}) == -1); // of 3 and 5
  CHECK(value("if (argc > 1) s = atoi(argv[1]);", {"9"}) == 9);
  CHECK(value("if (argc > 2) s = atoi(argv[2]);", {"9"}) == 3);
  CHECK(value("if (argc > 1) s = std::stoi(argv[1]);", {"9"}) == 9);
  CHECK(value("if (argc != 2) s = atol(argv[argc - 1]);", {"9", "8"}) == 8);
  CHECK(value("for (int i = 1; i < argc; ++i) s = atoi(argv[i]);", {"9"}) == -1);
  CHECK(value("sscanf(argv[1], \"%d\", &s);", {"9"}) == -1);
}

TEST_CASE("what is tuned is a macro, a constant, a template's parameter or the launch's variable") {
  const Draft draft =
      wished(scale, {.tuned = {{"BLOCK", {64, 256}}, {"STEP", {1, 2}}, {"UNROLL", {2}}},
                     .run = {{"1000", "2"}}});
  const auto& space = draft.json["ConfigurationSpace"]["TuningParameters"];
  REQUIRE(space.size() == 3);
  CHECK(space[0]["Values"] == nlohmann::ordered_json{64, 256, 128}); // the source's own, too
  CHECK(space[0]["Default"] == 128);
  CHECK(space[1]["Name"] == "UNROLL");
  CHECK(space[1]["Default"] == 4);
  CHECK(space[2]["Name"] == "TUNED_STEP");
  CHECK(space[2]["Default"] == 7);
  CHECK(draft.json["KernelSpecification"]["KernelName"] == "scale<TUNED_STEP>");
  CHECK(draft.json["Gridsmith"]["Rewrite"] == nlohmann::ordered_json{"BLOCK", "UNROLL"});
  CHECK_FALSE(draft.json["Gridsmith"].contains("Reference")); // the default is one
  CHECK(draft.json["KernelSpecification"]["GlobalSize"]["X"] ==
        "(n + BLOCK * UNROLL - 1) // (BLOCK * UNROLL)");

  const std::string simple =
      "__global__ void k(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "void h() { int n = 500; int threads = 96; dim3 block(threads, 2);\n"
      "  k<<<(n + threads - 1) / threads, block>>>(x, n); }";
  const Draft variable = wished(simple, {.tuned = {{"threads", {32, 64}}}});
  CHECK(variable.json["KernelSpecification"]["LocalSize"]["X"] == "threads");
  CHECK(variable.json["ConfigurationSpace"]["TuningParameters"][0]["Default"] == 96);
  CHECK(variable.json["Gridsmith"]["Rewrite"] == nlohmann::ordered_json{"threads"});
  CHECK_FALSE(variable.json["Gridsmith"].contains("Reference"));
  for (const char* name : {"block_size_x", "block.x"})
    CHECK(wished(simple, {.tuned = {{name, {32}}}})
              .json["ConfigurationSpace"]["TuningParameters"][0] ==
          nlohmann::ordered_json(
              {{"Name", "block_size_x"}, {"Type", "int"}, {"Values", {32, 96}}, {"Default", 96}}));
  CHECK_THAT(refusal(simple, {.tuned = {{"block", {32}}}}), contains_text("tune block.x"));
  CHECK_THAT(refusal(simple, {.tuned = {{"thread", {32}}}}), contains_text("valid: block_size_x"));
  CHECK_THAT(refusal("#define T 1\n#define T 2\n" + simple, {.tuned = {{"T", {32}}}}),
             contains_text("k.cu(1), k.cu(2)"));
  const Draft guarded =
      wished("#ifndef T\n#define T 96\n#endif\n__global__ void k(float* x) { x[threadIdx.x] = T; }",
             {.tuned = {{"T", {32}}}});
  CHECK_FALSE(guarded.json["Gridsmith"].contains("Rewrite"));
}

TEST_CASE("a constant of a header is tuned, with what its expression is worth") {
  const Draft draft =
      wished("__global__ void k(float* x) { x[threadIdx.x] = SIZE; }", {.tuned = {{"SIZE", {1}}}},
             "#define HALF 8\n#define SIZE (2 * HALF)\n");
  CHECK(draft.json["ConfigurationSpace"]["TuningParameters"][0]["Default"] == 16);
  const Draft strange = wished(
      "#define SIZE sizeof(struct A)\n__global__ void k(float* x) { x[threadIdx.x] = SIZE; }",
      {.tuned = {{"SIZE", {5, 6}}}});
  CHECK(strange.json["ConfigurationSpace"]["TuningParameters"][0]["Default"] == 5);
  CHECK_THAT(std::string(strange.json["Gridsmith"]["Guesses"]["ConfigurationSpace"]),
             contains_text("is no plain number"));
}

TEST_CASE("what a person says is taken, and is no guess") {
  const std::string text = "__global__ void k(float* x, const int* m, float a, int n) {\n"
                           "  int i = blockIdx.x * 32 + threadIdx.x; if (i < n) x[m[i]] = a; }";
  const Draft asks = wished(text, {});
  for (const char* option :
       {"--size n", "--argument x=ELEMENTS", "--argument a=VALUE", "--block X,Y,Z"})
    CHECK(misses(asks, option));
  const Draft said = wished(text, {.sizes = {640},
                                   .arguments = {{"x", "2 * n"}, {"a", "0.5"}},
                                   .grid = {"n // 32", "", ""},
                                   .block = {"32", "", ""}});
  CHECK(said.missing.empty());
  const auto& spec = said.json["KernelSpecification"];
  CHECK(spec["ProblemSize"] == nlohmann::ordered_json{640});
  CHECK(spec["Arguments"][0]["Size"] == "2 * n");
  CHECK(spec["Arguments"][2]["FillValue"] == 0.5);
  CHECK(spec["LocalSize"]["X"] == "32");
  for (const FieldGuess& guess : said.guesses)
    CHECK((guess.field.find("Arguments[1]") != guess.field.npos ||
           guess.field == "Gridsmith.Inputs.m"));
  CHECK_THAT(refusal(text, {.sizes = {1, 2}}),
             contains_text("--size has 2 numbers, and the kernel has 1 size (n)"));
  CHECK_THAT(refusal(text, {.arguments = {{"b", "1"}}}), contains_text("unknown argument 'b'"));
  CHECK_THAT(refusal(text, {.arguments = {{"a", "1 +"}}}), contains_text("'1 +' has no value"));
  CHECK_THAT(refusal(text, {.grid = {"m", "", ""}}), contains_text("'m' has no value"));
  CHECK_THAT(refusal(text, {.block = {"n", "", ""}}), contains_text("a number up to 1024"));
}

TEST_CASE("bytes of a type are the compiler's, and a grid is an expression too") {
  const std::string text =
      "__global__ void k(const POS* p, float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = p[i].x; }\n"
      "void h() { int n = 500, b = 64; cudaMalloc(&p, n * sizeof(POS)); cudaMalloc(&x, n * sizeof(float));\n"
      "  dim3 grid = (n + b - 1) / b; k<<<grid, b>>>(p, x, n); }";
  const ReadSource source(
      make_bundle({"k.cu", text},
                  {{"k.h", "#ifdef A\n#define POS float4\n#else\n#define POS double4\n#endif\n"}}));
  const KernelSignature& kernel = source.kernels.front();
  const std::vector<ResolvedType> types{
      {"double4 const*", true, true, ResolvedType::Kind::other, 32},
      {"float*", true, false, ResolvedType::Kind::real, 4},
      {"int", false, false, ResolvedType::Kind::signed_integer, 4}};
  const Draft draft = draft_of(source, kernel, choice_of(source, kernel), types, "k.cu");
  CHECK(draft.missing.empty());
  CHECK(draft.json["KernelSpecification"]["Arguments"][0]["Size"] == "4 * n");
  CHECK(draft.json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
  const Draft unknown = draft_of(source, kernel, choice_of(source, kernel), std::nullopt, "k.cu");
  CHECK(misses(unknown, "--argument p=ELEMENTS"));
}

TEST_CASE("a template's type that no launch says is asked for, or given") {
  const std::string text =
      "template <class T, class F, int N> __global__ void k(T* x, F f, int n) {\n"
      "  if (threadIdx.x < n) x[threadIdx.x] = N; }\n";
  CHECK(misses(wished(text, {}), "--kernel k<…>"));
  const auto [name, templates] = kernel_and_templates("k<double, op::Sum<int, 2>, 4>");
  CHECK(name == "k");
  CHECK(templates == std::vector<std::string>{"double", "op::Sum<int,2>", "4"});
  const Draft given = wished(text, {.tuned = {{"N", {8}}}, .templates = templates});
  CHECK(given.json["KernelSpecification"]["KernelName"] == "k<double, op::Sum<int,2>, TUNED_N>");
  CHECK_FALSE(misses(given, "--kernel"));
  CHECK(kernel_and_templates("k").second.empty());
  CHECK(kernel_and_templates("a::k<float>(T*, X<int>)").first == "a::k(T*, X<int>)");
  CHECK(kernel_and_templates("a::k<float>(T*, X<int>)").second.size() == 1);
  CHECK(kernel_and_templates("k(X<int>)").first == "k(X<int>)");
  CHECK(kernel_and_templates("k<").first == "k<");
}

TEST_CASE("a cooperative launch is read, with the arguments that it lists") {
  const std::string text =
      "__global__ void k(float* x, float a, int n) {\n"
      "  auto grid = cooperative_groups::this_grid(); grid.sync();\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = a; }\n"
      "void h() { int n = 640; float a = 2.5f; dim3 blocks(10), threads(64);\n"
      "  cudaMalloc(&x, n * sizeof(float)); void* args[] = {(void*)&x, &a, &n};\n"
      "  cudaLaunchCooperativeKernel((void*)k, blocks, threads, args, 256); }";
  const Draft draft = wished(text, {});
  CHECK(draft.missing.empty());
  CHECK(draft.json["Gridsmith"]["Launch"]["Cooperative"] == true);
  CHECK(draft.json["Gridsmith"]["DynamicSharedMemory"] == "256");
  const auto& spec = draft.json["KernelSpecification"];
  CHECK(spec["ProblemSize"] == nlohmann::ordered_json{640});
  CHECK(spec["GlobalSize"]["X"] == "10");
  CHECK(spec["LocalSize"]["X"] == "64");
  CHECK(spec["Arguments"][1]["FillValue"] == 2.5);
  CHECK_FALSE(wished("__global__ void k(float* x) { x[threadIdx.x] = 1; }", {})
                  .json["Gridsmith"]
                  .contains("Launch"));
}

TEST_CASE("another kernel of the file is the reference") {
  const std::string text = "__global__ void k(float* x) { x[threadIdx.x] = 1; }";
  CHECK(wished(text, {.reference = "plain"}).json["Gridsmith"]["Reference"] ==
        nlohmann::ordered_json({{"Kernel", "plain"}}));
}

TEST_CASE("an option that getopt() reads has what the program is run with") {
  const char* const text = R"(
struct Setup {
  int wide, high;
  Setup(int argc, char** argv) {
    wide = high = 300;
    int letter;
    while ((letter = getopt(argc, argv, "hw:b:")) >= 0)
      switch (letter) {
      case 'h': usage(); break;
      case 'w': wide = atoi(optarg); break;
      case 'b': wide = high = atoi(optarg); break;
      }
  }
};
__global__ void f(float* x, int rows, int a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows) x[i] = a; }
void run(float* x, const Setup& s) { f<<<(s.high + 63) / 64, 64>>>(x, s.high, s.wide); }
int main(int argc, char** argv) { const Setup setup(argc, argv); run(0, setup); })";
  const auto sizes = [&](const DraftWishes& wishes) {
    const Draft draft = wished(text, wishes);
    const auto& kernel = draft.json["KernelSpecification"];
    return nlohmann::ordered_json{kernel["ProblemSize"][0], kernel["Arguments"][2]["FillValue"]};
  };
  using Json = nlohmann::ordered_json;
  CHECK(sizes({}) == Json{300, 300});
  CHECK(sizes({.run = std::vector<std::string>{}}) == Json{300, 300});
  CHECK(sizes({.run = {{"-b", "80"}}}) == Json{80, 80});
  CHECK(sizes({.run = {{"-w70"}}}) == Json{300, 70});
  CHECK(misses(wished(text, {.run = {{"--wide", "70"}}}), "--size rows"));
}

} // namespace draft_wishes_test
