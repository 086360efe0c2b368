// SPDX-License-Identifier: Apache-2.0
// Definitions that are drafted from sources: signatures, sizes by use, block sizes, and what is cut.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/device_part.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tests/catch.hpp"

using namespace gridsmith;

namespace {

nlohmann::ordered_json drafted(const std::string& text, const std::string& name = "") {
  const ReadSource source(text);
  const KernelSignature& kernel = kernel_named(source, name, "k.cu");
  return draft_of(source, kernel, choice_of(source, kernel), std::nullopt, "k.cu").json;
}

std::string size_of_argument(const nlohmann::ordered_json& json, std::size_t i) {
  return json["KernelSpecification"]["Arguments"][i]["Size"];
}

constexpr const char* product = R"(
#define TILE 16
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  if (row < m && col < n) {
    float s = 0;
    for (int l = 0; l < k; ++l) s += a[row * k + l] * b[l * n + col];
    c[row * n + col] = s;
  }
}
int main() { product<<<dim3(4, 4), dim3(TILE, TILE)>>>(0, 0, 0, 1, 1, 1); }
)";

} // namespace

TEST_CASE("sizes follow from indices and guards") {
  const auto json = drafted(product);
  CHECK(json["Gridsmith"]["Extents"] == nlohmann::ordered_json{"n", "m", "k"});
  CHECK(size_of_argument(json, 0) == "k * m");
  CHECK(size_of_argument(json, 1) == "k * n");
  CHECK(size_of_argument(json, 2) == "m * n");
  CHECK(json["KernelSpecification"]["Arguments"][2]["AccessType"] == "WriteOnly");
  CHECK(json["KernelSpecification"]["GlobalSize"]["Y"] == "ceil(m / TILE)");
  CHECK(json["KernelSpecification"]["LocalSize"] ==
        nlohmann::ordered_json({{"X", "TILE"}, {"Y", "TILE"}}));
  CHECK(json["Gridsmith"]["Guesses"].size() == 1); // the problem's size
}

TEST_CASE("what cannot be known is marked") {
  const auto json = drafted("__global__ void f(float* x, odd_t* y, float a, int n) {"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;"
                            "  if (i < n) x[hash(i)] += a * y[i]; }");
  const auto& guesses = json["Gridsmith"]["Guesses"];
  CHECK(guesses.contains("KernelSpecification.Arguments[0].Size"));
  CHECK(guesses.contains("KernelSpecification.Arguments[1].Type"));
  CHECK(guesses.contains("KernelSpecification.Arguments[2].FillValue"));
  CHECK_FALSE(guesses.contains("KernelSpecification.Arguments[1].Size"));
  CHECK(json["KernelSpecification"]["Arguments"][0]["AccessType"] == "ReadWrite");
  CHECK(json["ConfigurationSpace"]["TuningParameters"][0]["Name"] == "block_size_x");
}

TEST_CASE("scalars are what the launch in the file passes, where that is a number") {
  const auto json = drafted(R"(
__global__ void f(float* x, float a, double b, int steps, int mode, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { for (int k = 0; k < steps; ++k) { a *= b; } *x = a + mode; }
}
int main() {
  const int steps = 9; int mode = 1; mode = 2; double b = -0.25;
  f<<<4, 128>>>(x, 0.5f, b, steps, mode, n);
})");
  const auto& arguments = json["KernelSpecification"]["Arguments"];
  CHECK(arguments[1]["FillValue"] == 0.5);
  CHECK(arguments[2]["FillValue"] == -0.25);
  CHECK(arguments[3]["FillValue"] == 9);
  CHECK(arguments[4]["FillValue"] == 1); // it has two values in the file
  CHECK(std::string(json["Gridsmith"]["Guesses"]["KernelSpecification.Arguments[3].FillValue"]) ==
        "9 for steps, as the launch in the file passes it");
  CHECK(size_of_argument(json, 0) == "1"); // `} *x = …` is no product
}

TEST_CASE("the compiler's types win over the text") {
  const ReadSource source("__global__ void f(real* y, Mode m, int n) { y[threadIdx.x] = m; }");
  const KernelSignature& kernel = source.kernels.front();
  const auto types = types_of_probe(
      "_Z15gridsmith_typesI14gridsmith_listIJ14gridsmith_itemIPdLi1ELi0ELi1ELi8EES1_I4ModeLi0ELi0E"
      "Li3ELi4EES1_IiLi0ELi0ELi2ELi4EEEEEvv");
  REQUIRE(types);
  REQUIRE(types->size() == 3);
  CHECK((*types)[0].name == "double*");
  const auto json = draft_of(source, kernel, choice_of(source, kernel), types, "k.cu").json;
  CHECK(json["KernelSpecification"]["Arguments"][0]["Type"] == "double");
  CHECK(json["KernelSpecification"]["Arguments"][1]["Type"] == "uint32");
  CHECK_FALSE(types_of_probe("_Z1kPf"));
}

TEST_CASE("a struct by value and pointers to pointers are refused") {
  const ReadSource source("__global__ void f(S s, float** p) {}");
  const KernelSignature& kernel = source.kernels.front();
  const KernelChoice choice = choice_of(source, kernel);
  CHECK_THROWS_WITH(draft_of(source, kernel, choice, std::nullopt, "k.cu"),
                    contains_text("argument 2 (p) is a pointer to pointers"));
  const std::vector<ResolvedType> types{{"S", false, false, ResolvedType::Kind::other, 24}, {}};
  CHECK_THROWS_WITH(draft_of(source, kernel, choice, types, "k.cu"),
                    contains_text("a struct by value, S of 24 bytes"));
}

TEST_CASE("a kernel is chosen by its name") {
  const ReadSource source("namespace a { __global__ void f() {} } __global__ void g() {}\n"
                          "#if 0\n__global__ void h() {}\n#endif\n// __global__ void i() {}\n");
  CHECK(kernel_named(source, "f", "k.cu").scope == "a::");
  CHECK_THROWS_WITH(kernel_named(source, "", "k.cu"),
                    contains_text("choose one with --kernel (valid: a::f, g)"));
  CHECK_THROWS_WITH(kernel_named(source, "h", "k.cu"), contains_text("unknown kernel"));
  CHECK_THROWS_AS(kernel_named(ReadSource("int x;"), "", "k.cu"), InputError);
}

TEST_CASE("the device part has no host code, and guards what is tuned") {
  const auto part = device_part(*make_bundle({"k.cu", std::string("#include <vector>\n"
                                                                  "std::vector<int> all;\n") +
                                                          product}),
                                {"TILE"});
  CHECK(part.left_out == 3);
  CHECK(part.text.find("main") == std::string::npos);
  CHECK(part.text.find("vector") == std::string::npos);
  CHECK(part.text.find("#ifndef TILE\n#define TILE 16\n#endif") != std::string::npos);
  CHECK(part.text.find("__global__ void product") != std::string::npos);
}

TEST_CASE("template parameters come from a launch, else are guessed") {
  const std::string kernel = "template <typename T, int BLOCK> __global__ void f(T* x, int n) {"
                             "  int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = 1; }";
  const ReadSource plain(kernel),
      launched(kernel + "void h() { f<double, 128><<<1, 128>>>(0, 1); }");
  const KernelChoice guessed = choice_of(plain, plain.kernels.front());
  CHECK(guessed.plain_name == "f<float, 256>");
  CHECK(guessed.name == "f<float, TUNED_BLOCK>");
  CHECK(guessed.guesses.size() == 1);
  CHECK(choice_of(launched, launched.kernels.front()).plain_name == "f<double, 128>");
  CHECK(drafted(kernel)["KernelSpecification"]["LocalSize"]["X"] == "TUNED_BLOCK");
}
