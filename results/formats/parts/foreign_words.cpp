// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/parts/foreign_words.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

struct TimeUnit {
  std::string_view start; ///< of the word, as writers spell it ("miliseconds")
  double ms;
};

constexpr std::array<TimeUnit, 9> time_units{{{"mili", 1},
                                              {"milli", 1},
                                              {"ms", 1},
                                              {"micro", 1e-3},
                                              {"us", 1e-3},
                                              {"µs", 1e-3},
                                              {"nano", 1e-6},
                                              {"ns", 1e-6},
                                              {"sec", 1e3}}};

/// Dates are compared as texts, so years, months and days have all their digits.
bool begins_as_date(std::string_view text) {
  constexpr std::string_view form = "0000-00-00";
  const auto fits = [](char wanted, char found) {
    return wanted == '0' ? found >= '0' && found <= '9' : found == wanted;
  };
  return text.size() >= form.size() && std::equal(form.begin(), form.end(), text.begin(), fits) &&
         (text.size() == form.size() || text[form.size()] == 'T');
}

} // namespace

std::string_view failure_word(Status status) {
  return status == Status::compile       ? "CompilationFailedConfig"
         : status == Status::constraints ? "InvalidConfig"
                                         : "RuntimeFailedConfig";
}

Status status_of_failure(std::string_view word) {
  const auto says = [&](std::string_view part) { return word.find(part) != word.npos; };
  if (says("Compil") || says("compil"))
    return Status::compile;
  if (says("Invalid") || says("onstraint"))
    return Status::constraints;
  if (says("orrect") || says("Verif") || says("Validation"))
    return Status::correctness;
  if (says("ime-out") || says("imeout") || says("imed out"))
    return Status::timeout;
  return Status::runtime;
}

std::optional<double> foreign_ms(const Measurement& row) {
  return row.correct() && row.reported_ms ? row.reported_ms : cost_ms(row);
}

std::optional<double> ms_of_unit(std::string unit) {
  unit = lower_case(unit);
  for (const TimeUnit& entry : time_units)
    if (unit.starts_with(entry.start))
      return entry.ms;
  return unit == "s" ? std::optional(1e3) : std::nullopt;
}

std::string iso_time(std::string text) {
  if (text.size() > 10 && text[10] == ' ')
    text[10] = 'T';
  for (const std::string_view zone : {std::string_view("+00:00"), std::string_view(" UTC")})
    if (text.ends_with(zone)) {
      text.resize(text.size() - zone.size());
      text += 'Z';
    }
  return begins_as_date(text) ? text : "";
}

} // namespace gridsmith
