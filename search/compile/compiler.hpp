// From expressions to terms: names resolved, conjunctions and chains taken apart, and everything
// the terms cannot express (ordering of texts, for one) kept as an opaque call of the tree.
#pragma once

#include "gridsmith/search/compile/terms.hpp"
#include "gridsmith/search/expression/constraint.hpp"
#include "gridsmith/search/expression/tree.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith::detail {

/// Something that has to hold: a constraint, or one part of its top-level `and` or chain.
struct Conjunct {
  TermId root;
  std::uint32_t constraint; ///< its index
};

class ConstraintCompiler {
public:
  /// Both are kept by reference. @throws InputError: a parameter named twice.
  ConstraintCompiler(const std::vector<Parameter>& parameters, const Bindings& facts);

  /// @param split take conjunctions apart; they then fail separately and earlier.
  /// @throws InputError: unknown name, with column and nearest
  void add(const Constraint& constraint, std::uint32_t index, bool split);

  const std::vector<Conjunct>& conjuncts() const { return conjuncts_; }

  const TermTable& terms() const { return terms_; }

  /// What a value of a parameter is to the terms. @pre a constraint reads that parameter
  Word word(std::uint32_t parameter, std::size_t position) const {
    return words_[parameter][position];
  }

  /// Evaluates an opaque term for value positions of the parameters.
  Word evaluate_opaque(Word index, std::span<const Position> positions) const;

private:
  struct Opaque {
    const ExpressionNode* node;
    const Constraint* constraint;
  };

  void add_part(const ExpressionNode& node, bool split);
  void add_chain(const ExpressionNode& node);
  TermId opaque(const ExpressionNode& node);
  void collect_variables(const ExpressionNode& node, std::vector<TermId>& found);

  TermId value(const ExpressionNode& node);
  TermId truth(const ExpressionNode& node);
  TermId literal(const Value& value);
  TermId name(const ExpressionNode& node);
  TermId variable(std::uint32_t parameter);
  void read_words(std::uint32_t parameter);
  TermId unary(const ExpressionNode& node);
  TermId binary(const ExpressionNode& node);
  TermId comparison(const ExpressionNode& node);
  TermId relation(Operator op, TermId left, TermId right);
  TermId membership(TermId left, const ExpressionNode& list);
  TermId junction(const ExpressionNode& node);
  TermId conditional(const ExpressionNode& node);
  TermId call(const ExpressionNode& node);
  TermId extreme(const ExpressionNode& node);

  Word identity(std::string_view text);
  const std::uint32_t* find_parameter(std::string_view name) const;
  const Value* find_fact(std::string_view name) const;
  [[noreturn]] void unknown(const ExpressionNode& node) const;

  const std::vector<Parameter>& parameters_;
  const Bindings& facts_;
  std::vector<std::pair<std::string_view, std::uint32_t>> index_; ///< by name, sorted
  TermTable terms_;
  std::vector<Conjunct> conjuncts_;
  std::vector<Opaque> opaque_;
  std::vector<TermId> variables_;        ///< per parameter; no_term before its first use
  std::vector<TermType> types_;          ///< per parameter
  std::vector<bool> opaque_only_;        ///< per parameter: values of different kinds
  std::vector<std::vector<Word>> words_; ///< per parameter, per position
  std::vector<std::string_view> texts_;  ///< of text values, by identity
  const Constraint* current_ = nullptr;
  std::uint32_t current_index_ = 0;
};

} // namespace gridsmith::detail
