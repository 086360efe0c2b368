// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/code_change.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

constexpr double much_more_code = 1.10;  // of instructions: below, code may grow for a good reason
constexpr double much_overhead = 0.05;   // share of a loop's instructions
constexpr std::size_t listed_counts = 4; // of what merely changed

using Changes = std::vector<CodeChange>;

constexpr std::optional<double> real(std::optional<std::int64_t> whole) {
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

enum class Sense { less, more, neither }; // is better

struct Quantity {
  std::optional<double> (*of)(const BaselineEntry&);
  Sense sense;
  const char* text; ///< of both values
};

constexpr Sense less = Sense::less, more = Sense::more, neither = Sense::neither;

/// Beyond these a change of a number is told in its own words.
constexpr std::array resources{
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.registers_per_thread); }, less,
             "{} → {} registers"},
    Quantity{[](const BaselineEntry& f) { return std::optional(100 * f.code.occupancy); }, more,
             "occupancy {} → {} %"},
    Quantity{[](const BaselineEntry& f) { return real(f.geometry.threads_per_block()); }, neither,
             "{} → {} threads per block"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.max_threads_per_block); },
             neither, "launch bound {} → {} threads"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.static_shared_bytes); }, less,
             "{} → {} bytes of static shared memory"},
    Quantity{[](const BaselineEntry& f) { return real(f.geometry.dynamic_shared_bytes); }, less,
             "{} → {} bytes of dynamic shared memory"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.spill_store_bytes); }, less,
             "{} → {} bytes of spill stores"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.spill_load_bytes); }, less,
             "{} → {} bytes of spill loads"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.local_bytes); }, less,
             "{} → {} bytes of local memory"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.compile.block_barriers); }, neither,
             "{} → {} barriers"},
    Quantity{[](const BaselineEntry& f) { return real(f.code.in_flight.loads); }, more,
             "{} → {} loads in flight"},
};

CodeEffect effect_of(Sense sense, double before, double now) {
  if (sense == neither)
    return CodeEffect::changed;
  return (now > before) == (sense == more) ? CodeEffect::better : CodeEffect::worse;
}

void add_resources(Changes& changes, const BaselineEntry& before, const BaselineEntry& now) {
  for (const Quantity& one : resources)
    if (const auto a = one.of(before), b = one.of(now); a && b && *a != *b)
      changes.push_back({effect_of(one.sense, *a, *b),
                         fmt::format(fmt::runtime(one.text), number_text(*a), number_text(*b))});
  if (before.code.compile.local_bytes == now.code.compile.local_bytes &&
      before.code.stack_bytes != now.code.stack_bytes)
    changes.push_back(
        {now.code.stack_bytes > before.code.stack_bytes ? CodeEffect::worse : CodeEffect::better,
         fmt::format("{} → {} bytes of stack", before.code.stack_bytes, now.code.stack_bytes)});
}

int count_in(const CodeCounts& counts, std::string_view name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

// ---- accesses

/// By bits of a thread.
using Widths = std::map<int, int>;

/// "LDG" and 128 of "LDG.128".
std::pair<std::string, int> access_of(const std::string& name) {
  const std::size_t point = name.find('.');
  int bits = 0;
  if (point != std::string::npos)
    std::from_chars(name.data() + point + 1, name.data() + name.size(), bits);
  return {name.substr(0, point), bits};
}

std::map<std::string, Widths> accesses_of(const CodeCounts& mix) {
  std::map<std::string, Widths> accesses;
  for (const auto& [name, count] : mix)
    if (const auto [base, bits] = access_of(name); bits > 0)
      accesses[base][bits] += count;
  return accesses;
}

double mean_width(const Widths& widths) {
  double bits = 0, count = 0;
  for (const auto& [width, times] : widths) {
    bits += 1.0 * width * times;
    count += times;
  }
  return count > 0 ? bits / count : 0;
}

std::string widths_text(const std::string& base, const Widths& widths) {
  std::string text;
  for (auto one = widths.rbegin(); one != widths.rend(); ++one)
    text += fmt::format("{}{} {}.{}", text.empty() ? "" : " + ", one->second, base, one->first);
  return text.empty() ? "none" : text;
}

std::string access_text(const std::string& base, const Widths& before, const Widths& now) {
  if (before.size() != 1 || now.size() != 1)
    return widths_text(base, before) + " → " + widths_text(base, now);
  const auto [width, count] = *before.begin();
  const auto [new_width, new_count] = *now.begin();
  const std::string counts = count == new_count ? "" : fmt::format(" ({} → {})", count, new_count);
  return width == new_width ? fmt::format("{}.{}{}", base, width, counts)
                            : fmt::format("{0}.{1} → {0}.{2}{3}", base, width, new_width, counts);
}

/// Constants come through a cache of their own: how wide they are loaded says nothing.
bool width_matters(const std::string& base) {
  return !base.starts_with("LDC") && base != "ULDC";
}

void add_accesses(Changes& changes, const CodeSummary& before, const CodeSummary& now) {
  const auto old_accesses = accesses_of(before.mix), new_accesses = accesses_of(now.mix);
  std::set<std::string> bases;
  for (const auto* side : {&old_accesses, &new_accesses})
    for (const auto& [base, widths] : *side)
      bases.insert(base);
  const auto widths_in = [](const auto& side, const std::string& base) {
    const auto found = side.find(base);
    return found == side.end() ? Widths{} : found->second;
  };
  for (const std::string& base : bases) {
    const Widths a = widths_in(old_accesses, base), b = widths_in(new_accesses, base);
    if (a == b)
      continue;
    const double old_mean = mean_width(a), new_mean = mean_width(b);
    const bool both = !a.empty() && !b.empty() && width_matters(base);
    const Sense sense = both && old_mean != new_mean ? more : neither;
    changes.push_back({effect_of(sense, old_mean, new_mean), access_text(base, a, b)});
  }
}

// ---- loops and instructions

std::string loop_text(const std::optional<LoopSummary>& loop) {
  return loop ? fmt::format("{} instructions a turn", loop->instructions) : "none";
}

void add_loop(Changes& changes, const CodeSummary& before, const CodeSummary& now) {
  const auto &a = before.hottest_loop, &b = now.hottest_loop;
  if (a == b)
    return;
  if (!a || !b) {
    changes.push_back(
        {CodeEffect::changed, fmt::format("hottest loop: {} → {}", loop_text(a), loop_text(b))});
    return;
  }
  const bool other_sums = a->multiply_adds != b->multiply_adds;
  std::string what =
      fmt::format("hottest loop {} → {} {} a turn", other_sums ? a->multiply_adds : a->instructions,
                  other_sums ? b->multiply_adds : b->instructions,
                  other_sums ? "multiply-adds" : "instructions");
  const double added = b->overhead - a->overhead;
  if (std::abs(added) < much_overhead)
    return changes.push_back({CodeEffect::changed, std::move(what)});
  what += fmt::format(", overhead {:.0f} → {:.0f} %", 100 * a->overhead, 100 * b->overhead);
  changes.push_back({added > 0 ? CodeEffect::worse : CodeEffect::better, std::move(what)});
}

void add_double(Changes& changes, const CodeSummary& before, const CodeSummary& now) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> classes{
      {{"fp64", "of double arithmetic"}, {"conversion_64", "that convert from or to 64 bits"}}};
  for (const auto& [name, words] : classes) {
    const int a = count_in(before.classes, name), b = count_in(now.classes, name);
    if (a != b)
      changes.push_back(
          {effect_of(less, a, b), fmt::format("{} → {} instructions {}", a, b, words)});
  }
}

/// "FFMA 64 → 16, ISETP 4 → 8 and 12 more": what changed most first. Empty: nothing did.
std::string counts_text(const CodeCounts& before, const CodeCounts& now, bool accesses) {
  struct Count {
    std::string name;
    int before, now;
  };

  std::vector<Count> counts;
  CodeCounts all = before;
  all.insert(now.begin(), now.end());
  for (const auto& [name, count] : all)
    if (const int a = count_in(before, name), b = count_in(now, name);
        a != b && (accesses || access_of(name).second == 0))
      counts.push_back({name, a, b});
  std::stable_sort(counts.begin(), counts.end(), [](const Count& a, const Count& b) {
    return std::abs(a.now - a.before) > std::abs(b.now - b.before);
  });
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const Count& one : counts)
    texts.push_back(fmt::format("{} {} → {}", one.name, one.before, one.now));
  return some_of(texts, listed_counts);
}

void add_instructions(Changes& changes, const CodeSummary& before, const CodeSummary& now) {
  if (before.instructions != now.instructions) {
    const bool much = now.instructions > much_more_code * before.instructions;
    changes.push_back({much ? CodeEffect::worse : CodeEffect::changed,
                       fmt::format("{} → {} instructions", before.instructions, now.instructions)});
  }
  if (std::string text = counts_text(before.mix, now.mix, false); !text.empty())
    changes.push_back({CodeEffect::changed, std::move(text)});
}

/// Where nothing that is counted differs, but the bytes do.
std::string hidden_change(const CodeSummary& before, const CodeSummary& now) {
  if (!before.sass || !now.sass)
    return "the same instructions in another order, with other registers or constants";
  if (before.sass->hash == now.sass->hash)
    return "the same SASS, scheduled in another way";
  const std::string modifiers = counts_text(before.sass->mix, now.sass->mix, true);
  return modifiers.empty() ? "the same mnemonics in another order, or with other operands"
                           : modifiers;
}

} // namespace

std::vector<CodeChange> code_changes(const BaselineEntry& before, const BaselineEntry& now) {
  Changes changes;
  add_resources(changes, before, now);
  add_accesses(changes, before.code, now.code);
  add_double(changes, before.code, now.code);
  add_loop(changes, before.code, now.code);
  add_instructions(changes, before.code, now.code);
  if (changes.empty() && before.code_hash != now.code_hash)
    changes.push_back({CodeEffect::changed, hidden_change(before.code, now.code)});
  return changes;
}

CheckVerdict verdict_of(std::span<const CodeChange> changes) {
  const bool worse = std::any_of(changes.begin(), changes.end(), [](const CodeChange& one) {
    return one.effect == CodeEffect::worse;
  });
  return changes.empty() ? CheckVerdict::same
         : worse         ? CheckVerdict::changed
                         : CheckVerdict::different;
}

std::vector<std::string> words_of(std::span<const CodeChange> changes) {
  std::vector<std::string> words;
  for (const CodeEffect effect : {CodeEffect::worse, CodeEffect::better, CodeEffect::changed})
    for (const CodeChange& one : changes)
      if (one.effect == effect)
        words.push_back(one.what);
  return words;
}

std::string to_text(std::span<const CodeChange> changes) {
  return fmt::to_string(fmt::join(words_of(changes), "; "));
}

} // namespace gridsmith
