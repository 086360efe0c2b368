#include "gridsmith/search/formula/formula.hpp"

#include "gridsmith/base/expression/parser.hpp"
#include "gridsmith/search/formula/emit.hpp"
#include "gridsmith/search/formula/machine.hpp"
#include "gridsmith/search/formula/resolve.hpp"

#include <string>
#include <utility>

namespace gridsmith {

struct ElementFormula::Compiled {
  std::string text;
  bool real = false;
  std::uint32_t result = 0; ///< the register
  detail::Machine machine;
};

namespace {

constexpr std::size_t longest_formula = 10'000; // characters: what people write is far shorter

detail::Register register_of(const ElementNumber& number) {
  detail::Register made;
  if (const auto* real = std::get_if<double>(&number))
    made.real = *real;
  else
    made.whole = std::get<std::int64_t>(number);
  return made;
}

} // namespace

ElementFormula::ElementFormula(std::string_view text, FormulaNames names)
    : compiled_(std::make_unique<Compiled>()) {
  if (text.size() > longest_formula)
    detail::fail_at(text, longest_formula,
                    "it has " + std::to_string(text.size()) + " characters, the limit is " +
                        std::to_string(longest_formula));
  detail::ExpressionArena arena(text);
  detail::ExpressionParser parser(arena, detail::Syntax::formula);
  const ExpressionNode& root = *parser.expression();
  parser.expect_end();
  const auto meanings = detail::Resolver(arena, names).resolve(root);
  detail::Machine& machine = compiled_->machine;
  machine.registers.emplace_back(); // of `i`
  for (const auto& [name, number] : names.numbers)
    machine.registers.push_back(register_of(number));
  compiled_->result = detail::Emitter(arena, meanings, machine).emit_all(root);
  compiled_->real = meanings[static_cast<std::size_t>(&root - arena.nodes.get())].real;
  compiled_->text = text;
  machine.vectors = std::move(names.vectors);
}

ElementFormula::~ElementFormula() = default;
ElementFormula::ElementFormula(ElementFormula&&) noexcept = default;
ElementFormula& ElementFormula::operator=(ElementFormula&&) noexcept = default;

bool ElementFormula::gives_real() const {
  return compiled_->real;
}

std::optional<ElementNumber> ElementFormula::element(std::uint64_t index,
                                                     Clock::time_point deadline) {
  detail::Machine& machine = compiled_->machine;
  machine.registers[detail::index_register].whole = static_cast<std::int64_t>(index);
  machine.deadline = deadline;
  machine.run();
  if (!machine.fault.empty())
    throw EvaluationError(detail::place_in(compiled_->text, machine.fault_column) + ": " +
                          machine.fault);
  if (machine.late)
    return std::nullopt;
  const detail::Register& result = machine.registers[compiled_->result];
  return compiled_->real ? ElementNumber(result.real) : ElementNumber(result.whole);
}

} // namespace gridsmith
