// SPDX-License-Identifier: Apache-2.0
// An element's value as an expression of its index: what is accepted has a value for every index.
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::programs {

void run(const std::uint8_t* bytes, std::size_t count) {
  static const Value extent = std::int64_t{12}, real = -0.5;
  answered([&] {
    const Expression expression = Expression::parse(text_of(bytes, count), Syntax::formula);
    const auto program = compile_program(expression, [](std::string_view name) -> const Value* {
      return name == "n" ? &extent : name == "x" ? &real : nullptr;
    });
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
      const auto run = [&] {
        FillMemory<false> memory;
        memory.sources = nullptr;
        memory.at(formula_index).whole = static_cast<std::int64_t>(index);
        run_formula(program.data(), memory);
        return bits_of_result(ElementType::float64, program.front().real,
                              formula_result(program.data(), memory));
      };
      require(run() == run(), "one index has two values");
    }
  });
}

} // namespace gridsmith::fuzz::programs
