// SPDX-License-Identifier: Apache-2.0
// Which launch of a file is a kernel's, and what of its host code the launch's arguments are.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tests/catch.hpp"

namespace draft_launch_test {

using namespace gridsmith;

namespace {

using Json = nlohmann::ordered_json;

Json drafted(const std::string& text, const std::string& name = "") {
  const ReadSource source(make_bundle({"k.cu", text}));
  const KernelSignature& kernel = kernel_named(source, name, "k.cu");
  return draft_of(source, kernel, choice_of(source, kernel), std::nullopt, "k.cu").json;
}

Json sizes(const Json& json) {
  return json["KernelSpecification"]["ProblemSize"];
}

std::string mark(const Json& json, const std::string& field) {
  const Json& marks = json["Gridsmith"]["Guesses"];
  return marks.contains(field) ? std::string(marks[field]) : "";
}

constexpr std::int64_t guessed = 4194304; // of one size that nothing says

std::string add(const std::string& type, const std::string& name = "add") {
  return "__global__ void " + name + "(" + type + "* x, int n) {\n" +
         "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }\n";
}

std::string launch(const std::string& kernel, int n) {
  return kernel + "<<<(" + std::to_string(n) + " + 127) / 128, 128>>>(x, " + std::to_string(n) +
         ");\n";
}

} // namespace

TEST_CASE("a launch is of the namespace that it names or stands in") {
  const std::string two = "namespace a { " + add("float") + "}\nnamespace b { namespace in { " +
                          add("float") + "} " + add("float") + "}\n";
  const std::string qualified = two + "int main() { float* x; " + launch("b::add", 20) +
                                launch("b::in::add", 30) + launch("::a::add", 10) + "}";
  CHECK(sizes(drafted(qualified, "a::add")) == Json{10});
  CHECK(sizes(drafted(qualified, "b::add")) == Json{20});
  CHECK(sizes(drafted(qualified, "b::in::add")) == Json{30});
  const std::string inside = two + "namespace b { namespace in { void run(float* x) { " +
                             launch("add", 30) + "} } void run(float* x) { " + launch("add", 20) +
                             "} }\nvoid run(float* x) { using namespace a; " + launch("add", 10) +
                             "}";
  CHECK(sizes(drafted(inside, "a::add")) == Json{10});
  CHECK(sizes(drafted(inside, "b::add")) == Json{20});
  CHECK(sizes(drafted(inside, "b::in::add")) == Json{30});
  const std::string other = two + "namespace s = b::in;\nint main() { float* x; using a::add; " +
                            launch("c::add", 40) + launch("s::add", 30) + launch("add", 10) + "}";
  CHECK(sizes(drafted(other, "a::add")) == Json{10});
  CHECK(sizes(drafted(other, "b::in::add")) == Json{30});
  CHECK(sizes(drafted(other, "b::add")) == Json{guessed});
}

TEST_CASE("a launch is of the overload that takes what is passed") {
  const std::string two =
      add("float") + "typedef double real;\n" + add("real") +
      "__global__ void add(float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += y[i]; }\n";
  const std::string text = two + "int main() { double *y, *x; " + launch("add", 20) +
                           "}\nvoid more(float* x, float* y) { add<<<30, 1>>>(x, y, 30); " +
                           launch("add", 10) + "}";
  CHECK(sizes(drafted(text, "add(float*, int)")) == Json{10});
  CHECK(sizes(drafted(text, "add(real*,int)")) == Json{20});
  CHECK(sizes(drafted(text, "add(float*, float*, int)")) == Json{30});
  const Json first = drafted(text, "add"); // that is launched
  CHECK(sizes(first) == Json{20});
  CHECK(first["KernelSpecification"]["KernelName"] == "add(real*, int)");
  CHECK_THAT(mark(first, "KernelSpecification.KernelName"),
             contains_text("this is add(real*, int), and the file has add(float*, int) and add("));
  const Json repeated =
      drafted(two + "int main() { double* y; " + launch("add", 20) +
              "for (;;) add<<<30, 1>>>(x, y, 30); }"); // without a name there is one all the same
  CHECK(repeated["KernelSpecification"]["KernelName"] == "add(float*, float*, int)");
  CHECK_THROWS_WITH(drafted(text, "add(int*, int)"), contains_text("add(real*, int)"));
}

TEST_CASE("a template that launches is called with the types of one overload") {
  const std::string text = add("__half") + add("__nv_bfloat16") +
                           "template <class T> void run() { T* x; " + launch("add", 40) +
                           "}\nint main() { run<__half>(); run<__nv_bfloat16>(); }";
  const Json json = drafted(text);
  CHECK(json["KernelSpecification"]["KernelName"] == "add(__half*, int)");
  CHECK(sizes(json) == Json{40});
}

TEST_CASE("a template that launches has the types of its first call that have elements") {
  const auto name_of = [](const std::string& calls) {
    const Json json =
        drafted("template <class D, class S> __global__ void cvt(D* d, const S* s, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = s[i]; }\n"
                "template <class D, class S> void convert() { D* d; S* s;\n"
                "  cvt<D, S><<<1, 64>>>(d, s, 64); }\nint main() { " +
                calls + " }");
    return std::string(json["KernelSpecification"]["KernelName"]);
  };
  const std::string strange = "convert<half, __nv_bfloat16>(); ";
  CHECK(name_of("convert<int, float>(); " + strange) == "cvt<int, float>");
  CHECK(name_of(strange + "convert<half, float>(); convert<int, int>();") == "cvt<half, float>");
  CHECK(name_of(strange + "convert<__nv_bfloat16, int>();") == "cvt<half, __nv_bfloat16>");
}

TEST_CASE("a kernel that no launch tells from its namesakes is asked for") {
  const ReadSource source(make_bundle({"k.cu", add("float") + add("double")}));
  const auto missing = [&](const std::string& name, DraftWishes wishes) {
    const KernelSignature& kernel = kernel_named(source, name, "k.cu");
    const auto all =
        draft_of(source, kernel, choice_of(source, kernel, std::move(wishes)), std::nullopt, "k.cu")
            .missing;
    std::string text;
    for (const std::string& one : all)
      text += one + "\n";
    return text;
  };
  CHECK_THAT(missing("add", {}),
             contains_text("--kernel 'add(float*, int)' or 'add(double*, int)': no launch in the "
                           "file says which is meant\n"));
  DraftWishes named;
  named.overload = true;
  CHECK_THAT(missing("add(double*, int)", named), !contains_text("--kernel"));
}

TEST_CASE("a kernel is named with the types of its parameters where a compiler finds several") {
  const auto name_of = [](const std::string& text, const std::string& kernel) {
    return std::string(drafted(text, kernel)["KernelSpecification"]["KernelName"]);
  };
  CHECK(name_of(add("float"), "add") == "add");
  CHECK(name_of(add("float") + "void add(int n) { " + launch("add", 10) + "}", "add") ==
        "add(float*, int)");
  CHECK(name_of(add("float") + "namespace a { void add(int n) {} }", "add") == "add");
  CHECK(name_of(
            "namespace a { template <class T, int N> __global__ void f(const T* x, A<T, N>* y) {}\n"
            "template <class T> __global__ void f(T* x) { *x = 1; } }\n"
            "int main() { a::f<unsigned int, 3><<<1, 1>>>(x, y); }",
            "a::f(const T*, A<T,N>*)") == "a::f<unsigned int, 3>(const unsigned int*, "
                                          "A<unsigned int,3>*)");
  CHECK(name_of(add("float") + "__global__ void add(float x[2][N]) {}", "add(float x[2]*)") ==
        "add");
  // Of branches of the preprocessor a compiler sees one.
  CHECK(name_of("#if A\n" + add("float") + "#if B\n#else\n#endif\n#else\n" + add("double") +
                    "#endif\n",
                "add") == "add");
  CHECK(name_of("#if A\n" + add("float") + "#else\n#endif\n#if B\n" + add("double") + "#endif\n",
                "add") == "add(float*, int)");
}

TEST_CASE("launches by a function of the runtime are found by their namespaces too") {
  const std::string text =
      "namespace a { " + add("float") + "}\nnamespace b { " + add("float") + R"(}
int main() {
  int n = 300, m = 700; float *x, *y;
  void* first[] = {&x, &n}; void* others[] = {&y, &m};
  cudaLaunchKernel((void*)b::add, dim3(3), dim3(100), first, 0, 0);
  cudaLaunchKernel((const void*)&a::add, dim3(7), dim3(100), others, 0, 0);
})";
  CHECK(sizes(drafted(text, "a::add")) == Json{700});
  CHECK(sizes(drafted(text, "b::add")) == Json{300});
}

TEST_CASE("the first of several launches is called so") {
  const auto json = drafted(add("float") + "int main() { float* x; " + launch("add", 20) +
                            launch("add", 30) + "}");
  CHECK(mark(json, "KernelSpecification.ProblemSize") ==
        "20 for n, as the first of 2 launches in the file passes them");
}

TEST_CASE("of several launches the one in most loops is taken") {
  for (const std::string head : {"for (int i = 0; i < 9; ++i) ", "while (again()) { if (ok) ",
                                 "for (;;) for (int i = 0; i < 9; ++i) if (ok) { f(); "}) {
    const auto json =
        drafted(add("float") + "int main() { float* x; for (;;) { break; } " + launch("add", 20) +
                head + launch("add", 30) + (head.find('{') == head.npos ? "" : "} ") + "}");
    CHECK(mark(json, "KernelSpecification.ProblemSize") ==
          "30 for n, as the first of 2 launches in the file that most loops repeat passes them");
  }
}

TEST_CASE("a launch that may be another kernel's is passed over, and marked") {
  const std::string two = add("float") + add("double");
  const auto json = drafted(two + "template <class T> void run(T* x) { " + launch("add", 20) + "}",
                            "add(double*, int)");
  CHECK(sizes(json) == Json{guessed});
  CHECK(mark(json, "KernelSpecification.GlobalSize") ==
        "the launch add<<<…>>>(x, 20) in the file may be one of add(float*, int) or of "
        "add(double*, int), and is not followed");
  const auto later = drafted(two + "template <class T> void run(T* x) { " + launch("add", 20) +
                                 "}\nint main() { double* x; " + launch("add", 30) + "}",
                             "add(double*, int)");
  CHECK(sizes(later) == Json{30});
  CHECK(mark(later, "KernelSpecification.GlobalSize").empty());
  // Branches of the preprocessor are one kernel.
  const auto branches = drafted("#ifdef FAST\n" + add("float") + "#else\n" + add("float") +
                                "#endif\nint main() { " + launch("add", 40) + "}");
  CHECK(sizes(branches) == Json{40});
  CHECK(mark(branches, "KernelSpecification.KernelName").empty());
}

namespace {

/// A kernel, a function that launches it, and what calls that.
std::string through(const std::string& caller) {
  return R"(
__global__ void sweep(float* y, const float* x, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) y[r * cols + c] = x[r * cols + c] + x[(r + 1) * cols + c];
}
void run(float* y, const float* x, int rows, int cols);
void run(float* y, const float* x, int rows, int cols) {
  sweep<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(y, x, rows, cols);
}
)" + caller;
}

std::string size_of(const Json& json, std::size_t i) {
  return json["KernelSpecification"]["Arguments"][i]["Size"];
}

} // namespace

TEST_CASE("what a function launches with is what its caller passes") {
  const auto json = drafted(through(R"(
int main() {
  const int H = 300, W = 500;
  int rows = 7, cols = 9; // of something else
  float *d_out, *d_in, *x, *y;
  cudaMalloc(&x, rows * sizeof(float));
  cudaMalloc(&y, cols * sizeof(float));
  cudaMalloc(&d_out, H * W * sizeof(float));
  cudaMalloc(&d_in, (H + 2) * W * sizeof(float));
  run(d_out, d_in, H, W);
})"));
  CHECK(json["Gridsmith"]["Extents"] == Json{"cols", "rows"});
  CHECK(sizes(json) == Json{500, 300});
  CHECK(size_of(json, 0) == "cols * rows");
  CHECK(size_of(json, 1) == "cols * rows + 2 * cols");
  CHECK(mark(json, "KernelSpecification.Arguments[1].Size") ==
        "cols * rows + 2 * cols elements of x, as the file allocates them");
}

namespace {

/// How the output is reached of a kernel that writes some elements, launched between these statements.
std::string access_of_output(const std::string& before, const std::string& after) {
  const auto json = drafted(R"(
__global__ void mark(char* found, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) found[i] = x[i] > 0.5f;
}
int main() {
  const int n = 4096;
  char *d_found, *d_other; float* d_x;
  cudaMalloc((void**)&d_found, n); cudaMalloc((void**)&d_x, n * sizeof(float));
)" + before + "mark<<<16, 256>>>(d_found, d_x, n);" +
                            after + "}");
  const auto& output = json["KernelSpecification"]["Arguments"][0];
  CHECK(output["FillType"] == "Constant");
  CHECK(output["FillValue"] == 0);
  const std::string access = output["AccessType"];
  CHECK(mark(json, "KernelSpecification.Arguments[0].AccessType") ==
        (access == "ReadWrite" ? "ReadWrite for found: it starts as zeros, as the file fills it"
                               : ""));
  return access;
}

} // namespace

TEST_CASE("an output that the file fills with zeros before the launch starts as zeros") {
  for (const char* zeroed :
       {"cudaMemset(d_found, 0, n);", "check(cudaMemsetAsync((void*)d_found, 0, n, stream));",
        "while (more()) { cudaMemset(d_found, 0, n);} "}) {
    INFO(zeroed);
    CHECK(access_of_output(zeroed, "") == "ReadWrite");
  }
  for (const char* not_zeroed :
       {"", "cudaMemset(d_found, 1, n);", "cudaMemset(d_other, 0, n);", "memset(d_found, 0, n);",
        "cudaMemset(d_found + 1, 0, n);", "cudaMemset2D(d_found, 64, 0, 64, 64);"}) {
    INFO(not_zeroed);
    CHECK(access_of_output(not_zeroed, "cudaMemset(d_found, 0, n);") == "WriteOnly");
  }
  const auto json = drafted(through(R"(
int main() {
  float *d_out, *d_in;
  cudaMalloc(&d_out, 6400); cudaMalloc(&d_in, 6400);
  cudaMemset(d_out, 0, 6400);
  run(d_out, d_in, 40, 40);
})"));
  CHECK(json["KernelSpecification"]["Arguments"][0]["AccessType"] == "ReadWrite");
}

TEST_CASE("what several callers pass is taken where it is the same") {
  const std::string callers = R"(
void allocate(float** p, int n) { cudaMalloc((void**)p, n * sizeof(float)); }
void first() { float *a, *b; cudaMalloc(&a, 6400); allocate(&b, 1640); run(a, b, 40, 40); }
)";
  const auto same = drafted(through(callers + R"(
void second() { float *c, *d; cudaMalloc(&c, 6400); allocate(&d, 1640); run(c, d, 40, 40); })"));
  CHECK(sizes(same) == Json{40, 40});
  CHECK(size_of(same, 0) == "cols * rows");
  CHECK(size_of(same, 1) == "cols * rows + cols");
  const auto other = drafted(through(callers + R"(
void second() { float *c, *d; cudaMalloc(&c, 64); allocate(&d, 80); run(c, d, 4, 4); })"));
  CHECK(sizes(other) == Json{2048, 2048});
  CHECK(mark(other, "KernelSpecification.ProblemSize") == "2048 x 2048 for cols x rows");
  CHECK_THAT(mark(other, "KernelSpecification.Arguments[0].Size"),
             contains_text("what the file allocates is no plain number"));
}

TEST_CASE("a parameter is no constant of its name, and a variable of none is everyone's") {
  const auto json = drafted(R"(
const int n = 12;
float* x;
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void setup(int count) { x = nullptr; cudaMalloc(&x, (count + 5) * sizeof(float)); }
void run(int n) { f<<<(n + 63) / 64, 64>>>(x, n); }
int main() { setup(640); run(640); })");
  CHECK(sizes(json) == Json{640});
  CHECK(size_of(json, 0) == "645");
}

TEST_CASE("a grid and a block that are passed as dim3 are the caller's") {
  const auto json = drafted(R"(
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void run(float* x, int n, dim3 g, dim3 b) { f<<<g, b>>>(x, n); }
int main() { int g = 3, count = 640; float* x; dim3 block(64), grid((count + block.x - 1) / block.x);
  run(x, count, grid, block); })");
  const auto macro = drafted(R"(
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() {
  int count = 640; float* x;
  CHECKED("set up") dim3 block(64); CHECKED("again") f<<<10, block>>>(x, count); })");
  CHECK(macro["KernelSpecification"]["LocalSize"]["X"] == "64");
  CHECK(sizes(json) == Json{640});
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
  CHECK(json["ConfigurationSpace"]["TuningParameters"][0]["Default"] == 64);
  CHECK(json["Gridsmith"]["Guesses"].size() == 1); // the problem's size
}

TEST_CASE("a kernel of a header has the host code of the file that includes it") {
  const std::string main = R"(
#include "inc/scale.cuh"
#include "scale.cuh"
__global__ void unused(float* x) { x[0] = 1; }
int main() {
  const int count = 700;
  float* d; cudaMalloc(&d, (count + PAD) * sizeof(float));
  scale<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(d, count);
})";
  const std::string header = R"(#pragma once
#include "scale.cuh"
#define BLOCK 128
constexpr int PAD = 4;
__constant__ float factors[8];
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= factors[i % 8];
})";
  const auto whole = make_bundle({"app.cu", main}, {{"inc/scale.cuh", header}});
  const ReadSource source(whole);
  const KernelSignature& kernel = kernel_named(source, "scale", "app.cu");
  CHECK_FALSE(source.has(kernel));
  CHECK(kernel_named(source, "", "app.cu").name == "unused");
  const KernelChoice choice = choice_of(source, kernel);
  const auto json = draft_of(source, kernel, choice, std::nullopt, "app.cu").json;
  CHECK(sizes(json) == Json{700});
  CHECK(size_of(json, 0) == "n + 4");
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / BLOCK)");
  CHECK(json["KernelSpecification"]["Arguments"][2]["Name"] == "factors");
  CHECK(choice.rewritten.contains("BLOCK"));

  const ReadSource part(make_bundle({"scale.cuh", header}), {},
                        make_bundle({"app.cu", main}, {{"scale.cuh", header}}));
  const KernelSignature& same = kernel_named(part, "", "scale.cuh");
  CHECK(part.has(same));
  const auto by_part = draft_of(part, same, choice_of(part, same), std::nullopt, "scale.cuh").json;
  CHECK(by_part["KernelSpecification"]["Arguments"] == json["KernelSpecification"]["Arguments"]);
  CHECK(sizes(by_part) == Json{700});
}

TEST_CASE("a lambda that launches is a function, whose parameters hide what is around it") {
  const auto json = drafted(R"(
__global__ void mul(float* z, const float* x, int n) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) z[i] = 2 * x[i];
}
int main() {
  int n = 17, extra = 3;
  float *a, *b, *x;
  cudaMalloc(&x, n); cudaMalloc(&other.b, n);
  cudaMalloc(&a, (4096 + extra) * sizeof(float)); cudaMalloc(&b, 4096 * sizeof(float));
  auto run = [&](float* z, const float* x, int n) { mul<<<(n + 255) / 256, 256>>>(z, x, n); };
  run(b, a, 4096);
  mine([](int n) { return n; });
})");
  CHECK(sizes(json) == Json{4096});
  CHECK(size_of(json, 0) == "n");
  CHECK(size_of(json, 1) == "4099");
}

TEST_CASE("what a launch or a call leaves out has its default") {
  const auto json = drafted(R"(
__global__ void f(float* x, int n, float gain = 1.5f, int step = 3) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) x[i] *= gain * step;
}
void run(float* x, float gain, int n = 512) { f<<<(n + 255) / 256, 256>>>(x, n, gain); }
int main() { float* x; run(x, 0.25f); })",
                            "::f");
  CHECK(sizes(json) == Json{512});
  CHECK(json["KernelSpecification"]["Arguments"][2]["FillValue"] == 0.25);
  CHECK(json["KernelSpecification"]["Arguments"][3]["FillValue"] == 3);
}

TEST_CASE("rows of a block without threads along them are no threads") {
  const auto json = drafted(R"(
#define ROWS_PER_BLOCK 4
__global__ void f(float* x, int rows, int cols) {
  int c = threadIdx.x + blockDim.x * blockIdx.x;
  for (int r = blockIdx.y * ROWS_PER_BLOCK; r < rows && r < (blockIdx.y + 1) * ROWS_PER_BLOCK; ++r)
    if (c < cols) x[r * cols + c] = 1;
})");
  CHECK_FALSE(json["KernelSpecification"]["LocalSize"].contains("Y"));
}

} // namespace draft_launch_test
