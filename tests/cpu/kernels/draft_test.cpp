// SPDX-License-Identifier: Apache-2.0
// Definitions that are drafted from sources: signatures, sizes by use, block sizes, and what is cut.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/device_part.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tests/catch.hpp"

namespace draft_test {

using namespace gridsmith;

namespace {

ReadSource read(const std::string& text, const std::string& header = "") {
  return ReadSource(make_bundle({"k.cu", text}, {{"k.h", header}}));
}

nlohmann::ordered_json drafted(const std::string& text, const std::string& name = "") {
  const ReadSource source = read(text);
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
int main() {
  int m = 512, n = 100;
  product<<<dim3((n + TILE - 1) / TILE, 32), dim3(TILE, TILE)>>>(0, 0, 0, m, n, 1 << 10);
}
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
  CHECK(json["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{100, 512, 1024});
  CHECK(json["Gridsmith"]["Guesses"].size() == 2); // the problem's size, and 32 blocks
}

TEST_CASE("sizes, grid and values are the host code's, where that is plain") {
  const auto json = drafted(R"(
#define BLOCK 128
typedef float real;
__global__ void f(real* out, const real* in, const int* map, float2* pairs, float scale, int pitch, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (map[i] < n) { out[map[i] + pitch] = scale * in[map[i]]; pairs[map[i]].x = 0; }
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 3 * 1024;
  int rows = 4;
  if (argc > 2) rows = atoi(argv[2]);
  size_t count = n * (rows + 1);
  float scale = 1.0f / (float)rows;
  real *out, *in; int* map; float2* pairs;
  cudaMalloc((void**)&out, count * sizeof(real));
  CHECK(cudaMalloc(&in, sizeof(real) * n));
  cudaMalloc(&pairs, n * sizeof(float2));
  int unknown = measure(); int changes = 1; changes += 2;
  cudaMalloc(&map, unknown * 4);
  dim3 grid(n / BLOCK / 2, 1), block(BLOCK);
  f<<<grid, block>>>(out, in, map, pairs, scale, n * 2 + changes * 0, n);
})");
  const auto& spec = json["KernelSpecification"];
  const auto& marks = json["Gridsmith"]["Guesses"];
  CHECK(spec["ProblemSize"] == nlohmann::ordered_json{3072});
  CHECK(spec["GlobalSize"]["X"] == "n // BLOCK // 2");
  CHECK(std::string(marks["KernelSpecification.GlobalSize"]) ==
        "along X: n // BLOCK // 2 blocks, as the launch in the file has them");
  CHECK(size_of_argument(json, 0) == "5 * n");
  CHECK(size_of_argument(json, 1) == "n"); // as the kernel's use says, too
  CHECK(size_of_argument(json, 3) == "2 * n");
  CHECK(std::string(marks["KernelSpecification.Arguments[0].Size"]) ==
        "5 * n elements of out, as the file allocates them");
  CHECK(std::string(marks["KernelSpecification.Arguments[2].Size"]).find("no plain number") !=
        std::string::npos);
  CHECK(spec["Arguments"][4]["FillValue"] == 0.25);
  CHECK(spec["Arguments"][5]["FillValue"] == 1);      // of a variable that changes
  CHECK_FALSE(json["Gridsmith"].contains("Scalars")); // n is the extent n
}

namespace {

/// Of a kernel with a guard, launched by these statements.
nlohmann::ordered_json launched(const std::string& statements) {
  return drafted(R"(
__global__ void f(float* x, int n, int heads, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = blockIdx.y * parts; }
int main() { )" + statements +
                 "}");
}

} // namespace

TEST_CASE("a grid is what the launch has, and a formula only where that divides by the block") {
  const auto fixed = launched("int n = 200; f<<<1, 256>>>(x, n, 1, 1);");
  CHECK(fixed["KernelSpecification"]["GlobalSize"]["X"] == "1");
  CHECK(fixed["KernelSpecification"]["LocalSize"]["X"] == "256");
  CHECK(fixed["ConfigurationSpace"]["TuningParameters"].empty());
  CHECK(std::string(fixed["Gridsmith"]["Guesses"]["KernelSpecification.LocalSize.X"]) ==
        "256 threads, which are not tuned: the grid along X is 1 in the file, whatever the block");
  const auto named = launched("int n = 1024, batch = 8, h = 16; dim3 grid(batch, h * 2);"
                              "f<<<grid, 128>>>(x, n, h, 1);");
  CHECK(named["KernelSpecification"]["GlobalSize"] ==
        nlohmann::ordered_json({{"X", "8"}, {"Y", "2 * heads"}}));
  const auto made = launched("int n = 4096, h = n / 1024; f<<<dim3((n + 127) / 128, h), 128>>>"
                             "(x, n, h, 1);");
  CHECK(made["Gridsmith"]["Extents"] == nlohmann::ordered_json{"n"});
  CHECK(made["KernelSpecification"]["GlobalSize"]["Y"] == "n // 1024");
  const auto alone = drafted(R"(
__global__ void f(float* y, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 1; }
int main() { int n = 200; f<<<1, 256>>>(y, n); })");
  CHECK(alone["KernelSpecification"]["GlobalSize"]["X"] == "1");
  CHECK(alone["KernelSpecification"]["LocalSize"]["X"] == "block_size_x");
  const auto renamed = drafted(R"(
__global__ void f(float* y, int n) { int b = blockIdx.x; int i = threadIdx.x + b * blockDim.x; if (i < n) y[i] = 1; }
int main() { int n = 2000; f<<<8, 256>>>(y, n); })");
  CHECK(renamed["KernelSpecification"]["LocalSize"]["X"] == "256");
  for (const char* blocks : {"(1024 + 127) / 128", "1 + (1024 - 1) / 128", "(n + 127) / 128",
                             "ceil(n / 128.0)", "(n + t - 1) / t"}) {
    const auto json = launched("int t = 128, n = 1024; f<<<dim3(" + std::string(blocks) +
                               ", 1), t>>>(x, n, 1, 1);");
    CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
    CHECK_FALSE(json["ConfigurationSpace"]["TuningParameters"].empty());
  }
  const auto number = launched("f<<<(1000 + 127) / 128, 128>>>(x, read(), 1, 1);");
  CHECK(number["KernelSpecification"]["GlobalSize"]["X"] == "ceil(1000 / block_size_x)");
  const auto rounded = launched("int n = 1000; f<<<n / 128, 128>>>(x, n, 1, 1);");
  CHECK(rounded["KernelSpecification"]["GlobalSize"]["X"] == "n // block_size_x");
}

TEST_CASE("a scalar that depends on the block holds the block") {
  const auto json = launched("int n = 1000, bs = 128; int nb = (n + bs - 1) / bs;"
                             "f<<<nb, bs>>>(x, n, 1, nb);");
  CHECK(json["KernelSpecification"]["LocalSize"]["X"] == "128");
  CHECK(json["ConfigurationSpace"]["TuningParameters"].empty());
  CHECK(json["Gridsmith"]["Scalars"]["parts"] == "(n + 127) // 128");
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / 128)");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.LocalSize.X"));
  const auto macro = drafted(R"(
#define BLOCK 64
__global__ void f(float* x, int n, int parts) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = parts; }
int main() { int n = 100; f<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, n, (n + BLOCK - 1) / BLOCK); })");
  CHECK(macro["KernelSpecification"]["Arguments"][2]["FillValue"] == 2);
  CHECK(macro["ConfigurationSpace"]["TuningParameters"][0]["Values"] == nlohmann::ordered_json{64});
  CHECK(std::string(macro["Gridsmith"]["Guesses"]["KernelSpecification.Arguments[2].FillValue"])
            .find("with the default of BLOCK alone") != std::string::npos);
}

TEST_CASE("a block that is one variable along two axes is one parameter") {
  const auto json = drafted(R"(
__global__ void f(float* x, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) x[i * n + j] = 1; }
int main() { int n = 512, T = 16; int B = (n + T - 1) / T; dim3 block(T, T), grid(B, B);
  f<<<grid, block>>>(x, n); })");
  CHECK(json["KernelSpecification"]["LocalSize"] ==
        nlohmann::ordered_json({{"X", "block_size_x"}, {"Y", "block_size_x"}}));
  CHECK(json["KernelSpecification"]["GlobalSize"] ==
        nlohmann::ordered_json({{"X", "ceil(n / block_size_x)"}, {"Y", "ceil(n / block_size_x)"}}));
  CHECK(json["ConfigurationSpace"]["TuningParameters"].size() == 1);
  CHECK(json["ConfigurationSpace"]["Conditions"][0]["Expression"] ==
        "block_size_x * block_size_x <= 1024");
}

TEST_CASE("a block that the host has another name for is the macro that it comes from") {
  const auto json = drafted(R"(
#define THREADS 128
__global__ void f(float* x, int n) {
  __shared__ float all[THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = all[threadIdx.x]; }
int main() { int n = 512, wanted = THREADS; dim3 block(wanted);
  f<<<(n + wanted - 1) / wanted, block>>>(x, n); })");
  CHECK(json["KernelSpecification"]["LocalSize"]["X"] == "THREADS");
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / THREADS)");
  CHECK(json["ConfigurationSpace"]["TuningParameters"].size() == 1);
}

TEST_CASE("a shared array of a constant that the block is keeps the block of the launch") {
  const std::string kernel = R"(
__global__ void f(float* x, int n) {
  __shared__ float all[ROWS * 2];
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = all[threadIdx.x]; }
int main() { int n = 512; f<<<n / ROWS, dim3(ROWS, 1)>>>(x, n); })";
  const ReadSource source = read("#include \"k.h\"\n" + kernel, "#define ROWS 16\n");
  const KernelSignature& f = kernel_named(source, "f", "k.cu");
  const auto json = draft_of(source, f, choice_of(source, f), std::nullopt, "k.cu").json;
  CHECK(json["KernelSpecification"]["LocalSize"]["X"] == "16");
  CHECK(json["ConfigurationSpace"]["TuningParameters"].empty());
}

TEST_CASE("a loop over the host's elements hides no constant of the file") {
  for (const char* loop : {"i < N", "i < (N)", "N > i"}) {
    const auto json = drafted(std::string(R"(
const int N = 1 << 20;
const size_t M = 8ULL * 1024ULL;
__global__ void f(float* x, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = m; }
int main() {
  for (int i = 0; )") + loop + R"(; i++) host[i] = i;
  for (int i = 0; i < M; i++) host[i] += i;
  f<<<(N + 255) / 256, 256>>>(x, N, M);
})");
    CHECK(json["KernelSpecification"]["ProblemSize"][0] == 1048576);
    CHECK(json.dump().find("8192") != std::string::npos);
  }
  const auto hidden = drafted(R"(
const int N = 1 << 6;
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() { count_t N; read(N); f<<<1, 64>>>(x, N); })");
  CHECK(hidden["KernelSpecification"]["ProblemSize"][0] == 4194304);
}

TEST_CASE("sizeof of a pointer that is followed is its elements'") {
  for (const char* bytes : {"sizeof(*p)", "sizeof(p[0])", "sizeof *p", "sizeof p[0]"}) {
    std::string other = bytes;
    other.replace(other.find('p'), 1, "q");
    const auto json = drafted(std::string(R"(
char* q;
__global__ void f(float* x, char* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i] = 1; }
void other() { double* p; short* q; }
int main() {
  const int n = 500; float *a, *p = nullptr;
  cudaMalloc(&p, n * 2 * )") + bytes +
                              "); cudaMalloc(&q, " + other + " * n * 3); f<<<8, 64>>>(p, q, n); }");
    CHECK(size_of_argument(json, 0) == "2 * n");
    CHECK(size_of_argument(json, 1) == "3 * n");
  }
  const auto json = drafted(R"(
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void h(odd_t* p, int n) { cudaMalloc(&p, n * sizeof(*p)); f<<<8, 64>>>(p, n); })");
  CHECK(std::string(json["Gridsmith"]["Guesses"]["KernelSpecification.Arguments[0].Size"])
            .find("no plain number") != std::string::npos);
}

TEST_CASE("what is equal at guessed sizes alone is not the same") {
  const auto json = drafted(R"(
#define BOUND(x) x
__global__ void f(int nx, int ny, const float* in, float* out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < BOUND(nx) - 1 && j < BOUND(ny) - 1) out[i * ny + j] = in[i * ny + j + 1];
}
int main(int argc, char** argv) {
  int nx = atoi(argv[1]), ny = atoi(argv[2]);
  cudaMalloc(&in, sizeof(float) * ny * ny);
  dim3 block(32, 8), grid((ny + 31) / 32, (nx + block.y - 1) / block.y);
  f<<<grid, block>>>(nx, ny, in, out);
})");
  const auto& spec = json["KernelSpecification"];
  CHECK(spec["GlobalSize"]["X"] == "ceil(ny / block_size_x)");
  CHECK(spec["GlobalSize"]["Y"] == "(nx + block_size_y - 1) // block_size_y");
  CHECK(size_of_argument(json, 2) == "ny * ny");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[2].Size"));
}

TEST_CASE("values are of the function that launches, and of its only caller") {
  const std::string kernel = R"(
__global__ void k(float* o, int n, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = alpha;
}
void selftest() { int size = 7; float a = 0.25f; dim3 grid(4); }
)";
  const auto called = drafted(kernel + R"(
void run(float* o, int size, float a) {
  dim3 grid(1, 1);
  grid.x = (size + 255) / 256;
  k<<<grid, 256>>>(o, size, a);
}
int main() { run(o, 4000, 1.5f); })");
  CHECK(called["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{4000});
  CHECK(called["KernelSpecification"]["Arguments"][2]["FillValue"] == 1.5);
  CHECK(called["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
  const auto open = drafted(kernel + R"(
void run(float* o, int size, float a, dim3 grid) { k<<<grid, 256>>>(o, size, a); })");
  CHECK(open["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{4194304});
  CHECK(open["KernelSpecification"]["Arguments"][2]["FillValue"] == 1);
  const auto streamed = drafted(kernel + R"(
int main() { int size = 3; std::cin >> size; k<<<1, 256>>>(o, size, true); })");
  CHECK(streamed["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{4194304});
}

TEST_CASE("what is written by its address is an output, and none at all is marked") {
  const auto json = drafted("__global__ void f(float* const sum, const float* const x, int n) {"
                            "  int i = threadIdx.x + blockDim.x * blockIdx.x;"
                            "  if (i < n) atomicAdd(&(sum[0]), x[i]); }");
  CHECK(json["KernelSpecification"]["Arguments"][0]["Output"] == 1);
  CHECK_FALSE(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments"));
  const auto none = drafted("__global__ void f(const float* x, int n) { if (n < 3) print(x[0]); }");
  CHECK(none["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments"));
}

TEST_CASE("steps that are not the block's leave the grid open") {
  for (const char* index :
       {"small * blockIdx.x + threadIdx.x", "blockIdx.x * blockDim.y + threadIdx.y"}) {
    const auto json =
        drafted(std::string("__global__ void f(float* d, int cols, int small) { int x = ") + index +
                "; if (x < cols) d[x] = 1; }");
    CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.GlobalSize"));
  }
}

TEST_CASE("a bound of a remainder or a quotient of the index is none of the index") {
  for (const char* part :
       {"i % cols", "i / cols", "(blockIdx.x * blockDim.x + threadIdx.x) % cols"}) {
    const auto json = drafted(std::string(R"(
__global__ void f(float* out, const float* col, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; int c = )") +
                              part + R"(;
  float v = c >= cols ? 0 : col[c];
  if (i < rows * cols) out[i] = v;
})");
    CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil((cols * rows) / block_size_x)");
  }
}

TEST_CASE("a loop's bound holds for its variable alone") {
  const auto json = drafted(R"(
__global__ void f(const float* code, const float* A, float* out, int n) {
  __shared__ float smem[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) smem[i] = code[i];
  for (int64_t i = blockIdx.x * blockDim.x; i < full(n); i += gridDim.x * 64) { out[i] = A[i] * smem[0]; }
})");
  CHECK(size_of_argument(json, 0) == "256");
  CHECK(size_of_argument(json, 1) == "n");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[1].Size"));
  const auto later = drafted(R"(
__global__ void f(const float* taps, float* out, int n) {
  float s = 0;
  for (int i = 0; i < 5; ++i) for (int k = 0; k < 2; ++k) s += taps[i * 2 + k];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = s;
})");
  CHECK(size_of_argument(later, 0) == "10");
  CHECK(size_of_argument(later, 1) == "n");
  CHECK(later["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
}

TEST_CASE("what a macro reads and writes is seen") {
  const auto json = drafted(R"(
#define in(i, j) _in[(i) * w + (j)]
#define out(i, j) _out[(i) * w + (j)]
#define both(i) out(i, 0) + _more[i]
__global__ void f(float* _in, float* _out, float* _more, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w) out(i, 0) = in(i, 1) + both(i);
})");
  const auto& arguments = json["KernelSpecification"]["Arguments"];
  CHECK(arguments[0]["FillType"] == "Random");
  CHECK_FALSE(arguments[0].contains("Output"));
  CHECK(arguments[1]["Output"] == 1);
  CHECK(arguments[2]["AccessType"] == "ReadWrite");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[0].Size"));
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[2].Output"));
}

TEST_CASE("a bound of the block's index and a quotient of the thread's is one of the index") {
  const auto json = drafted(R"(
__global__ void f(float* out, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x / 4;
  if (row < rows) out[row] = 1;
})");
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(rows / block_size_x)");
}

TEST_CASE("default arguments hide no kernel") {
  const ReadSource source = read("void host(int n, int steps = 0) { n = steps; }\n"
                                 "__global__ void k(float* x, int n = 4) { x[n] = 0; }");
  REQUIRE(source.kernels.size() == 1);
  CHECK(source.kernels.front().name == "k");
}

TEST_CASE("macros of reals are read, and a size that rests on a guess is marked") {
  const auto json = drafted(R"(
#define STEP (-0.5f)
#define SHIFT (1 << 4)
__global__ void f(float* x, float step, int shift, int skip, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i + skip] = step * shift;
}
int main() { f<<<4, THREADS>>>(x, STEP, SHIFT, unknown(), 1024); })");
  const auto& arguments = json["KernelSpecification"]["Arguments"];
  const auto& marks = json["Gridsmith"]["Guesses"];
  CHECK(arguments[1]["FillValue"] == -0.5);
  CHECK(arguments[2]["FillValue"] == 16);
  CHECK(marks.contains("KernelSpecification.Arguments[0].Size"));
}

TEST_CASE("a host function stays out of the device part, whatever is in its body") {
  const auto part =
      device_part(*make_bundle({"k.cu", "template <int R> void reference(int n = 0) {\n"
                                        "  constexpr int twice = 2 * R; n = twice; }\n"
                                        "constexpr int half(int n) { return n / 2; }\n"
                                        "__global__ void k(int* x) { *x = half(4); }"}));
  CHECK(part.text.find("reference") == std::string::npos);
  CHECK(part.text.find("constexpr int half") != std::string::npos);
}

TEST_CASE("what the host code has, and is not plain, is marked") {
  const auto json = drafted(R"(
int chosen = 1;
__global__ void f(float* x, const float* y, int from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i;
  if (i < n && j < n) { j += from; x[i] = y[j]; }
}
void choose(char** argv) { chosen = atoi(argv[1]); }
int main() {
  cudaMalloc(reinterpret_cast<void**>(&d_x), sizeof(float) * 5000);
  cudaMalloc(&d_y, 5000 * sizeof(strange_t));
  f<<<blocks_of(5000), THREADS>>>(d_x, d_y, chosen, 5000);
})");
  const auto& spec = json["KernelSpecification"];
  const auto& marks = json["Gridsmith"]["Guesses"];
  CHECK(std::string(marks["KernelSpecification.LocalSize.X"]).find("THREADS, is no plain number") !=
        std::string::npos);
  CHECK(std::string(marks["KernelSpecification.GlobalSize"]).find("blocks_of(5000)") !=
        std::string::npos);
  CHECK(size_of_argument(json, 0) == "n"); // 5000
  CHECK_FALSE(marks.contains("KernelSpecification.Arguments[0].Size"));
  CHECK(marks.contains("KernelSpecification.Arguments[1].Size"));
  CHECK(spec["Arguments"][2]["FillValue"] == 1);
  CHECK(std::string(marks["KernelSpecification.Arguments[2].FillValue"]) ==
        "1 for from, which the host computes");
}

TEST_CASE("members of a dim3 and constants of headers are read") {
  const std::string kernel = R"(
__global__ void f(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() { dim3 block, grid; block.x = THREADS; grid.x = (LENGTH + block.x - 1) / block.x; f<<<grid, block>>>(x, LENGTH); })";
  const ReadSource source =
      read(kernel, "#define THREADS 64\n#ifdef SMALL\n#define LENGTH 10\n#else\n"
                   "#define LENGTH 9000\n#endif\n");
  const KernelSignature& f = source.kernels.front();
  const auto json = draft_of(source, f, choice_of(source, f), std::nullopt, "k.cu").json;
  CHECK(json["ConfigurationSpace"]["TuningParameters"][0]["Default"] == 64);
  CHECK(json["KernelSpecification"]["ProblemSize"] == nlohmann::ordered_json{4194304}); // of two
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(n / block_size_x)");
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

TEST_CASE("a __constant__ variable that the kernel reads is an argument, which it is not passed") {
  const auto json = drafted(R"(
#define R 3
__constant__ float taps[2 * R + 1][2];
__constant__ int other[4];
static __constant__ float given[2] = {1, 2};
__global__ void f(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = taps[0][1] + given[0];
})");
  const auto& arguments = json["KernelSpecification"]["Arguments"];
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[2]["Name"] == "taps");
  CHECK(arguments[2]["MemType"] == "Constant");
  CHECK(arguments[2]["Type"] == "float");
  CHECK(size_of_argument(json, 2) == "14");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[2]"));
}

TEST_CASE("__constant__ variables of one declaration, and those of functions that it calls") {
  const auto json = drafted(R"(
__constant__ float c_a, c_b[3], c_unused;
__constant__ int key[8];
__device__ int mix(int v) { return v ^ key[v & 7]; }
template <int N> __device__ int twice(int v) { return mix(mix(v)) + N; }
__device__ int never(int v) { return v ^ c_unused; }
__global__ void f(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = c_a * y[i] + c_b[2] + twice<3>(i) + twice(i);
})");
  std::vector<std::string> names;
  for (const auto& one : json["KernelSpecification"]["Arguments"])
    names.push_back(one["Name"]);
  CHECK(names == std::vector<std::string>{"y", "n", "c_a", "c_b", "key"});
  CHECK(size_of_argument(json, 3) == "3");
}

TEST_CASE("a variable that changes says nothing of a size") {
  const auto json =
      drafted("__global__ void f(const float* a, float* y, int w, int h, int layers) {"
              "  int i = blockDim.x * blockIdx.x + threadIdx.x; int c = i;"
              "  if (i < w) for (int k = 0; k < layers; ++k) { y[c] = a[c]; c += w * h; } }");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[0].Size"));
  CHECK(size_of_argument(json, 0) == "w * layers * h");
  CHECK(json["KernelSpecification"]["GlobalSize"]["X"] == "ceil(w / block_size_x)");
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

TEST_CASE("a macro of the build replaces what the file defines") {
  const std::string text = R"(
#ifndef BLOCKS
#define BLOCKS 32
#endif
__global__ void f(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = WIDE; }
int main() { cudaMalloc(&y, sizeof(float) * BLOCKS * 64 * WIDE); f<<<BLOCKS, 64>>>(y); })";
  const auto drafted_with = [&](const std::vector<std::string>& macros) {
    const ReadSource source(make_bundle({"k.cu", text}), macros);
    const KernelSignature& f = source.kernels.front();
    return draft_of(source, f, choice_of(source, f), std::nullopt, "k.cu").json;
  };
  CHECK(drafted_with({"WIDE=2"})["KernelSpecification"]["ProblemSize"][0] == 2048);
  const auto json = drafted_with({"BLOCKS=100", "WIDE"});
  CHECK(json["KernelSpecification"]["ProblemSize"][0] == 6400);
  CHECK(size_of_argument(json, 0) == "n");
}

TEST_CASE("a pointer into an array is marked: the draft passes the beginning") {
  const auto json = drafted(R"(
__global__ void f(float* y, const float* x, const float* z, const float* w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + z[i] + w[i]; }
int main() { f<<<4, 128>>>(&y[0], x + RADIUS, &z[4], (const float*)w, 512); })");
  const auto& guesses = json["Gridsmith"]["Guesses"];
  CHECK_FALSE(guesses.contains("KernelSpecification.Arguments[0].Size"));
  CHECK(guesses["KernelSpecification.Arguments[1].Size"] ==
        "n elements of x from its beginning: the launch in the file passes x+RADIUS");
  CHECK(guesses.contains("KernelSpecification.Arguments[2].Size"));
  CHECK_FALSE(guesses.contains("KernelSpecification.Arguments[3].Size"));
}

TEST_CASE("the compiler's types win over the text") {
  const ReadSource source =
      read("__global__ void f(real* y, Mode m, int n) { y[threadIdx.x] = m; }");
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

TEST_CASE("a struct by value is described as the source has it") {
  const ReadSource source = read(R"(
#define DEPTH 3
struct Pair { const float low, high[2]; };
typedef struct { int n[DEPTH][2]; unsigned char mark; Pair pair; float4 at; } Grid;
struct Bits { int a : 3; };
struct Node { Node* next; };
__global__ void f(Grid g, float4 v, float* x) { x[threadIdx.x] = v.x; })");
  const KernelSignature& kernel = source.kernels.front();
  const auto drafted_as = [&](const std::string& name) {
    const std::vector<ResolvedType> types{{name, false, false, ResolvedType::Kind::other, 56},
                                          {"float4", false, false, ResolvedType::Kind::other, 16},
                                          {"float*", true, false, ResolvedType::Kind::real, 4}};
    return draft_of(source, kernel, choice_of(source, kernel), types, "k.cu").json;
  };
  const auto json = drafted_as("Grid");
  const auto& types = json["Gridsmith"]["Types"];
  CHECK(types["Grid"]["Fields"] ==
        nlohmann::ordered_json{"int32 n[3][2]", "uint8 mark", "Pair pair", "float4 at"});
  CHECK(types["Grid"]["Source"] == "Grid");
  CHECK(types["Pair"]["Fields"] == nlohmann::ordered_json{"float low", "float high[2]"});
  const auto& arguments = json["KernelSpecification"]["Arguments"];
  CHECK(arguments[0]["Type"] == "Grid");
  CHECK(arguments[1]["Type"] == "float4");
  CHECK(json["Gridsmith"]["Guesses"].contains("KernelSpecification.Arguments[0].FillValue"));
  const ReadSource split = read("__global__ void g(Pair p, float* x) { *x = p.low; }",
                                "int n; struct Pair { float low; };");
  const std::vector<ResolvedType> of_header{{"Pair", false, false, ResolvedType::Kind::other, 4},
                                            {"float*", true, false, ResolvedType::Kind::real, 4}};
  const KernelSignature& g = split.kernels.front();
  CHECK(draft_of(split, g, choice_of(split, g), of_header, "k.cu")
            .json["Gridsmith"]["Types"]
            .contains("Pair"));
  for (const char* name : {"Bits", "Node", "Other"})
    CHECK_THROWS_WITH(drafted_as(name),
                      contains_text("a struct by value, " + std::string(name) + " of 56 bytes"));
}

TEST_CASE("pointers to pointers are refused") {
  const ReadSource source = read("__global__ void f(S s, float** p) {}");
  const KernelSignature& kernel = source.kernels.front();
  CHECK_THROWS_WITH(draft_of(source, kernel, choice_of(source, kernel), std::nullopt, "k.cu"),
                    contains_text("argument 2 (p) is a pointer to pointers"));
}

TEST_CASE("a kernel is chosen by its name") {
  const ReadSource source =
      read("namespace a { __global__ void f() {} } __global__ void g() {}\n"
           "#if 0\n__global__ void h() {}\n#endif\n// __global__ void i() {}\n");
  CHECK(kernel_named(source, "f", "k.cu").scope == "a::");
  CHECK_THROWS_WITH(kernel_named(source, "", "k.cu"),
                    contains_text("choose one with --kernel (valid: a::f, g)"));
  CHECK_THROWS_WITH(kernel_named(source, "h", "k.cu"), contains_text("unknown kernel"));
  CHECK_THROWS_AS(kernel_named(read("int x;"), "", "k.cu"), InputError);
  std::string many;
  for (int i = 0; i < 30; ++i)
    many += "__global__ void k" + std::to_string(i) + "() {}\n";
  CHECK_THROWS_WITH(kernel_named(read(many), "", "k.cu"), contains_text("k23 and 6 more)"));
  const ReadSource twice = read("namespace a { __global__ void f() {} }\n"
                                "namespace b { __global__ void f() {} }\n");
  CHECK(kernel_named(twice, "b::f", "k.cu").scope == "b::");
  CHECK_THROWS_WITH(kernel_named(twice, "f", "k.cu"),
                    contains_text("2 kernels are called f (valid: a::f, b::f)"));
}

TEST_CASE("the device part has no host code") {
  const auto part = device_part(*make_bundle({"k.cu", std::string("#include <vector>\n"
                                                                  "std::vector<int> all;\n") +
                                                          product}));
  CHECK(part.left_out == 3);
  CHECK(part.text.find("main") == std::string::npos);
  CHECK(part.text.find("vector") == std::string::npos);
  CHECK(part.text.find("__global__ void product") != std::string::npos);
  const auto aliased = device_part(*make_bundle({"k.cu", R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace fs = std::filesystem;
#define DEVICE __device__
#define BOTH __host__ DEVICE
const float half_of = 0.5f;
struct __attribute__((__packed__)) Atom { float x; int type; };
BOTH uint two() { return 2; }
__global__ void f(uint* x) { cg::this_grid(); *x = two(); })"}));
  CHECK(aliased.text.find("namespace cg = cooperative_groups;") != std::string::npos);
  CHECK(aliased.text.find("filesystem") == std::string::npos);
  CHECK(aliased.text.starts_with("typedef unsigned int uint;"));
  CHECK(aliased.text.find("Atom") != std::string::npos);
  CHECK(aliased.text.find("constexpr float half_of = 0.5f;") != std::string::npos);
  CHECK(aliased.text.find("BOTH uint two()") != std::string::npos);
}

TEST_CASE("the device part includes of the host's headers what it names") {
  const auto part = device_part(*make_bundle({"k.cu", R"(#include <vector>
#include <algorithm>
#include <cstdio>
__device__ float most(float a) { return std::min(a, FLT_MAX); }
__global__ void f(int32_t* x) { *x = most(INFINITY); }
int main() { std::vector<int> all; })"}));
  CHECK(part.text.starts_with("#include <algorithm>\n#include <cfloat>\n#include <cmath>\n"
                              "#include <cstdint>\n"));
  CHECK(part.text.find("vector") == std::string::npos);
  CHECK(part.text.find("cstdio") == std::string::npos);
  const auto types = device_part(*make_bundle({"k.cu", R"(#include <string>
template <class T> struct Kept { std::conditional_t<sizeof(T) == 4, float, double> x; };
struct Dropped { std::string x; };
__global__ void f(float* x) { *x = std::sqrt(*x); }
int main() { f<<<1, 1>>>(0); })"}));
  CHECK(types.text.starts_with("#include <cmath>\n#include <type_traits>\n"));
  CHECK(types.text.find("Kept") != std::string::npos);
  CHECK(types.text.find("Dropped") == std::string::npos);
}

TEST_CASE("template parameters come from a launch, else are guessed") {
  const std::string kernel = "template <typename T, int BLOCK> __global__ void f(T* x, int n) {"
                             "  int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = 1; }";
  const ReadSource plain = read(kernel),
                   launched = read(kernel + "void h() { f<double, 128><<<1, 128>>>(0, 1); }");
  const KernelChoice guessed = choice_of(plain, plain.kernels.front());
  CHECK(guessed.plain_name == "f<float, 256>");
  CHECK(guessed.name == "f<float, TUNED_BLOCK>");
  CHECK(guessed.guesses.size() == 1);
  CHECK(choice_of(launched, launched.kernels.front()).plain_name == "f<double, 128>");
  CHECK(drafted(kernel)["KernelSpecification"]["LocalSize"]["X"] == "TUNED_BLOCK");
}

} // namespace draft_test
