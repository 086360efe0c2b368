// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/solver.hpp"

#include "gridsmith/search/compile/compiler.hpp"
#include "gridsmith/search/compile/lower.hpp"
#include "gridsmith/search/compile/order.hpp"
#include "gridsmith/search/space/group_search.hpp"
#include "gridsmith/search/space/watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

namespace gridsmith::detail {
namespace {

constexpr double worth_pruning = 2000; // combinations of a group; below it the bounds cost more

class Solver {
public:
  Solver(const SpaceDefinition& definition, std::span<const std::uint32_t> chosen,
         const SpaceWatch& watch, SolveOptions options)
      : parameters_(definition.parameters), compiler_(parameters_, definition.facts), watch_(watch),
        options_(options) {
    for (const std::uint32_t index : chosen)
      compiler_.add(definition.constraints[index], index, !options.find_undefined);
  }

  Solution run() {
    set_up();
    if (possible_)
      for (const Conjunct& conjunct : compiler_.conjuncts())
        place(conjunct);
    if (possible_)
      build();
    return std::move(solution_);
  }

private:
  struct Part {
    std::uint32_t parameter = 0; ///< the first one
    Group group;                 ///< no roots: the one parameter is free
  };

  void set_up();
  void place(const Conjunct& conjunct);
  bool filter(const Conjunct& conjunct, TermId variable);
  Word evaluate(TermId id, Word word);
  void collect(TermId id);
  std::uint32_t representative(std::uint32_t parameter);
  std::vector<Part> parts();
  void build();
  ConfigurationGraph::NodeId add_free(std::uint32_t parameter, ConfigurationGraph::NodeId next);
  ConfigurationGraph::NodeId add_group(Group& group, ConfigurationGraph::NodeId next);
  void add_conflict(const std::vector<TermId>& variables);

  const std::vector<Parameter>& parameters_;
  ConstraintCompiler compiler_;
  Watch watch_;
  SolveOptions options_;
  Solution solution_;
  bool possible_ = true;
  std::vector<std::vector<Position>> values_; ///< left, by TermId of the variable
  std::vector<TermId> variable_of_;           ///< by parameter; no_term: no constraint reads it
  std::vector<std::uint32_t> joined_;         ///< union-find over parameters
  std::vector<Conjunct> joining_;             ///< those of two variables and more
  std::vector<TermId> found_;                 ///< variables of the conjunct at hand
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
  std::vector<Position> positions_;
  std::vector<std::uint32_t> levels_; ///< of the graph, last first
  std::uint64_t evaluated_ = 0;       ///< terms since the watch was told
};

void Solver::set_up() {
  const TermTable& terms = compiler_.terms();
  variable_of_.assign(parameters_.size(), no_term);
  joined_.resize(parameters_.size());
  for (std::uint32_t i = 0; i < joined_.size(); ++i)
    joined_[i] = i;
  values_.resize(terms.size());
  stamp_.resize(terms.size());
  positions_.resize(parameters_.size());
  for (TermId id = 0; id < terms.size(); ++id) {
    if (terms[id].op != TermOp::variable)
      continue;
    const auto parameter = static_cast<std::uint32_t>(terms[id].word);
    variable_of_[parameter] = id;
    values_[id].resize(parameters_[parameter].values.size());
    for (std::size_t i = 0; i < values_[id].size(); ++i)
      values_[id][i] = static_cast<Position>(i);
  }
}

/// Into found_: the variables below a term, each once.
void Solver::collect(TermId id) {
  if (stamp_[id] == round_)
    return;
  stamp_[id] = round_;
  if (compiler_.terms()[id].op == TermOp::variable)
    found_.push_back(id);
  for (const TermId argument : compiler_.terms().arguments(id))
    collect(argument);
}

/// The value of a term of at most one variable.
Word Solver::evaluate(TermId id, Word word) {
  const TermTable& terms = compiler_.terms();
  const Term& term = terms[id];
  ++evaluated_;
  if (term.op == TermOp::constant)
    return term.word;
  if (term.op == TermOp::variable)
    return word;
  if (term.op == TermOp::opaque) {
    evaluated_ += compiler_.opaque_size(term.word);
    return compiler_.evaluate_opaque(term.word, positions_);
  }
  const std::span<const TermId> from = terms.arguments(id);
  if (gathers(term.op)) {
    Word all = evaluate(from[0], word);
    for (const TermId argument : from.subspan(1))
      all = apply(term.op, all, evaluate(argument, word), 0);
    return all;
  }
  std::array<Word, 3> words{};
  for (std::size_t i = 0; i < from.size(); ++i)
    words[i] = evaluate(from[i], word);
  return apply(term.op, words[0], from.size() > 1 ? words[1] : words[0], words[2]);
}

/// Takes a conjunct of one variable out of the values of that variable. False: for some of them it
/// has no answer; what else is left of them decides whether that matters.
bool Solver::filter(const Conjunct& conjunct, TermId variable) {
  const auto parameter = static_cast<std::uint32_t>(compiler_.terms()[variable].word);
  const bool is_opaque = compiler_.terms()[conjunct.root].op == TermOp::opaque;
  bool answered = true;
  const auto fails = [&](Position position) {
    watch_.spend(std::exchange(evaluated_, 0), [] { return SpaceProgress(); });
    positions_[parameter] = position;
    const Word result = evaluate(conjunct.root, compiler_.word(parameter, position));
    solution_.met_undefined = solution_.met_undefined || result == undefined;
    answered = answered && !(is_opaque && result == ConstraintCompiler::too_large);
    return result == 0 || result == undefined;
  };
  std::vector<Position>& values = values_[variable];
  std::erase_if(values, fails);
  positions_[parameter] = 0;
  return answered;
}

void Solver::place(const Conjunct& conjunct) {
  solution_.fallible = solution_.fallible || compiler_.terms()[conjunct.root].fallible;
  ++round_;
  found_.clear();
  collect(conjunct.root);
  if (found_.empty()) {
    const Word result = evaluate(conjunct.root, 0);
    solution_.met_undefined = solution_.met_undefined || result == undefined;
    const Term& term = compiler_.terms()[conjunct.root];
    if (term.op == TermOp::opaque && result == ConstraintCompiler::too_large &&
        !options_.only_constrained)
      compiler_.refuse_opaque(term.word, positions_);
    if (result != 0 && result != undefined)
      return;
    possible_ = false;
    solution_.conflict = {conjunct.constraint};
    return;
  }
  if (found_.size() > 1 || !filter(conjunct, found_.front())) {
    joining_.push_back(conjunct);
    const TermTable& terms = compiler_.terms();
    const auto parameter = [&](TermId id) { return static_cast<std::uint32_t>(terms[id].word); };
    for (const TermId variable : found_) {
      const std::uint32_t a = representative(parameter(found_.front()));
      const std::uint32_t b = representative(parameter(variable));
      joined_[std::max(a, b)] = std::min(a, b);
    }
  }
}

std::uint32_t Solver::representative(std::uint32_t parameter) {
  while (joined_[parameter] != parameter)
    parameter = joined_[parameter] = joined_[joined_[parameter]];
  return parameter;
}

/// Groups and free parameters, by their first parameter.
std::vector<Solver::Part> Solver::parts() {
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of(parameters_.size(), ~0U);
  parts.reserve(parameters_.size());
  for (std::uint32_t p = 0; p < parameters_.size(); ++p) {
    const std::uint32_t first = representative(p);
    const bool constrained = variable_of_[p] != no_term;
    if (parameters_[p].values.size() == 1 && !constrained)
      continue;
    if (options_.only_constrained && !constrained)
      continue;
    solution_.product *= static_cast<double>(parameters_[p].values.size());
    if (part_of[first] == ~0U) {
      part_of[first] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back().parameter = p;
    }
    if (constrained)
      parts[part_of[first]].group.variables.push_back(variable_of_[p]);
  }
  for (const Conjunct& conjunct : joining_) {
    ++round_;
    found_.clear();
    collect(conjunct.root);
    const auto parameter = static_cast<std::uint32_t>(compiler_.terms()[found_.front()].word);
    parts[part_of[representative(parameter)]].group.roots.push_back(conjunct.root);
  }
  return parts;
}

ConfigurationGraph::NodeId Solver::add_free(std::uint32_t parameter,
                                            ConfigurationGraph::NodeId next) {
  std::vector<ConfigurationGraph::Branch> branches;
  branches.reserve(parameters_[parameter].values.size());
  if (variable_of_[parameter] != no_term)
    for (const Position position : values_[variable_of_[parameter]])
      branches.emplace_back(position, next);
  else
    for (std::size_t i = 0; i < parameters_[parameter].values.size(); ++i)
      branches.emplace_back(static_cast<Position>(i), next);
  levels_.push_back(parameter);
  return solution_.graph.add(branches);
}

ConfigurationGraph::NodeId Solver::add_group(Group& group, ConfigurationGraph::NodeId next) {
  const TermTable& terms = compiler_.terms();
  std::vector<std::uint32_t> domain(terms.size());
  double combinations = 1;
  for (const TermId variable : group.variables) {
    domain[variable] = static_cast<std::uint32_t>(values_[variable].size());
    combinations *= static_cast<double>(domain[variable]);
  }
  choose_order(terms, group, domain);
  const bool prune = combinations > worth_pruning && !options_.find_undefined;
  Program program = lower(compiler_, group, values_, prune);
  for (std::size_t i = group.variables.size(); i-- > 0;)
    levels_.push_back(program.levels[i].parameter);
  GroupSearch search(compiler_, std::move(program), parameters_.size(), solution_.graph, next,
                     watch_, options_);
  const ConfigurationGraph::NodeId node = search.run();
  solution_.met_undefined = solution_.met_undefined || search.met_undefined();
  return node;
}

/// The constraints that read one of these variables, each once.
void Solver::add_conflict(const std::vector<TermId>& variables) {
  const auto ours = [&](TermId id) { return std::ranges::find(variables, id) != variables.end(); };
  std::vector<std::uint32_t>& conflict = solution_.conflict;
  for (const Conjunct& conjunct : compiler_.conjuncts()) {
    ++round_;
    found_.clear();
    collect(conjunct.root);
    if (std::ranges::any_of(found_, ours) &&
        std::ranges::find(conflict, conjunct.constraint) == conflict.end())
      conflict.push_back(conjunct.constraint);
  }
}

/// From the last part to the first, each leading to the one after it.
void Solver::build() {
  std::vector<Part> all = parts();
  ConfigurationGraph::NodeId node = ConfigurationGraph::terminal;
  std::exception_ptr refused;
  for (std::size_t i = all.size(); i-- > 0 && node != ConfigurationGraph::dead;) {
    Group& group = all[i].group;
    const auto is_out = [this](TermId variable) { return values_[variable].empty(); };
    try {
      node = std::ranges::any_of(group.variables, is_out) ? ConfigurationGraph::dead
             : group.roots.empty()                        ? add_free(all[i].parameter, node)
                                                          : add_group(group, node);
    } catch (const NumberTooLarge&) { // it matters where no other part is empty
      refused = std::current_exception();
    }
    if (node == ConfigurationGraph::dead)
      add_conflict(group.variables);
  }
  if (refused && node != ConfigurationGraph::dead)
    std::rethrow_exception(refused);
  std::ranges::reverse(levels_);
  solution_.graph.finish(node, std::move(levels_));
}

} // namespace

Solution solve(const SpaceDefinition& definition, std::span<const std::uint32_t> chosen,
               const SpaceWatch& watch, SolveOptions options) {
  return Solver(definition, chosen, watch, options).run();
}

} // namespace gridsmith::detail
