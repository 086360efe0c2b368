// SPDX-License-Identifier: Apache-2.0
// What choosing costs: ns per choose() of a header of matmul, by rule, compiler and number of
// configurations, at random problems of an H200; and per kernel the bytes of the header, and of the code
// and tables that it adds to a program. CompiledHeader here, as an application would.
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/cpu/results/shipped.hpp"

#include <fmt/format.h>

#include <iostream>

namespace bench_choice {

using namespace gridsmith;

namespace {

constexpr const char* source = R"(
#include "tuned.hpp"
#include <chrono>
#include <cstdio>
#include <vector>
int main() {
  const tuned::Device d = tuned::matmul::nvidia_h200::device();
  std::vector<tuned::matmul::Problem> list;
  unsigned long long state = 88172645463325252ull; // xorshift
  const auto extent = [&](int multiple) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::int64_t>(state % 8192) / multiple * multiple + multiple;
  };
  for (int i = 0; i < 4096; ++i) {
    const int multiple = i % 2 ? 4 : 1;
    list.push_back({extent(multiple), extent(multiple), extent(multiple)});
  }
  double best = 1e9;
  int sum = 0;
  for (int round = 0; round < 40; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& problem : list)
      if (const auto choice = tuned::matmul::choose(problem, d))
        sum += choice->index;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = took.count() / 4096 < best ? took.count() / 4096 : best;
  }
  std::printf("%8.1f ns%s\n", best, sum ? "" : " ");
}
)";

void measure(RuleKind rule, std::size_t configurations, const char* compiler) {
  const test::Folder folder;
  test::write(folder / "tuned.hpp",
              invented_header(catalogue_definition("matmul"), rule, configurations, 30));
  test::write(folder / "use.cpp", source);
  std::cout << fmt::format("{:<10} {:>3} configurations, 30 problems, {:<12}", to_text(rule),
                           configurations, compiler)
            << std::flush;
  if (!succeeds(fmt::format("cd '{}' && {} -std=c++17 -O2 use.cpp -o use && ./use",
                            folder.path().string(), compiler)))
    std::cout << "   not measured\n";
}

constexpr const char* use = R"(
#include "tuned.hpp"
extern "C" int chosen(const tuned::{0}::Problem& problem, const tuned::Device& device) {{
  const auto choice = tuned::{0}::choose(problem, device);
  return choice ? choice->index : -1;
}}
)";

void weigh(const std::string& kernel) {
  const test::Folder folder;
  const std::string header = invented_header(catalogue_definition(kernel));
  test::write(folder / "tuned.hpp", header);
  test::write(folder / "use.cpp", fmt::format(fmt::runtime(use), kernel));
  std::cout << fmt::format("{:<10} 10 configurations, 24 problems, header {:>7} bytes, program ",
                           kernel, header.size())
            << std::flush;
  if (!succeeds(fmt::format("cd '{}' && g++ -std=c++17 -O2 -c use.cpp -o use.o && size use.o | "
                            "awk 'NR == 2 {{ printf \"%7d bytes\\n\", $4 }}'",
                            folder.path().string())))
    std::cout << "   not measured\n";
}

} // namespace

int run(int, char**) {
  for (const char* kernel : {"matmul", "transpose", "copy", "reduction", "stencil", "histogram",
                             "vector_add", "divergence"})
    weigh(kernel);
  for (const RuleKind rule : {RuleKind::nearest, RuleKind::model, RuleKind::corrected})
    for (const std::size_t configurations : {4, 10})
      for (const char* compiler : {"g++", "clang++-19"})
        measure(rule, configurations, compiler);
  return 0;
}

const Bench entry("choice", run);

} // namespace bench_choice
