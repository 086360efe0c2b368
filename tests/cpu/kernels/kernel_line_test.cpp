// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/tests/catch.hpp"

namespace kernel_line_test {

using namespace gridsmith;

TEST_CASE("where a kernel has its name, past launch bounds and what only calls it") {
  const char* source = "__device__ void scale(int);\n"
                       "template <typename T>\n"
                       "__global__ void other(T* o) { scale(1); }\n"
                       "extern \"C\" __global__ void __launch_bounds__(max(64, (N)))\n"
                       "scale(float* o) {}\n"
                       "namespace ns {\n"
                       "__global__ void rescale (float* o) {}\n"
                       "}\n";
  CHECK(kernel_line(source, "scale") == 5);
  CHECK(kernel_line(source, "other<float>") == 3);
  CHECK(kernel_line(source, "ns::rescale") == 7);
  CHECK(kernel_line(source, "ns::rescale(ns::Grid*)") == 7);
  CHECK(kernel_line(source, "none") == 0);
  CHECK(kernel_line("", "scale") == 0);
  CHECK(kernel_line("__global__ void scale(", "scale") == 1);
  CHECK(kernel_line("__global__ void __launch_bounds__(64", "scale") == 0);
  CHECK(kernel_line("__global__", "scale") == 0);
  CHECK(kernel_names(source) == std::vector<std::string>{"other", "scale", "rescale"});
  CHECK(kernel_names("// a __global__ function\n__global__ void scale(").empty());
  CHECK(kernel_names("__global__ void f(int); __global__ void f(int) {}") ==
        std::vector<std::string>{"f"});
}

} // namespace kernel_line_test
