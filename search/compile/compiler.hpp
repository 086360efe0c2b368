// SPDX-License-Identifier: Apache-2.0
// From expressions to terms: names resolved, conjunctions and chains taken apart, and everything
// the terms cannot express (ordering of texts, for one) kept as an opaque call of the tree.
#pragma once

#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/search/compile/constraint.hpp"
#include "gridsmith/search/compile/names.hpp"
#include "gridsmith/search/compile/terms.hpp"

#include <span>
#include <string_view>
#include <unordered_map>
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

  /// What evaluate_opaque gives where the constraint has no answer; true like any number but 0.
  static constexpr Word too_large = 2;

  /// Evaluates an opaque term for value positions of the parameters: 0, 1, undefined or too_large.
  Word evaluate_opaque(Word index, std::span<const Position> positions) const;
  /// Of a term that is too_large there. @throws NumberTooLarge naming expression and values, always.
  [[noreturn]] void refuse_opaque(Word index, std::span<const Position> positions) const;

  /// Characters of the expression that an opaque term is part of: what it costs to evaluate.
  std::size_t opaque_size(Word index) const {
    return opaque_[static_cast<std::size_t>(index)].constraint->expression.text().size();
  }

private:
  friend NodeVisit;

  struct Opaque {
    const ExpressionNode* node;
    const Constraint* constraint;
  };

  void add_part(const ExpressionNode& node, bool split);
  void add_chain(const ExpressionNode& node);
  void add_root(TermId root);
  TermId opaque(const ExpressionNode& node);
  void collect_variables(const ExpressionNode& node, std::vector<TermId>& found);

  TermId value(const ExpressionNode& node);
  TermId truth(const ExpressionNode& node);
  TermId literal(const Value& value);
  TermId literal(const ExpressionNode& node);
  TermId name(const ExpressionNode& node);
  TermId variable(std::uint32_t parameter);
  void read_words(std::uint32_t parameter);
  TermId unary(const ExpressionNode& node);
  TermId chain(const ExpressionNode& node);
  TermId joined(Operator op, TermId left, TermId right);
  TermId comparison(const ExpressionNode& node);
  TermId relation(Operator op, TermId left, TermId right);
  TermId membership(TermId left, const ExpressionNode& list);
  TermId junction(const ExpressionNode& node);
  TermId conditional(const ExpressionNode& node);
  TermId call(const ExpressionNode& node);
  TermId extreme(const ExpressionNode& node);

  static TermId other(const ExpressionNode&) { return no_term; }

  bool holds(const Opaque& opaque, std::span<const Position> positions) const;
  Word identity(std::string_view text);

  const std::vector<Parameter>& parameters_;
  Names names_;
  TermTable terms_;
  std::vector<Conjunct> conjuncts_;
  std::vector<std::uint32_t> last_added_; ///< by term: index + 1 of the last constraint it is in
  std::vector<Opaque> opaque_;
  std::vector<TermId> variables_;        ///< per parameter; no_term before its first use
  std::vector<TermType> types_;          ///< per parameter
  std::vector<bool> opaque_only_;        ///< per parameter: values of different kinds
  std::vector<std::vector<Word>> words_; ///< per parameter, per position
  std::unordered_map<std::string_view, Word> texts_; ///< identities of text values
  const Constraint* current_ = nullptr;
  std::uint32_t current_index_ = 0;
};

} // namespace gridsmith::detail
