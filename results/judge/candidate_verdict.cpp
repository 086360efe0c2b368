// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/judge/candidate_verdict.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_changes = 3; // of all sizes together

bool any(const CandidateVerdict& verdict, GateState state) {
  return std::any_of(verdict.gates.begin(), verdict.gates.end(),
                     [state](const GateFinding& one) { return one.state == state; });
}

bool passed(const CandidateVerdict& verdict, JudgeGate gate) {
  return std::any_of(verdict.gates.begin(), verdict.gates.end(), [gate](const GateFinding& one) {
    return one.gate == gate && one.state == GateState::passed;
  });
}

double rounded(double value) {
  constexpr int digits = 4;
  // Not stod(): it throws for a denormal number.
  return value > 0 && std::isfinite(value)
             ? std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr)
             : 0;
}

/// What differs, each once, the first sizes' first.
std::vector<std::string> changes_of(const CandidateVerdict& verdict) {
  std::vector<std::string> all;
  for (const CheckCase& one : verdict.sizes)
    for (const std::string& change : one.changes)
      if (all.size() < most_changes && std::find(all.begin(), all.end(), change) == all.end())
        all.push_back(change);
  return all;
}

std::string helps_of(const CandidateVerdict& verdict) {
  for (const CheckCase& one : verdict.sizes)
    if (!one.helps.empty())
      return one.helps;
  return "";
}

Json size_json(const CheckCase& one, const std::string& problem) {
  Json json = {{"size", problem}, {"verdict", to_text(one.verdict)}};
  if (one.time) {
    json["ms"] = rounded(one.time->new_ms);
    json["incumbent_ms"] = rounded(one.time->old_ms);
    json["ratio"] = {rounded(one.time->ratio), rounded(one.time->low), rounded(one.time->high)};
  }
  return json;
}

/// @param sizes at most
/// @param letters of a text, at most
Json json_of(const CandidateVerdict& verdict, std::size_t sizes, std::size_t letters) {
  const auto shortened = [&](const std::string& text) { return cut(printable(text), letters); };
  Json json = {
      {"schema", "gridsmith-verdict-1"},           {"ruling", to_text(verdict.ruling())},
      {"kernel", shortened(verdict.kernel)},       {"candidate", shortened(verdict.candidate)},
      {"hash", shortened(verdict.candidate_hash)}, {"incumbent", shortened(verdict.incumbent)},
      {"device", shortened(verdict.device)},       {"date", shortened(verdict.date)}};
  Json& gates = json["gates"] = Json::array();
  for (const GateFinding& one : verdict.gates) {
    if (gates.size() == Words<JudgeGate>::list.size())
      break; // of damaged evidence
    Json gate = {
        {"gate", to_text(one.gate)}, {"state", to_text(one.state)}, {"code", shortened(one.code)}};
    if (!one.text.empty())
      gate["text"] = shortened(one.text);
    gates.push_back(std::move(gate));
  }
  if (const auto speedup = verdict.speedup(); speedup.likely > 0)
    json["speedup"] = {rounded(speedup.likely), rounded(speedup.low), rounded(speedup.high)};
  json["verified"] = verdict.verified;
  Json& shown = json["sizes"] = Json::array();
  for (const CheckCase& one : verdict.sizes)
    if (shown.size() < sizes)
      shown.push_back(size_json(one, shortened(one.problem)));
  if (verdict.sizes.size() > sizes)
    json["more_sizes"] = verdict.sizes.size() - sizes;
  Json& changes = json["changes"] = Json::array();
  for (const std::string& change : changes_of(verdict))
    changes.push_back(shortened(change));
  if (const std::string helps = helps_of(verdict); !helps.empty())
    json["would_help"] = shortened(helps);
  if (!verdict.kept_in.empty())
    json["kept_in"] = shortened(verdict.kept_in);
  json["seconds"] = rounded(verdict.seconds);
  return json;
}

CandidateVerdict::Speedup speedup_of(const std::vector<CheckCase>& sizes) {
  CandidateVerdict::Speedup all{0, std::numeric_limits<double>::infinity(), 0};
  double logarithms = 0, timed = 0;
  for (const CheckCase& one : sizes)
    if (one.time && one.time->ratio > 0 && one.time->low > 0) {
      logarithms -= std::log(one.time->ratio);
      ++timed;
      all.low = std::min(all.low, 1 / one.time->high);
      all.high = std::max(all.high, 1 / one.time->low);
    }
  if (timed == 0)
    return {};
  all.likely = std::exp(logarithms / timed);
  return all;
}

/// "faster at 2048x2048x2048; slower at 513x257x1025"
std::string mixed_text(const std::vector<CheckCase>& sizes) {
  std::string text;
  for (const CheckVerdict wanted : {CheckVerdict::faster, CheckVerdict::slower}) {
    std::vector<std::string> where;
    for (const CheckCase& one : sizes)
      if (one.verdict == wanted)
        where.push_back(one.problem);
    text += fmt::format("{}{} at {}", text.empty() ? "" : "; ", to_text(wanted),
                        fmt::join(where, ", "));
  }
  return text;
}

} // namespace

Ruling CandidateVerdict::ruling() const {
  if (any(*this, GateState::failed))
    return Ruling::rejected;
  if (any(*this, GateState::doubtful))
    return Ruling::suspicious;
  if (interrupted || any(*this, GateState::open) || !passed(*this, JudgeGate::right))
    return Ruling::undecided;
  return Ruling::accepted;
}

CandidateVerdict::Speedup CandidateVerdict::speedup() const {
  return speedup_of(sizes);
}

GateFinding faster_gate(const std::vector<CheckCase>& sizes, double least_effect) {
  const auto is_open = [&](const CheckCase& one) { // else it is shown not to be slower
    return one.verdict == CheckVerdict::incomparable || !one.time ||
           one.time->high > 1 + least_effect;
  };
  const auto gate = [&](GateState state, CheckVerdict verdict) -> std::optional<GateFinding> {
    for (const CheckCase& one : sizes)
      if (one.verdict == verdict && (state != GateState::open || is_open(one)))
        return GateFinding{JudgeGate::faster, state, std::string(to_text(verdict)),
                           sizes.size() > 1 ? "at " + one.problem + ": " + one.reason : one.reason};
    return std::nullopt;
  };
  const auto is_there = [&](CheckVerdict verdict) {
    return std::any_of(sizes.begin(), sizes.end(),
                       [verdict](const CheckCase& one) { return one.verdict == verdict; });
  };
  if (is_there(CheckVerdict::faster) && is_there(CheckVerdict::slower) &&
      speedup_of(sizes).likely > 1)
    return {JudgeGate::faster, GateState::open, "mixed", mixed_text(sizes)};
  if (is_there(CheckVerdict::faster) && is_there(CheckVerdict::slower))
    return {JudgeGate::faster, GateState::failed, std::string(to_text(CheckVerdict::slower)),
            "not faster in the mean; " + mixed_text(sizes)};
  for (const auto& [state, verdict] : {std::pair{GateState::failed, CheckVerdict::slower},
                                       {GateState::open, CheckVerdict::undecided},
                                       {GateState::open, CheckVerdict::incomparable},
                                       {GateState::passed, CheckVerdict::faster}})
    if (auto found = gate(state, verdict))
      return *std::move(found);
  if (is_there(CheckVerdict::undecided)) // faster or the same
    return {JudgeGate::faster, GateState::open, std::string(to_text(CheckVerdict::undecided)), ""};
  return {JudgeGate::faster, GateState::failed, std::string(to_text(CheckVerdict::same)), ""};
}

std::string candidate_verdict_json(const CandidateVerdict& verdict) {
  constexpr std::size_t longest_text = 160, shortest_text = 40;
  std::size_t sizes = 6;
  for (std::size_t letters = longest_text;; letters = std::max(shortest_text, letters / 2)) {
    std::string text = json_text(json_of(verdict, sizes, letters)) + "\n";
    if (text.size() <= longest_candidate_verdict || (sizes == 0 && letters == shortest_text))
      return text;
    if (letters == shortest_text)
      --sizes;
  }
}

std::string candidate_verdict_text(const CandidateVerdict& verdict, std::size_t width) {
  std::string text = fmt::format("{}: {} by {} on {}\n", to_text(verdict.ruling()),
                                 printable(verdict.kernel), printable(verdict.candidate),
                                 verdict.device.empty() ? "no device" : verdict.device);
  Table gates({{"gate", "", true}, {"", "", true}, {"code", "", true}});
  std::string reasons;
  for (const GateFinding& one : verdict.gates) {
    gates.add({std::string(to_text(one.gate)), std::string(to_text(one.state)), one.code});
    if (!one.text.empty())
      reasons +=
          wrapped(fmt::format("{}: {}", to_text(one.gate), printable(one.text)), width, 2) + "\n";
  }
  text += "\n" + gates.text(width);
  if (!reasons.empty())
    text += "\n" + reasons;
  Table times({{"size", "", true},
               {"incumbent", "ms"},
               {"candidate", "ms"},
               {"times as fast", ""},
               {"from", ""},
               {"to", ""},
               {"", "", true}});
  bool timed = false;
  for (const CheckCase& one : verdict.sizes)
    if (one.time) {
      timed = true;
      times.add({one.problem, number_text(one.time->old_ms), number_text(one.time->new_ms),
                 fmt::format("{:.3f}", 1 / one.time->ratio),
                 fmt::format("{:.3f}", 1 / one.time->high),
                 fmt::format("{:.3f}", 1 / one.time->low), std::string(to_text(one.verdict))});
    }
  if (timed)
    text += "\n" + times.text(width);
  const std::vector<std::string> changes = changes_of(verdict);
  if (!changes.empty())
    text +=
        "\n" +
        wrapped(printable(fmt::format("What differs: {}.", fmt::join(changes, "; "))), width, 2) +
        "\n";
  if (const std::string helps = helps_of(verdict); !helps.empty())
    text += wrapped(printable("What would help most: " + helps + "."), width, 2) + "\n";
  return text;
}

} // namespace gridsmith
