// SPDX-License-Identifier: Apache-2.0
// What of a file's host code has a value in a draft, and what rests on guesses or is refused.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>

namespace draft_values_test {

using namespace gridsmith;

namespace {

using Json = nlohmann::ordered_json;

Json drafted(const std::string& text, const std::string& name = "") {
  const ReadSource source(make_bundle({"k.cu", text}));
  const KernelSignature& kernel = kernel_named(source, name, "k.cu");
  return draft_of(source, kernel, choice_of(source, kernel), std::nullopt, "k.cu").json;
}

std::string mark(const Json& json, const std::string& field) {
  const Json& marks = json["Gridsmith"]["Guesses"];
  return marks.contains(field) ? std::string(marks[field]) : "";
}

} // namespace

TEST_CASE("a size that rests on a guessed grid or block is listed") {
  const auto open = drafted(R"(
__global__ void f(float* x, const float* y, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = y[i];
  sums[blockIdx.x] = 1;
})");
  const std::string grid = "they rest on the grid along X, which is a guess";
  for (const char* const i : {"0", "1", "2"})
    CHECK_THAT(mark(open, "KernelSpecification.Arguments[" + std::string(i) + "].Size"),
               contains_text(grid));
  const auto sure = drafted(R"(
__global__ void f(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
})");
  CHECK(mark(sure, "KernelSpecification.Arguments[0].Size").empty());
  const auto block = drafted(R"(
__global__ void f(float* x) {
  __shared__ float part[64];
  part[threadIdx.x % 64] = x[threadIdx.x];
  x[threadIdx.x] = part[0];
})");
  CHECK_THAT(mark(block, "KernelSpecification.Arguments[0].Size"),
             contains_text("they rest on the block along X, which is a guess"));
}

TEST_CASE("a struct that is refused is refused with its reason") {
  const ReadSource source(make_bundle({"k.cu", R"(
struct Vector { float x, y; __host__ __device__ float length() const { return x * y; } };
struct Made { float x; Made(float a) : x(a) {} };
struct Sum { int n; int operator()(int a) const { return a + n; } };
struct List { int n; const List* next; };
struct Bits { unsigned low : 3; };
struct Child : Vector { int n; };
struct Deep { int n; Vector at; };
struct Open { public: int n; float at[2]; };
class Closed { int n; };
class Range { public: int low, high; __device__ bool has(int i) const { return i < high; } };
struct Shut { int n; private: float at; };
__global__ void f(Vector v, float* x) { x[threadIdx.x] = 1; })"}));
  const KernelSignature& kernel = source.kernels.front();
  const auto drafted_as = [&](const std::string& name) {
    const std::vector<ResolvedType> types{{name, false, false, ResolvedType::Kind::other, 8},
                                          {"float*", true, false, ResolvedType::Kind::real, 4}};
    return draft_of(source, kernel, choice_of(source, kernel), types, "k.cu").json;
  };
  const auto refuses = [&](const std::string& name, const std::string& reason) {
    CHECK_THROWS_WITH(drafted_as(name),
                      contains_text("which init does not write: " + reason + "; a definition"));
  };
  refuses("Vector", "it has a member function, length()");
  refuses("Made", "it has a member function, Made()");
  refuses("Sum", "it has an operator");
  refuses("List", "it has a pointer, next");
  refuses("Bits", "it has a number of bits, low");
  refuses("Child", "it has a base, Vector");
  refuses("Deep", "it has a member function, length()");
  refuses("Shut", "it has a private member");
  refuses("Closed", "it is a class, whose members are private");
  refuses("Range", "it has a member function, has()");
  refuses("Other", "the source has no plain struct of this name");
  CHECK(drafted_as("Open")["Gridsmith"]["Types"]["Open"]["Fields"] ==
        Json{"int32 n", "float at[2]"});
}

TEST_CASE("a template's argument that the host has a name for is its value") {
  const std::string kernel = R"(
template <int TILE_R, int TILE_C, int COUNT> __global__ void f(float* x, int rows, int cols) {
  __shared__ float part[TILE_R][TILE_C];
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) x[r * cols + c] = part[threadIdx.y][threadIdx.x] + COUNT;
}
#define COUNT_OF_ALL 12
)";
  const auto check = [&](const std::string& host) {
    const ReadSource source(make_bundle({"k.cu", kernel + host}));
    const KernelChoice choice = choice_of(source, source.kernels.front());
    CHECK(choice.plain_name == "f<8, 32, 12>");
    CHECK(choice.name == "f<TUNED_TILE_R, TUNED_TILE_C, 12>");
    CHECK(choice.unsaid.empty());
    const auto json = draft_of(source, source.kernels.front(), choice, std::nullopt, "k.cu").json;
    const auto& spec = json["KernelSpecification"];
    CHECK(spec["LocalSize"] == Json({{"X", "TUNED_TILE_C"}, {"Y", "TUNED_TILE_R"}}));
    CHECK(spec["GlobalSize"] ==
          Json({{"X", "ceil(cols / TUNED_TILE_C)"}, {"Y", "ceil(rows / TUNED_TILE_R)"}}));
    CHECK(json["Gridsmith"]["DynamicSharedMemory"] == "4 * TUNED_TILE_C");
  };
  const std::string launch =
      "dim3 block(Bc, Br), grid((cols + Bc - 1) / Bc, (rows + Br - 1) / Br);\n"
      "f<Br, Bc, COUNT_OF_ALL><<<grid, block, Bc * sizeof(float)>>>(x, rows, cols);";
  check("int main() { const int Br = 8; constexpr int Bc = 4 * Br; int rows = 100, cols = 200;" +
        launch + "}");
  check("const int Br = 8, Bc = 32;\nint main() { int rows = 100, cols = 200;" + launch + "}");
  check("template <int Br, int Bc> void run(float* x, int rows, int cols) { " + launch +
        "}\nint main() { const int wide = 32; run<8, wide>(0, 100, 200); }");
}

TEST_CASE("a member's first value is no variable's, but where it is a constant") {
  const auto json = drafted(R"(
struct Run { int n = 100; static constexpr int BLOCK_OF_RUN = 32; };
__global__ void f(float* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = value; }
void Run::go(float* x) { f<<<(n + 31) / 32, 32>>>(x, n, BLOCK_OF_RUN); })");
  CHECK(json["KernelSpecification"]["ProblemSize"] == Json{4194304});
  CHECK(json["KernelSpecification"]["Arguments"][2]["FillValue"] == 32);
}

TEST_CASE("a template's parameter that a launch leaves out has its default") {
  const ReadSource source(make_bundle({"k.cu", R"(
template <class T, int PARTS, int PAD = 2, const bool FAST = false> __global__ void f(T* x) { x[PAD] = PARTS; }
int main() { float* x; f<float, 4><<<1, 64>>>(x); })"}));
  const KernelChoice choice = choice_of(source, source.kernels.front());
  CHECK(choice.name == "f<float, 4, 2, false>");
  CHECK(choice.unsaid.empty());
}

TEST_CASE("a type that a definition knows is a template's argument") {
  const ReadSource source(make_bundle({"k.cu", R"(
template <class T, class U> __global__ void f(T* x, U y) { x[threadIdx.x] = T(y); }
int main() { f<half2, uint8_t><<<1, 64>>>(0, 0); })"}));
  CHECK(choice_of(source, source.kernels.front()).name == "f<half2, uint8_t>");
}

TEST_CASE("an enumerator of the file is a template's argument") {
  const ReadSource source(make_bundle({"k.cu", R"(
enum Mode { plus, times };
enum : int { THREADS = 64, PARTS = 3 };
template <Mode M, int N> __global__ void f(float* x) { x[threadIdx.x] = M == plus ? N : 2; }
int main() { f<times, PARTS><<<1, THREADS>>>(0); })"}));
  const KernelChoice choice = choice_of(source, source.kernels.front());
  CHECK(choice.name == "f<times, 3>");
  CHECK(choice.unsaid.empty());
}

namespace {

Json by_function(const std::string& function, const std::string& grid) {
  return drafted(function + R"(
__global__ void f(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() { int n = 1000, threads = 128; float* x; f<<<)" +
                 grid + ", threads>>>(x, n); }");
}

} // namespace

TEST_CASE("a function that divides and rounds up is one, however it is called and written") {
  for (
      const char* const function : {
          "int up(int a, int b) { return (a + b - 1) / b; }",
          "#define up(a, b) (((a) + (b) - 1) / (b))",
          "template <class T> constexpr T up(T a, T b) { return a / b + (a % b != 0); }",
          "static inline int up(int n, int by) { return (n % by) ? n / by + 1 : n / by; }",
          "struct Tools { static unsigned up(unsigned a, unsigned b) { return 1 + (a - 1) / b; } };",
          "const auto up = [](int a, int b) -> int { return (a - 1 + b) / b; };",
          "int up(double a, double b) { return (int)ceil(a / b); }",
          "int up(int a, int b) { return static_cast<int>(std::ceil(float(a) / b)); }",
          "int up(int a, int b) { return a / b + !!(a % b); }",
      }) {
    CAPTURE(function);
    const std::string name = function[0] == 's' && function[2] == 'r' ? "Tools::up" : "up";
    const auto json = by_function(function, name + "(n, threads)");
    CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
    CHECK(json["Gridsmith"]["Guesses"].size() == 1); // the problem's size
  }
  const auto turned =
      by_function("int up(int by, int n) { return (n + by - 1) / by; }", "up(threads, n)");
  CHECK(turned["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
  const auto of_others =
      by_function("int up(int a, int b) { return (a + b - 1) / b; }", "up(n, 4 * threads)");
  CHECK(of_others["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / (4 * block_size_x))");
}

TEST_CASE("a function of one expression is worth it, and another is not known") {
  const auto one = by_function("int blocks_of(int n) { return (n + 127) / 128; }", "blocks_of(n)");
  CHECK(one["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
  CHECK(one["Gridsmith"]["Guesses"].size() == 1);
  const auto floors = by_function("int up(int a, int b) { return a / b; }", "up(n, threads)");
  CHECK(floors["KernelSpecification"]["GlobalSize"]["X"] == "n // block_size_x");
  for (
      const char* const function :
      {"int up(int a, int b) { int c = a / b; return c; }",
       "int up(int a, int b) { return up(a, b); }",
       "int up(int a, int b) { return up(a + a, b + b) + up(b * b, a * a); }",
       "int up(int a, int b);",
       "int up(int a, int b) { return (a + b - 1) / b; } int up(long a, long b) { return a / b; }"}) {
    CAPTURE(function);
    CHECK_THAT(mark(by_function(function, "up(n, threads)"), "KernelSpecification.GlobalSize"),
               contains_text("is no plain number"));
  }
}

TEST_CASE("a block whose size decides what is written is kept") {
  const auto block = [](const std::string& body, const std::string& grid) {
    return drafted("__global__ void f(float* x, int n) {\n" + body + "}\n" +
                   "int main() { float* x; int n = 4096, threads = 128; f<<<" + grid +
                   ", threads>>>(x, n); }")["KernelSpecification"]["LocalSize"]["X"];
  };
  const auto cover = [&](const std::string& body) { return block(body, "n / threads"); };
  const std::string kept = "128", tuned = "block_size_x";
  CHECK(cover("float s = blockDim.x; x[blockIdx.x] = s + n;") == kept);
  CHECK(cover("float s = blockDim.x; atomicAdd(&x[2 * blockIdx.x + 1], s);") == kept);
  CHECK(cover("const int size = blockDim.x;\n"
              "for (int k = 0; k < n; k++)\n"
              "  x[blockIdx.x * size * 4 + threadIdx.x + k * gridDim.x * size * 4] = 1;") == kept);
  CHECK(block("float s = blockDim.x; x[blockIdx.x] = s + n;", "64") == tuned);
  CHECK(cover("int i = blockIdx.x * blockDim.x + threadIdx.x; x[2 * i] = 1; x[2 * i + 1] = n;") ==
        tuned);
  CHECK(cover("for (int k = 0; k < 4; k++)\n"
              "  x[(blockIdx.x * 4 + k) * blockDim.x + threadIdx.x] = n;") == tuned);
  CHECK(cover("for (int i = blockIdx.x; i < n; i += gridDim.x) x[i] = blockDim.x;") == tuned);
}

TEST_CASE("a condition that is known decides what a variable is given") {
  const auto size = [](const std::string& host) {
    return drafted("__global__ void f(float* x, int n) {\n"
                   "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n"
                   "int main() { const int most = 5000; int last = 0;\n" +
                   host +
                   " f<<<(n + 63) / 64, 64>>>(0, n); }")["KernelSpecification"]["ProblemSize"];
  };
  const Json guess{4194304};
  CHECK(size("int n = last + 1024; if (n >= most) { n = most; }") == Json{1024});
  CHECK(size("int n = last + 9024; if (n >= most) n = most;") == Json{5000});
  CHECK(size("int n; if (most > 8000) { n = 80; } else { n = 40; }") == Json{40});
  CHECK(size("int n = 30; if (read() > 2) { n = 20; }") == guess);
  CHECK(size("int n, m; n = m = 70;") == Json{70});
}

TEST_CASE("functions of reals are computed as the host computes them") {
  const auto value = [](const std::string& type, const std::string& text) {
    return drafted("__global__ void f(float* x, " + type + " a) { x[threadIdx.x] = a; }\n" +
                   "int main() { const int heads = 12; const float step = 0.1f;\n" + type +
                   " a = " + text +
                   "; f<<<1, 64>>>(0, a); }")["KernelSpecification"]["Arguments"][1]["FillValue"];
  };
  CHECK(value("float", "1 / sqrtf(heads * 1.f)").get<double>() == 0.28867513);
  CHECK(value("double", "1 / std::sqrt((double)heads)").get<double>() == 1 / std::sqrt(12.0));
  CHECK(value("float", "step") == 0.1);
  CHECK(value("double", "step").get<double>() == static_cast<double>(0.1F));
  CHECK(value("float", "step * 3").get<float>() == 0.1F * 3);
  CHECK(value("double", "exp(-0.5) + pow(2.0, heads)").get<double>() == std::exp(-0.5) + 4096);
  CHECK(value("double", "fmax(M_PI, log10(1000.0))").get<double>() == 3.141592653589793);
  CHECK(value("int", "std::min(heads, 256) + max(3, 4)") == 16);
}

TEST_CASE("a root of an extent is a scalar, and no size") {
  const auto json = drafted(R"(
__global__ void f(float* x, int n, float a, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = a * side; }
int main() { int n = 4096; f<<<(n + 63) / 64, 64>>>(0, n, sqrtf(n), (int)sqrt(n)); })");
  CHECK(json["Gridsmith"]["Scalars"] == Json({{"a", "sqrt(n)"}}));
  CHECK_THAT(mark(json, "KernelSpecification.Arguments[3].FillValue"), contains_text("computes"));
}

TEST_CASE("members of the host's structs are what these begin with and are given") {
  const auto arguments = [](const std::string& type, const std::string& host) {
    return drafted(type +
                   "\n__global__ void f(float* x, int a, int b) { x[threadIdx.x] = a + b; }\n" +
                   host)["KernelSpecification"]["Arguments"];
  };
  const auto values = [&](const std::string& type, const std::string& host) {
    const auto all = arguments(type, host);
    return Json{all[1]["FillValue"], all[2]["FillValue"]};
  };
  const std::string sizes = "typedef struct { int wide; int high, deep; } Sizes;";
  const std::string launch = "f<<<1, 64>>>(0, s.wide, s.high); }";
  CHECK(values(sizes, "int main() { Sizes s = {48, 4 * 8, 2}; " + launch) == Json{48, 32});
  CHECK(values(sizes, "int main() { Sizes s{.wide = 5, .high = 6}; " + launch) == Json{5, 6});
  CHECK(values(sizes, "int main() { Sizes s; s.high = 3; s.wide = s.high + 1; " + launch) ==
        Json{4, 3});
  CHECK(values(sizes, "void run(const Sizes& s) { " + launch +
                          " int main() { Sizes all = {7, 8}; run(all); }") == Json{7, 8});
  const std::string unknown = "int main() { Sizes s = {7, 8}; read(&s); " + launch;
  CHECK(values(sizes, unknown) == Json{1, 1}); // guesses
  CHECK(values(sizes, "void set(Sizes& s); void set(Sizes& s) { s.wide = s.high = 9; }\n"
                      "int main() { Sizes s = {7, 8}; set(s); " +
                          launch) == Json{1, 1});
  CHECK(values(sizes, "int main() { Sizes s = made(); if (read()) s.wide = s.high = 7; " +
                          launch) == Json{1, 1});
  CHECK(values("struct Made { int wide = 2, high{3}; };", "int main() { Made s; " + launch) ==
        Json{2, 3});
  CHECK(values("class Made { public: Made() : wide(4) { this->high = 12; } int wide, high; };",
               "int main() { Made s; " + launch) == Json{4, 12});
  CHECK(values("struct Made { Made(int n) { wide = high = n; } int wide, high; };",
               "int main() { Made s(3); " + launch) == Json{1, 1});
}

TEST_CASE("a struct by value has the fields that the host gives it") {
  const auto json = [](const std::string& value) {
    const ReadSource source(make_bundle({"k.cu", "struct Sizes { int n; float scale; };\n"
                                                 "__global__ void f(float* x, Sizes s, int n) {\n"
                                                 "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                 "if (i < n) x[i] = s.scale; }\n"
                                                 "int main() { const int n = 400; Sizes s = {" +
                                                     value + "}; f<<<4, 128>>>(0, s, n); }"}));
    const std::vector<ResolvedType> types{
        {"float*", true, false, ResolvedType::Kind::real, 4},
        {"Sizes", false, false, ResolvedType::Kind::other, 8},
        {"int", false, false, ResolvedType::Kind::signed_integer, 4}};
    const KernelSignature& kernel = source.kernels.front();
    return draft_of(source, kernel, choice_of(source, kernel), types, "k.cu");
  };
  const Draft known = json("2 * n, 0.1f");
  CHECK(known.json["Gridsmith"]["Scalars"]["s"] == Json({{"n", "2 * n"}, {"scale", 0.1}}));
  CHECK_FALSE(known.json["KernelSpecification"]["Arguments"][1].contains("FillValue"));
  CHECK(known.missing.empty());
  const Draft open = json("read(), 1.5f");
  CHECK(open.json["KernelSpecification"]["Arguments"][1]["FillValue"] == 1);
  CHECK(open.missing.size() == 1);
}

TEST_CASE("a vector of structs of one type of numbers is one") {
  const auto drafted_of = [](const std::string& fields, std::int64_t bytes) {
    const ReadSource source(make_bundle(
        {"k.cu",
         "struct Point { " + fields +
             " };\n"
             "__global__ void f(const Point* from, Point* to, int n) {\n"
             "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) to[i].x = from[i].x; }\n"
             "int main() { const int n = 400; Point *a, *b;\n"
             "cudaMalloc(&a, 3 * n * sizeof(Point)); cudaMalloc(&b, n * sizeof(Point));\n"
             "f<<<4, 128>>>(a, b, n); }"}));
    using Kind = ResolvedType::Kind;
    const std::vector<ResolvedType> types{{"const Point*", true, true, Kind::other, bytes},
                                          {"Point*", true, false, Kind::other, bytes},
                                          {"int", false, false, Kind::signed_integer, 4}};
    const KernelSignature& kernel = source.kernels.front();
    return draft_of(source, kernel, choice_of(source, kernel), types, "k.cu");
  };
  const Draft plain = drafted_of("float x, y; float z;", 12);
  CHECK(plain.missing.empty());
  CHECK(plain.json["Gridsmith"]["Types"]["Point"]["Fields"] ==
        Json{"float x", "float y", "float z"});
  const Json& arguments = plain.json["KernelSpecification"]["Arguments"];
  CHECK(arguments[0]["Type"] == "Point");
  CHECK(arguments[0]["Size"] == "3 * n");
  CHECK(arguments[0]["FillType"] == "Random");
  CHECK(arguments[1]["Size"] == "n");
  CHECK(arguments[1]["AccessType"] == "ReadWrite");
  const Draft mixed = drafted_of("float x; int y;", 8);
  CHECK(mixed.missing.size() == 2); // what their bytes are
  CHECK(mixed.json["KernelSpecification"]["Arguments"][0]["Size"] == "6 * n");
}

TEST_CASE("what is written where data say so is an output that keeps the rest") {
  const auto access = [](const std::string& body) {
    return drafted("__global__ void f(const int* x, int* y, int n) {\n"
                   "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                   body + " }")["KernelSpecification"]["Arguments"][1]["AccessType"];
  };
  CHECK(access("if (i < n) y[i] = x[i];") == "WriteOnly");
  CHECK(access("if (i >= n) return; if (i % 2) y[i] = 1; else y[i] = x[i];") == "WriteOnly");
  CHECK(access("for (int k = 0; k < n; k++) { if (k == 1) y[i] = x[i]; }") == "WriteOnly");
  CHECK(access("if (i < n && x[i] > 4) y[i] = 1;") == "ReadWrite");
  CHECK(access("int v = x[i]; if (v > 4) { y[i] = v; }") == "ReadWrite");
  CHECK(access("int v = x[i]; if (v > 4) { y[i] = v; } else { y[i] = 0; }") == "WriteOnly");
  CHECK(access("bool met = false; for (int k = 0; k < n; k++) if (x[k] == i) met = true;\n"
               "if (met) y[i] = 1;") == "ReadWrite");
  CHECK(access("if (x[i] == 0) return; y[i] = 1;") == "ReadWrite");
}

} // namespace draft_values_test
