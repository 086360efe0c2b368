// SPDX-License-Identifier: Apache-2.0
// What the library would launch on an H200, a line each: kernel, problem, options, match, expected ms. Fails where a
// plan is missing, or a pointer that is not aligned gets vectors.
#include "dense.hpp"

#include <cstdio>
#include <cstring>

namespace {

const dense::Gpu h200{90, 132, 232448, 4814.5};

bool show(const char* problem, const std::optional<dense::Plan>& plan) {
  if (plan)
    std::printf("%s\t%s\t%s\t%s\t%.4f\n", plan->kernel, problem, plan->options.c_str(), plan->match,
                plan->expected_ms);
  else
    std::printf("none\t%s\n", problem);
  return plan.has_value();
}

bool has(const std::optional<dense::Plan>& plan, const char* option) {
  return plan && plan->options.find(option) != std::string::npos;
}

} // namespace

int main() {
  bool right = show("8192x8192", dense::plan_transpose(h200, 8192, 8192));
  right &= show("1000x3000", dense::plan_transpose(h200, 1000, 3000));
  right &= show("5000x7001", dense::plan_transpose(h200, 5000, 7001));
  right &= show("4096x4096x4096", dense::plan_matmul(h200, 4096, 4096, 4096));
  right &= show("513x257x1025", dense::plan_matmul(h200, 513, 257, 1025));
  right &= show("2048x2048x2048", dense::plan_matmul(h200, 2048, 2048, 2048));
  right &= has(dense::plan_matmul(h200, 4096, 4096, 4096), "VECTOR=4");
  alignas(256) static const float data[64] = {};
  const auto shifted = dense::plan_matmul(h200, 4096, 4096, 4096, data + 1, data, data);
  right &= !has(shifted, "VECTOR=4"); // which would read beside what it should, or not at all
  right &= !has(dense::plan_transpose(h200, 8192, 8192, data + 1, data), "ELEMENTS=4");
  right &= !dense::plan_transpose(h200, 0, 8192).has_value();
  return right ? 0 : 1;
}
