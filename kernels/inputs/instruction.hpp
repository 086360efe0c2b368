// The instructions of an expression's program for a stack; stack_program.hpp runs them. Host and device
// share this text.
#pragma once

#include <cstdint>

namespace gridsmith {

enum class Operation : std::uint64_t {
  integer, ///< pushes the operand's bits …
  real,
  index, ///< … or the element's index
  negate,
  absolute,
  logical_not,
  floor,
  ceil,
  round,
  truncate,
  power, ///< by the operand, a whole number
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  min,
  max,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  select, ///< of condition, then, else
};

constexpr bool takes_two(Operation operation) {
  return operation >= Operation::add && operation <= Operation::logical_or;
}

struct Instruction {
  std::uint64_t operation = 0; ///< an Operation
  std::uint64_t operand = 0;   ///< bits
};

constexpr std::uint64_t deepest_program = 24; ///< numbers on the stack

} // namespace gridsmith
