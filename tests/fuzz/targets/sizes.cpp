// SPDX-License-Identifier: Apache-2.0
// The file and the items of --sizes.
#include "gridsmith/tests/fuzz/fuzz.hpp"
#include "gridsmith/tuner/session/size_list.hpp"
#include "gridsmith/tuner/session/size_pattern.hpp"

namespace gridsmith::fuzz::sizes {

void run(const std::uint8_t* bytes, std::size_t count) {
  KernelDefinition definition;
  definition.name = "k";
  definition.problem_sizes = {{{64, 64}}};
  const auto file = file_with(text_of(bytes, count), "sizes.txt");
  answered([&] {
    const SizeList list = size_list(file.string(), definition);
    require(list.problems.size() == list.weights.size(), "a size without a weight");
    for (const ProblemSize& problem : list.problems)
      require(problem.extents.size() == 2, "a size of other extents");
    for (const double weight : list.weights)
      require(weight > 0, "a weight that is none");
  });
  answered([&] {
    const auto pattern = size_pattern(text_of(bytes, count));
    if (pattern && count_of(*pattern) <= 4096)
      require(static_cast<double>(sizes_of(*pattern, 3).size()) == count_of(*pattern),
              "another number of sizes than counted");
  });
}

} // namespace gridsmith::fuzz::sizes
