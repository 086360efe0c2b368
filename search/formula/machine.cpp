#include "gridsmith/search/formula/machine.hpp"

#include "gridsmith/base/expression/arithmetic.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace gridsmith::detail {
namespace {

constexpr std::uint32_t terms_per_look = 4096; // some 100 us

/// Integers of at most this size are the same in a double.
constexpr double exact_reals = 0x1p53;

template <class N>
N get(const Register* r, std::uint32_t place) {
  if constexpr (std::is_same_v<N, double>)
    return r[place].real;
  else
    return r[place].whole;
}

void set(Register* r, std::uint32_t place, std::int64_t value) {
  r[place].whole = value;
}

void set(Register* r, std::uint32_t place, double value) {
  r[place].real = value;
}

const FormulaStep* fail(const FormulaStep& at, Machine& machine, std::string why) {
  machine.fault = std::move(why);
  machine.fault_column = at.column;
  return nullptr;
}

const FormulaStep* fail(const FormulaStep& at, Machine& machine, Fault fault) {
  switch (fault) {
  case Fault::division_by_zero:
    return fail(at, machine, "division by zero");
  case Fault::overflow:
    return fail(at, machine, "the integer has more than 64 bits");
  case Fault::too_large:
    return fail(at, machine, "the number is too large, reals end at 1.8e308");
  default:
    return fail(at, machine, "the result is undefined");
  }
}

const FormulaStep* target(const FormulaStep& at, const Machine& machine) {
  return &machine.code[at.to];
}

template <class N>
const FormulaStep* give(Register* r, const FormulaStep& at, Machine& machine, Fault fault,
                        N result) {
  if (fault != Fault::none) [[unlikely]]
    return fail(at, machine, fault);
  set(r, at.to, result);
  return &at + 1;
}

// ---- two operands

template <Operator op, class N>
const FormulaStep* calculate(Register* r, const FormulaStep& at, Machine& machine) {
  const N a = get<N>(r, at.a), b = get<N>(r, at.b);
  if constexpr (op == Operator::power && !std::is_same_v<N, double>)
    if (b < 0)
      return fail(at, machine, "a negative power of an integer is no integer; write 2.0 for 2");
  N result = 0;
  const Fault fault = arithmetic<op>(a, b, result);
  return give(r, at, machine, fault, result);
}

template <Operator op, class N>
const FormulaStep* relate(Register* r, const FormulaStep& at, Machine& machine) {
  const N a = get<N>(r, at.a), b = get<N>(r, at.b);
  const bool holds = op == Operator::equal        ? a == b
                     : op == Operator::not_equal  ? a != b
                     : op == Operator::less       ? a < b
                     : op == Operator::less_equal ? a <= b
                     : op == Operator::greater    ? a > b
                                                  : a >= b;
  return give(r, at, machine, Fault::none, std::int64_t{holds});
}

template <bool greatest, class N>
const FormulaStep* choose(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, extreme(greatest, get<N>(r, at.a), get<N>(r, at.b)));
}

struct OperatorSteps {
  Operator op;
  Step whole, real;
};

template <Operator op>
constexpr OperatorSteps calculating{op, calculate<op, std::int64_t>, calculate<op, double>};
template <Operator op>
constexpr OperatorSteps relating{op, relate<op, std::int64_t>, relate<op, double>};

constexpr OperatorSteps operators[] = {
    calculating<Operator::add>,
    calculating<Operator::subtract>,
    calculating<Operator::multiply>,
    calculating<Operator::floor_divide>,
    calculating<Operator::modulo>,
    calculating<Operator::power>,
    {Operator::divide, nullptr, calculate<Operator::divide, double>},
    relating<Operator::equal>,
    relating<Operator::not_equal>,
    relating<Operator::less>,
    relating<Operator::less_equal>,
    relating<Operator::greater>,
    relating<Operator::greater_equal>,
};

// ---- one operand

const FormulaStep* absolute_whole(Register* r, const FormulaStep& at, Machine& machine) {
  return get<std::int64_t>(r, at.a) < 0 ? negate_whole(r, at, machine) : copy(r, at, machine);
}

const FormulaStep* absolute_real(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, std::abs(get<double>(r, at.a)));
}

template <Function function>
const FormulaStep* round_real(Register* r, const FormulaStep& at, Machine& machine) {
  const double real = get<double>(r, at.a);
  std::int64_t result = 0;
  const Fault fault = std::isnan(real) ? Fault::domain : whole<function>(real, result);
  return give(r, at, machine, fault, result);
}

template <Function function>
const FormulaStep* transform(Register* r, const FormulaStep& at, Machine& machine) {
  const double a = get<double>(r, at.a);
  double result = 0;
  Fault fault = Fault::none;
  if constexpr (function == Function::log2) {
    fault = binary_logarithm(a, result);
  } else if constexpr (function == Function::sqrt) {
    fault = a < 0 ? Fault::domain : Fault::none;
    result = std::sqrt(a);
  } else {
    result = std::exp(a);
    fault = std::isinf(result) && std::isfinite(a) ? Fault::too_large : Fault::none;
  }
  return give(r, at, machine, fault, result);
}

struct FunctionSteps {
  Function function;
  Step whole, real;
};

constexpr FunctionSteps functions[] = {
    {Function::abs, absolute_whole, absolute_real},
    {Function::ceil, copy, round_real<Function::ceil>},
    {Function::floor, copy, round_real<Function::floor>},
    {Function::round, copy, round_real<Function::round>},
    {Function::integer, copy, round_real<Function::integer>},
    {Function::log2, nullptr, transform<Function::log2>},
    {Function::sqrt, nullptr, transform<Function::sqrt>},
    {Function::exp, nullptr, transform<Function::exp>},
};

// ---- elements of vectors

const FormulaStep* outside(const FormulaStep& at, Machine& machine, std::int64_t index) {
  const FormulaVector& vector = machine.vectors[at.c];
  return fail(at, machine,
              fmt::format("index {} is outside '{}', which has elements 0 to {}", index,
                          vector.name, static_cast<std::int64_t>(vector.elements) - 1));
}

const FormulaStep* inexact(const FormulaStep& at, Machine& machine, std::int64_t index) {
  return fail(at, machine,
              fmt::format("element {} of '{}' is beyond 2^53, where integers are not exact here",
                          index, machine.vectors[at.c].name));
}

template <class N>
const FormulaStep* read_at(Register* r, const FormulaStep& at, Machine& machine,
                           std::int64_t index) {
  const FormulaVector& vector = machine.vectors[at.c];
  if (index < 0 || static_cast<std::uint64_t>(index) >= vector.elements) [[unlikely]]
    return outside(at, machine, index);
  const double number = vector.element(static_cast<std::uint64_t>(index));
  if constexpr (!std::is_same_v<N, double>)
    if (!(std::abs(number) <= exact_reals)) [[unlikely]]
      return inexact(at, machine, index);
  set(r, at.to, static_cast<N>(number));
  return &at + 1;
}

template <class N>
const FormulaStep* read(Register* r, const FormulaStep& at, Machine& machine) {
  return read_at<N>(r, at, machine, get<std::int64_t>(r, at.a));
}

/// In one, because most indices are sums.
template <class N>
const FormulaStep* read_at_sum(Register* r, const FormulaStep& at, Machine& machine) {
  std::int64_t index = 0;
  const Fault fault =
      arithmetic<Operator::add>(get<std::int64_t>(r, at.a), get<std::int64_t>(r, at.b), index);
  return fault == Fault::none ? read_at<N>(r, at, machine, index) : fail(at, machine, fault);
}

} // namespace

Step step_of(Operator op, bool real) {
  for (const OperatorSteps& steps : operators)
    if (steps.op == op)
      return real ? steps.real : steps.whole;
  return nullptr;
}

Step step_of(Function function, bool real) {
  for (const FunctionSteps& steps : functions)
    if (steps.function == function)
      return real ? steps.real : steps.whole;
  return nullptr;
}

Step extreme_step(Function function, bool real) {
  if (function == Function::max)
    return real ? choose<true, double> : choose<true, std::int64_t>;
  return real ? choose<false, double> : choose<false, std::int64_t>;
}

Step read_step(bool real, bool at_sum) {
  if (at_sum)
    return real ? read_at_sum<double> : read_at_sum<std::int64_t>;
  return real ? read<double> : read<std::int64_t>;
}

const FormulaStep* stop(Register*, const FormulaStep&, Machine&) {
  return nullptr;
}

const FormulaStep* copy(Register* r, const FormulaStep& at, Machine&) {
  r[at.to] = r[at.a];
  return &at + 1;
}

const FormulaStep* to_real(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, static_cast<double>(get<std::int64_t>(r, at.a)));
}

const FormulaStep* negate_whole(Register* r, const FormulaStep& at, Machine& machine) {
  std::int64_t result = 0;
  const Fault fault =
      arithmetic<Operator::subtract>(std::int64_t{0}, get<std::int64_t>(r, at.a), result);
  return give(r, at, machine, fault, result);
}

const FormulaStep* negate_real(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, -get<double>(r, at.a));
}

const FormulaStep* is_zero(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, std::int64_t{get<std::int64_t>(r, at.a) == 0});
}

const FormulaStep* is_nonzero_real(Register* r, const FormulaStep& at, Machine& machine) {
  return give(r, at, machine, Fault::none, std::int64_t{get<double>(r, at.a) != 0});
}

const FormulaStep* jump(Register*, const FormulaStep& at, Machine& machine) {
  return target(at, machine);
}

const FormulaStep* jump_if_zero(Register* r, const FormulaStep& at, Machine& machine) {
  return get<std::int64_t>(r, at.a) == 0 ? target(at, machine) : &at + 1;
}

const FormulaStep* jump_if_nonzero(Register* r, const FormulaStep& at, Machine& machine) {
  return get<std::int64_t>(r, at.a) != 0 ? target(at, machine) : &at + 1;
}

const FormulaStep* jump_if_none(Register* r, const FormulaStep& at, Machine& machine) {
  return get<std::int64_t>(r, at.a) <= 0 ? target(at, machine) : &at + 1;
}

const FormulaStep* require_some(Register* r, const FormulaStep& at, Machine& machine) {
  return get<std::int64_t>(r, at.a) <= 0
             ? fail(at, machine, "min() and max() of no terms: the count is not positive")
             : &at + 1;
}

const FormulaStep* jump_if_done(Register* r, const FormulaStep& at, Machine& machine) {
  if (get<std::int64_t>(r, at.a) != 0)
    return target(at, machine);
  set(r, at.a, std::int64_t{1});
  return &at + 1;
}

const FormulaStep* advance(Register* r, const FormulaStep& at, Machine& machine) {
  if (machine.patience-- == 0) [[unlikely]] {
    machine.patience = terms_per_look;
    machine.late = ElementFormula::Clock::now() > machine.deadline;
    if (machine.late)
      return nullptr;
  }
  return ++r[at.a].whole < r[at.b].whole ? target(at, machine) : &at + 1;
}

void Machine::run() {
  late = false;
  fault.clear();
  Register* const r = registers.data();
  for (const FormulaStep* at = code.data(); at;)
    at = at->step(r, *at, *this);
}

} // namespace gridsmith::detail
