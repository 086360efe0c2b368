#include "gridsmith/search/compile/terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith::detail {
namespace {

constexpr double word_limit = 0x1p63;
constexpr double largest_quotient = 1e300; // of a division by a real that may be near 0

std::uint64_t hash_of(const Term& term, std::span<const TermId> arguments) {
  const auto kind = static_cast<std::uint64_t>(term.op) * 4 + static_cast<std::uint64_t>(term.type);
  std::uint64_t hash = mix(kind, static_cast<std::uint64_t>(term.word));
  for (const TermId argument : arguments)
    hash = mix(hash, argument);
  return hash;
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
           std::ranges::equal(arguments(id), wanted);
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

TermId TermTable::constant(Word word, TermType type, double low, double high, bool fallible) {
  Term term;
  term.type = type;
  term.word = word;
  term.low = low;
  term.high = high;
  term.fallible = fallible;
  return intern(term, {});
}

TermId TermTable::integer(Word value) {
  const auto real = static_cast<double>(value);
  return constant(value, TermType::integer, real, real, value == undefined);
}

TermId TermTable::real(double value) {
  if (std::isinf(value))
    return no_term;
  const bool known = !std::isnan(value);
  return constant(to_word(value + 0.0), TermType::real, known ? value : 0, known ? value : 0,
                  !known);
}

TermId TermTable::text(Word identity) {
  return constant(identity, TermType::text, 0, 0, false);
}

TermId TermTable::variable(std::uint32_t index, TermType type, double low, double high) {
  Term term;
  term.op = TermOp::variable;
  term.type = type;
  term.word = index;
  term.low = low;
  term.high = high;
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
TermId TermTable::make(TermOp op, TermType type, bool fallible, Range range,
                       std::span<const TermId> wanted) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high))
    return no_term;
  bool known = true;
  for (const TermId argument : wanted) {
    known = known && is_constant(argument);
    fallible = fallible || terms_[argument].fallible;
  }
  if (known && op != TermOp::sum && op != TermOp::product) {
    const auto word = [&](std::size_t i) { return i < wanted.size() ? terms_[wanted[i]].word : 0; };
    const Word value = apply(op, word(0), word(1), word(2));
    return type == TermType::real ? real(to_real(value)) : integer(value);
  }
  Term term;
  term.op = op;
  term.type = type;
  term.fallible = fallible;
  term.low = range.low;
  term.high = range.high;
  return intern(term, wanted);
}

TermId TermTable::as_real(TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::real)
    return a;
  if (term.type == TermType::text || unsafe(term.low, term.high))
    return no_term;
  const std::array<TermId, 1> arguments{a};
  return make(TermOp::to_real, TermType::real, false, {term.low, term.high}, arguments);
}

/// Whether both are integers; else makes both reals. Not `supported` when that cannot be.
bool TermTable::both_integers(TermId& a, TermId& b, bool& supported) {
  if (terms_[a].type == TermType::integer && terms_[b].type == TermType::integer)
    return true;
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  supported = b != no_term;
  return false;
}

/// A sum or product of any number of integers, constants first and folded, the rest in order: the
/// same however it was written. no_term when it might overflow on the way.
TermId TermTable::gather(TermOp op, TermId a, TermId b) {
  const bool is_sum = op == TermOp::sum;
  Word known = is_sum ? 0 : 1;
  double low = is_sum ? 0 : 1, high = low, bound = low;
  gathered_.clear();
  const auto take = [&](TermId id) {
    const Term& term = terms_[id];
    const double size = std::max(std::abs(term.low), std::abs(term.high));
    bound = is_sum ? bound + size : bound * std::max(1.0, size);
    if (bound > exact_limit)
      return;
    const double ll = low * term.low, lh = low * term.high, hl = high * term.low,
                 hh = high * term.high;
    low = is_sum ? low + term.low : std::min(std::min(ll, lh), std::min(hl, hh));
    high = is_sum ? high + term.high : std::max(std::max(ll, lh), std::max(hl, hh));
    if (is_constant(id) && !term.fallible)
      known = is_sum ? known + term.word : known * term.word;
    else
      gathered_.push_back(id);
  };
  for (const TermId part : {a, b}) {
    if (terms_[part].op == op)
      std::ranges::for_each(arguments(part), take);
    else
      take(part);
  }
  if (bound > exact_limit)
    return no_term;
  if (gathered_.empty())
    return integer(known);
  if (known != (is_sum ? 0 : 1))
    gathered_.push_back(integer(known));
  else if (gathered_.size() == 1)
    return gathered_.front();
  std::ranges::sort(gathered_);
  return make(op, TermType::integer, false, {low, high}, gathered_);
}

TermId TermTable::add(TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported)
    return no_term;
  if (integers)
    if (const TermId sum = gather(TermOp::sum, a, b); sum != no_term)
      return sum;
  const Range range{terms_[a].low + terms_[b].low, terms_[a].high + terms_[b].high};
  const std::array<TermId, 2> both{a, b};
  return make(integers ? TermOp::add : TermOp::real_add,
              integers ? TermType::integer : TermType::real, integers, range, both);
}

TermId TermTable::subtract(TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported)
    return no_term;
  if (integers && !unsafe(terms_[b].low, terms_[b].high)) {
    const TermId negative = gather(TermOp::product, integer(-1), b);
    if (const TermId sum = gather(TermOp::sum, a, negative); sum != no_term)
      return sum;
  }
  const Range range{terms_[a].low - terms_[b].high, terms_[a].high - terms_[b].low};
  const std::array<TermId, 2> both{a, b};
  return make(integers ? TermOp::subtract : TermOp::real_subtract,
              integers ? TermType::integer : TermType::real, integers, range, both);
}

TermId TermTable::multiply(TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported)
    return no_term;
  if (integers)
    if (const TermId product = gather(TermOp::product, a, b); product != no_term)
      return product;
  const Term &x = terms_[a], &y = terms_[b];
  const auto [low, high] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  const std::array<TermId, 2> both{a, b};
  return make(integers ? TermOp::multiply : TermOp::real_multiply,
              integers ? TermType::integer : TermType::real, integers, {low, high}, both);
}

TermTable::Range TermTable::range_of_quotient(TermId a, TermId b) const {
  const Term &x = terms_[a], &y = terms_[b];
  if (y.low > 0 || y.high < 0) {
    const auto [low, high] =
        std::minmax({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
    return {low, high};
  }
  const double size = std::max(std::abs(x.low), std::abs(x.high));
  const bool whole_divisor = y.type == TermType::integer || y.op == TermOp::to_real;
  if (!whole_divisor)
    return {-largest_quotient, largest_quotient};
  return {x.low >= 0 && y.low >= 0 ? 0 : -size, size};
}

TermTable::Range TermTable::range_of_rest(TermId a, TermId b) const {
  const Term &x = terms_[a], &y = terms_[b];
  const bool positive = y.low >= 0;
  const double high = positive && x.low >= 0 ? std::min(x.high, y.high) : std::max(y.high, 0.0);
  return {positive ? 0 : y.low, high};
}

TermId TermTable::divide(TermId a, TermId b) {
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  if (b == no_term)
    return no_term;
  const std::array<TermId, 2> both{a, b};
  return make(TermOp::real_divide, TermType::real, terms_[b].low <= 0 && terms_[b].high >= 0,
              range_of_quotient(a, b), both);
}

TermId TermTable::floor_divide(TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported || (integers && unsafe(terms_[a].low, terms_[a].high)))
    return no_term;
  const Range exact = range_of_quotient(a, b);
  const std::array<TermId, 2> both{a, b};
  return make(
      integers ? TermOp::floor_divide : TermOp::real_floor_divide,
      integers ? TermType::integer : TermType::real, terms_[b].low <= 0 && terms_[b].high >= 0,
      {std::floor(exact.low) - (integers ? 0 : 1), std::floor(exact.high) + (integers ? 0 : 1)},
      both);
}

TermId TermTable::modulo(TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported || (integers && unsafe(terms_[a].low, terms_[a].high)))
    return no_term;
  const std::array<TermId, 2> both{a, b};
  return make(integers ? TermOp::modulo : TermOp::real_modulo,
              integers ? TermType::integer : TermType::real,
              terms_[b].low <= 0 && terms_[b].high >= 0, range_of_rest(a, b), both);
}

TermId TermTable::power(TermId a, TermId b) {
  const auto size = [](const Term& t) { return std::max(std::abs(t.low), std::abs(t.high)); };
  if (terms_[a].type == TermType::integer && terms_[b].type == TermType::integer) {
    const double bound = std::max(1.0, std::pow(size(terms_[a]), terms_[b].high));
    const double high = std::min(bound, word_limit);
    const std::array<TermId, 2> both{a, b};
    if (terms_[b].low >= 0)
      return make(TermOp::power, TermType::integer, bound > exact_limit,
                  {terms_[a].low >= 0 ? 0 : -high, high}, both);
    if (bound > exact_limit) // sometimes a real, sometimes an integer that overflows
      return no_term;
  }
  a = as_real(a);
  b = a == no_term ? no_term : as_real(b);
  if (b == no_term)
    return no_term;
  const std::array<TermId, 2> both{a, b};
  if (is_constant(a) && is_constant(b))
    return make(TermOp::real_power, TermType::real, true, {0, 0}, both);
  if (terms_[a].low <= 0) // a root of a negative number, a power near 0: left to the tree
    return no_term;
  const auto [low, high] = std::minmax(
      {std::pow(terms_[a].low, terms_[b].low), std::pow(terms_[a].low, terms_[b].high),
       std::pow(terms_[a].high, terms_[b].low), std::pow(terms_[a].high, terms_[b].high)});
  return make(TermOp::real_power, TermType::real, false, {low, high}, both);
}

TermId TermTable::absolute(TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::text ||
      (term.type == TermType::integer && unsafe(term.low, term.high)))
    return no_term;
  const double high = std::max(std::abs(term.low), std::abs(term.high));
  const double low = term.low > 0 ? term.low : term.high < 0 ? -term.high : 0;
  const std::array<TermId, 1> one{a};
  return make(term.type == TermType::real ? TermOp::real_absolute : TermOp::absolute, term.type,
              false, {low, high}, one);
}

TermId TermTable::extreme(bool greatest, TermId a, TermId b) {
  bool supported = true;
  const bool integers = both_integers(a, b, supported);
  if (!supported)
    return no_term;
  const Term &x = terms_[a], &y = terms_[b];
  const Range range = greatest ? Range{std::max(x.low, y.low), std::max(x.high, y.high)}
                               : Range{std::min(x.low, y.low), std::min(x.high, y.high)};
  const std::array<TermId, 2> both{a, b};
  const TermOp on_integers = greatest ? TermOp::greatest : TermOp::least;
  const TermOp on_reals = greatest ? TermOp::real_greatest : TermOp::real_least;
  return make(integers ? on_integers : on_reals, integers ? TermType::integer : TermType::real,
              false, range, both);
}

TermId TermTable::whole(TermOp op, TermId a) {
  const Term& term = terms_[a];
  if (term.type == TermType::integer)
    return a;
  if (term.type == TermType::text)
    return no_term;
  const std::array<TermId, 1> one{a};
  const Range range{std::max(std::floor(term.low), -word_limit),
                    std::min(std::ceil(term.high), word_limit)};
  return make(op, TermType::integer, unsafe(term.low, term.high), range, one);
}

TermId TermTable::log2(TermId a) {
  a = as_real(a);
  if (a == no_term)
    return no_term;
  const std::array<TermId, 1> one{a};
  const double least_log = -1074; // of the smallest positive double
  const double low = terms_[a].low > 0 ? std::log2(terms_[a].low) : least_log;
  const double high = terms_[a].high > 0 ? std::log2(terms_[a].high) : least_log;
  return make(TermOp::log2, TermType::real, terms_[a].low <= 0, {low, high}, one);
}

} // namespace gridsmith::detail
