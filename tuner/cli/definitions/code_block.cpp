// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/code_block.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t loops_shown = 4, lines_shown = 3;

/// In words: "global_load" is for programs.
std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string listed(const std::vector<std::string>& parts) {
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

/// The most frequent first.
std::string classes_text(const InstructionMix& mix) {
  std::vector<CodeClass> kinds;
  for (std::size_t i = 0; i < mix.by_class.size(); ++i)
    if (mix.by_class[i] > 0)
      kinds.push_back(static_cast<CodeClass>(i));
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](CodeClass a, CodeClass b) { return mix.of(a) > mix.of(b); });
  std::vector<std::string> parts;
  for (const CodeClass kind : kinds)
    parts.push_back(fmt::format("{} {}", mix.of(kind), in_words(to_text(kind))));
  return listed(parts);
}

std::string accesses_text(const InstructionMix& mix) {
  std::vector<std::string> parts;
  for (const MemoryCount& one : mix.memory) {
    std::string part = fmt::format("{} {}", in_words(to_text(one.kind)), one.count);
    if (one.bytes > 0)
      part += fmt::format(" x {} bytes", one.bytes);
    parts.push_back(std::move(part));
  }
  return listed(parts);
}

std::string in_flight_text(const LoadsInFlight& most) {
  std::vector<std::string> parts;
  if (most.loads > 0)
    parts.push_back(fmt::format("{} ({} bytes)", most.loads, most.bytes));
  if (most.shared_loads > 0)
    parts.push_back(fmt::format("shared {} ({} bytes)", most.shared_loads, most.shared_bytes));
  return listed(parts);
}

std::string loop_text(const LoopFacts& loop) {
  return fmt::format(
      "at {:#x}: {} instructions, {} multiply-adds, {} overhead; {}; loads in flight: {}",
      loop.begin, loop.mix.instructions, loop.mix.multiply_adds, percent_text(loop.mix.overhead()),
      accesses_text(loop.mix), in_flight_text(loop.in_flight));
}

std::vector<const LoopFacts*> shown_loops(const CodeFacts& facts) {
  std::vector<const LoopFacts*> shown;
  for (const LoopFacts& loop : facts.loops)
    if (loop.innermost)
      shown.push_back(&loop);
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const LoopFacts* one) { return one == facts.hottest_loop(); });
  return shown;
}

constexpr std::array far_kinds{MemoryKind::global_load, MemoryKind::global_store,
                               MemoryKind::local_load, MemoryKind::local_store};

std::string places_text(const CodeFacts& facts, MemoryKind kind) {
  std::vector<LineCount> places = lines_of(facts, kind);
  places.resize(std::min(places.size(), lines_shown));
  std::vector<std::string> parts;
  for (const LineCount& one : places)
    parts.push_back(fmt::format("{} ({})", one.place, one.instructions));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Ordered mix_json(const InstructionMix& mix) {
  Ordered classes = Ordered::object(), memory = Ordered::array();
  for (std::size_t i = 0; i < mix.by_class.size(); ++i)
    classes[std::string(Words<CodeClass>::list[i])] = mix.by_class[i];
  for (const MemoryCount& one : mix.memory)
    memory.push_back({{"kind", to_text(one.kind)},
                      {"bytes", one.bytes > 0 ? Ordered(one.bytes) : Ordered(nullptr)},
                      {"count", one.count}});
  return {
      {"instructions", mix.instructions},   {"classes", std::move(classes)},
      {"multiply_adds", mix.multiply_adds}, {"indexed_constant_loads", mix.indexed_constant_loads},
      {"overhead", mix.overhead()},         {"memory", std::move(memory)}};
}

Ordered loop_json(const LoopFacts& loop) {
  Ordered json = {{"begin", loop.begin},
                  {"end", loop.end},
                  {"depth", loop.depth},
                  {"innermost", loop.innermost}};
  json.update(mix_json(loop.mix));
  json["in_flight"] = to_fields(loop.in_flight, Fields::all);
  return json;
}

Ordered lines_json(const CodeFacts& facts) {
  Ordered json = Ordered::object();
  for (std::size_t i = 0; i < Words<MemoryKind>::list.size(); ++i)
    for (const LineCount& one : lines_of(facts, static_cast<MemoryKind>(i)))
      json[std::string(Words<MemoryKind>::list[i])].push_back(
          {{"place", one.place}, {"instructions", one.instructions}});
  return json;
}

} // namespace

std::vector<std::pair<std::string, std::string>> code_lines(const CodeFacts& facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::string size = fmt::format("{}", facts.mix.instructions);
  if (facts.unknown > 0)
    size += fmt::format(", {} % of them not known",
                        number_text(std::round(1000 * facts.unknown_share()) / 10));
  if (facts.calls)
    size += ", calls functions";
  if (facts.stack_bytes > 0)
    size += fmt::format(", {} bytes of stack", facts.stack_bytes);
  lines.emplace_back("instructions", std::move(size));
  lines.emplace_back("  by class", classes_text(facts.mix));
  lines.emplace_back("  on memory", accesses_text(facts.mix));
  lines.emplace_back("  loads in flight", in_flight_text(facts.in_flight) + ", per thread");
  const std::vector<const LoopFacts*> loops = shown_loops(facts);
  for (std::size_t i = 0; i < std::min(loops.size(), loops_shown); ++i)
    lines.emplace_back(i == 0 ? "  hottest loop" : "  another loop", loop_text(*loops[i]));
  if (loops.size() > loops_shown)
    lines.emplace_back("  more loops", std::to_string(loops.size() - loops_shown));
  for (const MemoryKind kind : far_kinds)
    if (std::string places = places_text(facts, kind); !places.empty())
      lines.emplace_back("  " + in_words(to_text(kind)) + "s at", std::move(places));
  return lines;
}

Ordered code_json(const CodeFacts& facts) {
  Ordered json = mix_json(facts.mix);
  json["unknown"] = facts.unknown;
  json["calls"] = facts.calls;
  json["stack_bytes"] = facts.stack_bytes;
  json["in_flight"] = to_fields(facts.in_flight, Fields::all);
  json["loops"] = Ordered::array();
  for (const LoopFacts& loop : facts.loops) {
    json["loops"].push_back(loop_json(loop));
    json["loops"].back()["hottest"] = &loop == facts.hottest_loop();
  }
  json["lines"] = lines_json(facts);
  return json;
}

} // namespace gridsmith
