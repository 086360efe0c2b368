// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith::detail {
namespace {

constexpr std::uint16_t deepest_term = 1000; // keeps the stack safe of all that walk terms
constexpr double last_places = 0x1p-50;      // what functions of reals may be off, relative
constexpr double little = 0x1p50; // taken off farthest once per nesting, it stays beyond word_limit

std::uint64_t hash_of(const Term& term, std::span<const TermId> arguments) {
  const auto kind = static_cast<std::uint64_t>(term.op) * 4 + static_cast<std::uint64_t>(term.type);
  std::uint64_t hash = mix(kind, static_cast<std::uint64_t>(term.word));
  for (const TermId argument : arguments)
    hash = mix(hash, argument);
  return hash;
}

double size_of(const Term& term) {
  return std::max(std::abs(term.low), std::abs(term.high));
}

bool has_zero(const Term& term) {
  return term.low <= 0 && term.high >= 0;
}

} // namespace

TermTable::TermTable() : interned_(128) {
  terms_.reserve(128);
  arguments_.reserve(256);
}

TermId TermTable::intern(Term term, std::span<const TermId> wanted) {
  const auto same = [&](TermId id) {
    const Term& other = terms_[id];
    return other.op == term.op && other.type == term.type && other.word == term.word &&
           other.mixed == term.mixed && std::ranges::equal(arguments(id), wanted);
  };
  const auto stored_hash = [this](TermId id) { return hash_of(terms_[id], arguments(id)); };
  const TermId id = interned_.intern(hash_of(term, wanted), same, stored_hash);
  if (id < terms_.size())
    return id;
  term.first = static_cast<std::uint32_t>(arguments_.size());
  term.count = static_cast<std::uint32_t>(wanted.size());
  arguments_.insert(arguments_.end(), wanted.begin(), wanted.end());
  terms_.push_back(term);
  return id;
}

TermId TermTable::constant(Word word, TermType type, double value, bool fallible) {
  Term term;
  term.type = type;
  term.word = word;
  term.low = term.high = value;
  term.fallible = fallible;
  return intern(term, {});
}

TermId TermTable::integer(Word value) {
  return constant(value, TermType::integer, static_cast<double>(value), value == undefined);
}

TermId TermTable::real(double value, bool mixed) {
  if (std::isinf(value))
    return no_term;
  const bool known = !std::isnan(value);
  Term term;
  term.type = TermType::real;
  term.word = to_word(value + 0.0);
  term.low = term.high = known ? value : 0;
  term.fallible = !known;
  term.mixed = mixed;
  return intern(term, {});
}

TermId TermTable::text(Word identity) {
  return constant(identity, TermType::text, 0, false);
}

TermId TermTable::variable(std::uint32_t index, TermType type, double low, double high,
                           bool mixed) {
  Term term;
  term.op = TermOp::variable;
  term.type = type;
  term.word = index;
  term.low = low;
  term.high = high;
  term.mixed = mixed;
  return intern(term, {});
}

TermId TermTable::opaque(Word index, std::span<const TermId> arguments) {
  Term term;
  term.op = TermOp::opaque;
  term.word = index;
  term.fallible = true;
  term.high = 1;
  return intern(term, arguments);
}

/// Adds an operation: folded when all is known, fallible when an argument is.
TermId TermTable::make(TermOp op, bool fallible, Range range, std::span<const TermId> wanted) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high))
    return no_term;
  Term term;
  term.op = op;
  term.type = gives_real(op) ? TermType::real : TermType::integer;
  term.fallible = fallible;
  term.low = range.low;
  term.high = range.high;
  bool known = true, whole = true;
  for (const TermId argument : wanted) {
    const Term& part = terms_[argument];
    known = known && part.op == TermOp::constant;
    whole = whole && (part.type == TermType::integer || part.mixed);
    term.fallible = term.fallible || part.fallible;
    term.depth = std::max(term.depth, static_cast<std::uint16_t>(part.depth + 1));
  }
  term.mixed = gives_real(op) && whole && op != TermOp::real_divide && op != TermOp::log2;
  if ((term.mixed && unsafe(range.low, range.high)) || term.depth > deepest_term)
    return no_term;
  const bool beyond = term.type == TermType::integer && wide(range.low, range.high);
  if (known && (beyond || (gathers(op) && !term.fallible)))
    return no_term; // how far is lost in a constant; what is folded there leaves no two
  if (known && gathers(op))
    return integer(undefined);
  if (known) {
    const auto word = [&](std::size_t i) { return i < wanted.size() ? terms_[wanted[i]].word : 0; };
    const Word value = apply(op, word(0), word(1), word(2));
    return gives_real(op) ? real(to_real(value), term.mixed) : integer(value);
  }
  return intern(term, wanted);
}

TermId TermTable::make(TermOp op, bool fallible, Range range,
                       std::initializer_list<TermId> arguments) {
  return make(op, fallible, range, std::span(arguments.begin(), arguments.size()));
}

TermId TermTable::as_real(TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::real)
    return a;
  if (term.type == TermType::text || unsafe(term.low, term.high))
    return no_term;
  return make(TermOp::to_real, false, {term.low, term.high}, {a});
}

/// Whether both are integers; else makes both reals. Nothing when that cannot be.
std::optional<bool> TermTable::both_integers(TermId& a, TermId& b) {
  if (terms_[a].type == TermType::integer && terms_[b].type == TermType::integer)
    return true;
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  return b == no_term ? std::nullopt : std::optional(false);
}

bool TermTable::is_plain_integer(TermId a) const {
  return terms_[a].type == TermType::integer && !unsafe(terms_[a].low, terms_[a].high);
}

TermId TermTable::gather(TermOp op, TermId a, TermId b) {
  const std::array<TermId, 2> both{a, b};
  return gather(op, both);
}

/// Where 64 bits may not hold the result it stops at farthest. Of a sum that may do so, no more than
/// a little may have the other sign: the part that is known first would decide.
TermId TermTable::gather(TermOp op, std::span<const TermId> parts) {
  const bool is_sum = op == TermOp::sum;
  const TermOp far = is_sum ? TermOp::add : TermOp::multiply;
  Word known = is_sum ? 0 : 1;
  double bound = is_sum ? 0 : 1, positive = 0, negative = 0;
  Range range{bound, bound};
  gathered_.clear();
  const auto take = [&](TermId id) {
    const Term& term = terms_[id];
    const double size = size_of(term);
    bound = is_sum ? bound + size : bound * std::max(1.0, size);
    positive += std::max(0.0, term.high);
    negative += std::max(0.0, -term.low);
    range =
        is_sum ? Range{range.low + term.low, range.high + term.high} : product_range(range, term);
    if (is_constant(id) && !term.fallible && bound <= word_limit)
      known = is_sum ? known + term.word : known * term.word;
    else
      gathered_.push_back(id);
  };
  for (const TermId part : parts) {
    if (terms_[part].op == op || terms_[part].op == far)
      std::ranges::for_each(arguments(part), take);
    else
      take(part);
  }
  if (!std::isfinite(bound) ||
      (is_sum && bound > word_limit && std::min(positive, negative) > little))
    return no_term;
  if (gathered_.empty())
    return integer(known);
  if (known != (is_sum ? 0 : 1))
    gathered_.push_back(integer(known));
  else if (gathered_.size() == 1)
    return gathered_.front();
  std::ranges::sort(gathered_);
  return make(bound <= exact_limit ? op : far, false, range, gathered_);
}

TermId TermTable::add(TermId a, TermId b) {
  const auto integers = both_integers(a, b);
  if (!integers)
    return no_term;
  if (*integers)
    return gather(TermOp::sum, a, b);
  const Range range{terms_[a].low + terms_[b].low, terms_[a].high + terms_[b].high};
  return make(TermOp::real_add, false, range, {a, b});
}

TermId TermTable::subtract(TermId a, TermId b) {
  const auto integers = both_integers(a, b);
  if (!integers)
    return no_term;
  if (*integers) {
    const TermId negative = gather(TermOp::product, integer(-1), b);
    return negative == no_term ? no_term : gather(TermOp::sum, a, negative);
  }
  const Range range{terms_[a].low - terms_[b].high, terms_[a].high - terms_[b].low};
  return make(TermOp::real_subtract, false, range, {a, b});
}

TermId TermTable::multiply(TermId a, TermId b) {
  const auto integers = both_integers(a, b);
  if (!integers)
    return no_term;
  if (*integers)
    return gather(TermOp::product, a, b);
  return make(TermOp::real_multiply, false, product_range(terms_[a], terms_[b]), {a, b});
}

Range TermTable::range_of_quotient(TermId a, TermId b) const {
  const Term &x = terms_[a], &y = terms_[b];
  if (y.low > 0 || y.high < 0) {
    const auto [low, high] =
        std::minmax({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
    return {low, high};
  }
  const double size = size_of(x); // a whole divisor: its size is 1 or more
  return {x.low >= 0 && y.low >= 0 ? 0 : -size, size};
}

Range TermTable::range_of_rest(TermId a, TermId b) const {
  const Term &x = terms_[a], &y = terms_[b];
  const bool positive = y.low >= 0;
  const double high = positive && x.low >= 0 ? std::min(x.high, y.high) : std::max(y.high, 0.0);
  return {positive ? 0 : y.low, high};
}

/// Whether it may be a fraction that is near 0 but not 0: no bound is known of what it divides.
bool TermTable::may_be_tiny(TermId divisor) const {
  const Term& term = terms_[divisor];
  return has_zero(term) && term.type == TermType::real && term.op != TermOp::to_real &&
         term.op != TermOp::constant;
}

TermId TermTable::divide(TermId a, TermId b) {
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  if (b == no_term || may_be_tiny(b))
    return no_term;
  return make(TermOp::real_divide, has_zero(terms_[b]), range_of_quotient(a, b), {a, b});
}

TermId TermTable::divide_whole(TermOp op, TermId a, TermId b) {
  const auto integers = both_integers(a, b);
  if (!integers || (*integers && !(is_plain_integer(a) && is_plain_integer(b))) ||
      (op == TermOp::floor_divide && may_be_tiny(b)))
    return no_term;
  Range range = op == TermOp::modulo ? range_of_rest(a, b) : range_of_quotient(a, b);
  if (op == TermOp::floor_divide) // a quotient of reals may be rounded to a neighbour first
    range = {std::floor(range.low) - (*integers ? 0 : 1),
             std::floor(range.high) + (*integers ? 0 : 1)};
  return make(*integers ? op : on_reals(op), has_zero(terms_[b]), range, {a, b});
}

TermId TermTable::power(TermId a, TermId b) {
  if (terms_[a].type == TermType::integer && terms_[b].type == TermType::integer) {
    if (!is_plain_integer(a) || !is_plain_integer(b))
      return no_term;
    const double bound = std::max(1.0, std::pow(size_of(terms_[a]), terms_[b].high));
    if (terms_[b].low >= 0)
      return make(TermOp::power, false, {terms_[a].low >= 0 ? 0 : -bound, bound}, {a, b});
    if (bound > exact_limit) // sometimes a real, sometimes an integer of many bits
      return no_term;
  }
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  if (b == no_term)
    return no_term;
  if (is_constant(a) && is_constant(b)) {
    double result = 0;
    const Fault fault =
        arithmetic<Operator::power>(to_real(terms_[a].word), to_real(terms_[b].word), result);
    return fault == Fault::too_large ? no_term : make(TermOp::real_power, true, {0, 0}, {a, b});
  }
  if (terms_[a].low <= 0) // a root of a negative number, a power near 0: left to the tree
    return no_term;
  const auto [low, high] = std::minmax(
      {power_of(terms_[a].low, terms_[b].low), power_of(terms_[a].low, terms_[b].high),
       power_of(terms_[a].high, terms_[b].low), power_of(terms_[a].high, terms_[b].high)});
  return make(TermOp::real_power, false, {low - low * last_places, high + high * last_places},
              {a, b});
}

TermId TermTable::absolute(TermId a) {
  const Term& term = terms_[a];
  const bool real = term.type == TermType::real;
  if (term.type == TermType::text || (!real && unsafe(term.low, term.high)))
    return no_term;
  const double low = term.low > 0 ? term.low : term.high < 0 ? -term.high : 0;
  return make(real ? TermOp::real_absolute : TermOp::absolute, false, {low, size_of(term)}, {a});
}

TermId TermTable::extreme(TermOp op, TermId a, TermId b) {
  const auto integers = both_integers(a, b);
  if (!integers)
    return no_term;
  if (a == b)
    return a;
  const bool greatest = op == TermOp::greatest;
  const Term &x = terms_[a], &y = terms_[b];
  const Range range{detail::extreme(greatest, x.low, y.low),
                    detail::extreme(greatest, x.high, y.high)};
  return make(*integers ? op : on_reals(op), false, range, {a, b});
}

TermId TermTable::whole(TermOp op, TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::integer)
    return a;
  if (term.type == TermType::text)
    return no_term;
  if (unsafe(term.low, term.high))
    return no_term;
  return make(op, false, {std::floor(term.low), std::ceil(term.high)}, {a});
}

TermId TermTable::log2(TermId a) {
  a = as_real(a);
  if (a == no_term)
    return no_term;
  const double least_log = -1074; // of the smallest positive double
  const double low = terms_[a].low > 0 ? logarithm_to_2(terms_[a].low) : least_log;
  const double high = terms_[a].high > 0 ? logarithm_to_2(terms_[a].high) : least_log;
  const auto off = [](double end) {
    return end == std::floor(end) ? 0 : std::abs(end) * last_places;
  };
  return make(TermOp::log2, terms_[a].low <= 0, {low - off(low), high + off(high)}, {a});
}

TermId TermTable::compare(TermOp op, TermId a, TermId b) {
  const bool texts = terms_[a].type == TermType::text && terms_[b].type == TermType::text;
  const bool equality = op == TermOp::equal || op == TermOp::not_equal;
  if ((terms_[a].type == TermType::text) != (terms_[b].type == TermType::text))
    return equality ? integer(op == TermOp::not_equal) : no_term; // a text never equals a number
  if (texts)
    return equality ? make(op, false, {0, 1}, {a, b}) : no_term;
  const auto integers = both_integers(a, b);
  if (!integers)
    return no_term;
  const Term &x = terms_[a], &y = terms_[b];
  if (*integers && wide(x.low, x.high) && wide(y.low, y.high))
    return no_term; // both may stand at farthest
  if (!x.fallible && !y.fallible && !unsafe(x.low, x.high) && !unsafe(y.low, y.high)) {
    const bool apart = x.high < y.low || y.high < x.low;
    if (equality && apart)
      return integer(op == TermOp::not_equal);
    if (op == TermOp::less && (x.high < y.low || x.low >= y.high))
      return integer(x.high < y.low);
    if (op == TermOp::less_equal && (x.high <= y.low || x.low > y.high))
      return integer(x.high <= y.low);
  }
  return make(*integers ? op : on_reals(op), false, {0, 1}, {a, b});
}

TermId TermTable::truth(TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::integer)
    return a;
  return term.type == TermType::text ? no_term : compare(TermOp::not_equal, a, real(0));
}

TermId TermTable::logical_not(TermId a) {
  a = truth(a);
  return a == no_term ? no_term : make(TermOp::logical_not, false, {0, 1}, {a});
}

TermId TermTable::logical(TermOp op, TermId a, TermId b) {
  const Term &x = terms_[a], &y = terms_[b];
  if (x.type != TermType::integer || y.type != TermType::integer)
    return no_term;
  const bool is_or = op == TermOp::logical_or;
  if (a == b)
    return a;
  if (!x.fallible && (x.low > 0 || x.high < 0))
    return is_or ? a : b;
  if (!x.fallible && x.low == 0 && x.high == 0)
    return is_or ? b : a;
  return make(op, false, {std::min(x.low, y.low), std::max(x.high, y.high)}, {a, b});
}

TermId TermTable::select(TermId condition, TermId a, TermId b) {
  condition = truth(condition);
  if (condition == no_term || !both_integers(a, b).value_or(false))
    return no_term; // of reals, an undefined integer condition would have to become a real
  const Term &x = terms_[a], &y = terms_[b];
  return make(TermOp::select, false, {std::min(x.low, y.low), std::max(x.high, y.high)},
              {condition, a, b});
}

} // namespace gridsmith::detail
