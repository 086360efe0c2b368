// SPDX-License-Identifier: Apache-2.0
// Candidates as people and programs write them, compiled by the real NVRTC and run by the fake of the worker, to which
// all results are right: what is refused before it runs, and what is not.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

namespace judged_sources_test {

using namespace gridsmith;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string body =
    " {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "    sum[i] = a[i] + b[i];\n}\n";
const std::string head = "extern \"C\" __global__ void vector_add(";
const std::string plain = head + "const float* a, const float* b, float* sum, int n)" + body;

class Bench {
public:
  Bench() {
    test::install_with_fakes(shell_.folder());
    const fs::path programs = shell_.folder() / "libexec" / "gridsmith";
    fs::copy(GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler", programs / "gridsmith-compiler",
             fs::copy_options::overwrite_existing);
    fs::copy(GRIDSMITH_PROGRAMS_DIR "/device_code", programs / "device_code",
             fs::copy_options::recursive);
  }

  Json judged(const std::string& file, const std::string& definition) const {
    shell_.run({"-c", "cd '" + shell_.folder().string() +
                          "'; export XDG_CACHE_HOME=$PWD/cache; bin/gridsmith judge '" + file +
                          "' --json --definition '" GRIDSMITH_SOURCE_DIR "/kernels/catalogue/" +
                          definition + "/" + definition + ".json'"});
    INFO(shell_.err());
    return verdict();
  }

  /// Of the gate that all go through first.
  Json compiles(const std::string& source) const {
    test::write(shell_.folder() / "c.cu", source);
    return judged("c.cu", "vector_add").at("gates").at(0);
  }

  /// The last one.
  Json verdict() const { return Json::parse(shell_.out()); }

private:
  test::Program shell_{"/bin/sh"};
};

} // namespace

TEST_CASE("a candidate is compiled however its author wrote the kernel") {
  const Bench bench;
  const auto right = [&](const std::string& source) {
    INFO(source);
    const Json gate = bench.compiles(source);
    INFO(gate);
    CHECK(gate.at("code") == "compiled");
    return gate.value("text", "");
  };
  right(plain);
  right("\xef\xbb\xbf" + plain);
  right("#define KERNEL extern \"C\" __global__ void\n"
        "KERNEL vector_add(const float* a, const float* b, float* sum, int n)" +
        body);
  right("#include <cuda_runtime.h>\n#include <cstdint>\n#include <cmath>\n" + head +
        "float const* __restrict__ a, float const* __restrict__ b, float* __restrict__ sum, "
        "std::int32_t const n)" +
        body);
  right(
      "#include <type_traits>\ntemplate <class T> constexpr bool real = std::is_same_v<T, float>;\n"
      "static_assert(real<float>);\n" +
      plain);
  right("extern __shared__ float buffer[];\n" + plain);
  right("namespace mine {\n" + plain.substr(11) + "}\n");
  right("namespace {\n" + plain.substr(11) + "}\n");
  CHECK(right("struct Pair { float x; float sum() const { return x; } };\n"
              "template <class T> using Real = std::conditional_t<sizeof(T) == 4, float, double>;\n"
              "static __device__ ulong twice(ulong x) { return std::max(x, 2 * x); }\n"
              "__device__ ulong four(Pair p, Real<int> y) { return twice(ulong(p.sum() + y)); }\n" +
              plain + "void launch() { vector_add<<<1, 1>>>(0, 0, 0, 0); }\n") ==
        "without its host code, which is not run");
  CHECK(right(plain + "int main() { vector_add<<<1, 1>>>(0, 0, 0, 0); return 0; }\n") ==
        "without its host code, which is not run");
  CHECK(
      right(
          "#include <torch/extension.h>\n#include <vector>\n" + plain +
          "torch::Tensor add(torch::Tensor a) {\n  vector_add<<<1, 1>>>(a.data_ptr<float>(), 0, 0, 0);\n"
          "  return a;\n}\n"
          "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"add\", &add); }\n") ==
      "without its host code, which is not run");
}

TEST_CASE("a candidate that reads a clock needs a person") {
  const Bench bench;
  std::string source = plain;
  source.replace(source.rfind('}'), 1, "  if (clock64() == 7)\n    sum[0] = 0;\n}");
  CHECK(bench.compiles(source).at("code") == "compiled");
  const Json verdict = bench.verdict();
  for (const Json& gate : verdict.at("gates"))
    if (gate.at("gate") == "possible") {
      CHECK(gate.at("code") == "reads_a_clock");
      CHECK(gate.at("text") == "a clock is read 1 time, in the incumbent 0 times");
    }
}

TEST_CASE("of the planted candidates those that read a clock are named") {
  const Bench bench;
  const auto reads = [&](const std::string& candidate, const std::string& definition) {
    return bench.judged(GRIDSMITH_SOURCE_DIR "/tests/planted/candidates/" + candidate, definition)
               .dump()
               .find("reads_a_clock") != std::string::npos;
  };
  CHECK(reads("fourth/convolution_paced.cu", "convolution"));
  CHECK(reads("second/c4_softmax.cu", "softmax"));
  CHECK_FALSE(reads("fourth/stencil_column.cu", "stencil"));
}

TEST_CASE("what is refused of a candidate, and at which line") {
  const Bench bench;
  const auto refused = [&](const std::string& source, const std::string& code,
                           const std::string& text) {
    INFO(source.substr(0, 200));
    const Json gate = bench.compiles(source);
    CHECK(gate.at("code") == code);
    CHECK_THAT(gate.value("text", ""), contains_text(text));
  };
  refused("", "no_kernel", "it has none");
  refused("// " + plain.substr(0, plain.find('\n')), "no_kernel", "it has none");
  refused("#if 0\n" + plain + "#endif\n", "no_kernel", "it has none");
  refused("\n" + plain + "int main() { return 0; }\n__device__ int f() { return wrong; }\n",
          "not_compiled", "c.cu(6)");
  refused(plain.substr(0, plain.size() - 2), "not_compiled", "expected a \"}\"");
  refused(head + "const float* a, const float* b, float* sum, unsigned n)" + body,
          "other_signature", "int n");
  refused("#if __has_include(\"/root/.profile\")\n#endif\n" + plain, "not_allowed", "outside");
  refused("#define block_size_x 1\n" + plain, "not_compiled", "defined again");
  refused("__global__ void vector_add(const float* a, const float* b, float* sum, int n) { n = " +
              std::string(20'000, '(') + "0" + std::string(20'000, ')') + "; }\n",
          "not_compiled", "the compiler was killed");
}

} // namespace judged_sources_test
