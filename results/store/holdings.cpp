// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/holdings.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/utf16.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace gridsmith {
namespace {

constexpr std::size_t most_listed = 8;

std::optional<double> best_ms_of(const Export& exported) {
  if (!has_best(exported))
    return std::nullopt;
  return cost_ms(best_of(exported));
}

/// None where the answer is not confirmed. @pre it ranks some
std::optional<double> best_ms_of(Answer answer, const Scope& scope) {
  hold_against(answer, {&scope.device, &scope.peaks});
  const Ranked* winner = answer.winner();
  return winner ? std::optional(winner->time.median_ms) : std::nullopt;
}

Holding holding_of(const std::string& file, const std::shared_ptr<const Store>& store,
                   const Scope& scope) {
  return {.file = file,
          .kernel = scope.key.kernel,
          .problem = scope.key.problem,
          .device = scope.key.device_name,
          .conditions = recorded_conditions(scope),
          .date = scope.newest,
          .replayed = scope.replayed(),
          .configurations = scope.configurations,
          .correct = scope.correct,
          .objective = objective_name({}),
          .best_ms = {},
          .set_aside = {},
          .load = [store, id = scope.id] { return export_of(*store, id); }};
}

Holding holding_of(const std::string& file, const std::shared_ptr<const Store>& store,
                   const Scope& scope, const Answer& answer) {
  Holding held = holding_of(file, store, scope);
  held.objective = objective_name(answer.found_by);
  held.load = [store, id = scope.id, by = held.objective] { return export_of(*store, id, by); };
  held.best_ms = answer.ranking.empty() ? best_ms_of(held.load()) // ranked as whoever loads it
                                        : best_ms_of(answer, scope);
  return held;
}

std::vector<Holding> holdings_of_store(const std::filesystem::path& file) {
  const auto store = std::make_shared<const Store>(Store::open(file, Store::Mode::read_only));
  std::vector<Holding> all;
  for (const Scope& scope : store->scopes()) {
    if (scope.configurations == 0)
      continue;
    std::vector<Holding> held;
    for (const Answer& answer : store->answers(scope.id))
      held.push_back(holding_of(file.string(), store, scope, answer));
    if (held.empty()) {
      held.push_back(holding_of(file.string(), store, scope));
      held.front().best_ms = best_ms_of(held.front().load());
    }
    Holding& newest = all.emplace_back(std::move(held.front()));
    newest.otherwise.assign(std::next(held.begin()), held.end());
  }
  return all;
}

Holding holding_of(const std::string& file, Recording&& held) {
  const auto read = std::make_shared<const Export>(Export{.recording = std::move(held)});
  const Recording& recording = read->recording;
  const auto& rows = recording.measurements;
  std::string date = recording.date;
  for (const Measurement& row : rows)
    date = std::max(date, row.when);
  const auto correct =
      std::count_if(rows.begin(), rows.end(), [](const Measurement& row) { return row.correct(); });
  return {.file = file,
          .kernel = recording.kernel,
          .problem = recording.problem,
          .device = recording.device.name,
          .conditions = recording.conditions,
          .date = date,
          .replayed = false,
          .configurations = rows.size(),
          .correct = static_cast<std::size_t>(correct),
          .objective = objective_name({}),
          .best_ms = best_ms_of(*read),
          .set_aside = recording.set_aside,
          .load = [read] { return *read; }};
}

std::vector<Holding> holdings_of(std::vector<Recording> recordings, const std::string& file) {
  std::vector<Holding> held;
  for (Recording& recording : recordings)
    held.push_back(holding_of(file, std::move(recording)));
  return held;
}

/// What it ships by time: of another objective it has no measurements.
/// @throws InputError with the file: of another version, changed by hand
std::vector<Holding> holdings_of_header(const std::string& text, const std::string& file) {
  try {
    std::vector<Holding> held;
    for (const Shipment& shipment : read_header(text))
      if (shipment.objective == objective_name({}))
        for (Holding& one : holdings_of(recordings_of(shipment), file))
          held.push_back(std::move(one));
    if (held.empty())
      throw InputError(
          "the header ships nothing by time, and holds no measurements of other goals");
    return held;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

/// What is written for others to read.
void refuse_exports(std::string_view text, const std::string& file) {
  constexpr std::size_t beginning = 256; // where each of them has its mark
  for (const FormatEntry& format : export_formats())
    if (!format.read && has_mark(text.substr(0, beginning), format.mark))
      throw InputError(fmt::format("{}: is an export in the format '{}', which Gridsmith does not "
                                   "read; 'gridsmith export recording' writes one that it does",
                                   file, format.name));
}

/// Recordings are JSON, profiles are tables, headers say what they are.
std::vector<Holding> holdings_of_text(const std::string& text, const std::string& file) {
  refuse_exports(text, file);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '['))
    return holdings_of(read_recordings(text, file), file);
  if (text.starts_with("// gridsmith header "))
    return holdings_of_header(text, file);
  return holdings_of(read_profile(text, file));
}

auto what_of(const Holding& holding) {
  return std::tie(holding.kernel, holding.problem, holding.device);
}

/// Of those of one key the one that goes before the others, where the first of them stood.
template <typename Key>
std::vector<Holding> newest(const std::vector<Holding>& held, const Key& key_of) {
  std::vector<Holding> kept;
  for (const Holding& one : held) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Holding& other) {
      return key_of(other) == key_of(one);
    });
    if (same == kept.end())
      kept.push_back(one);
    else if (!goes_before(*same, one)) // of equals the last
      *same = one;
  }
  return kept;
}

std::string or_unknown(const std::string& text, const char* what) {
  return text.empty() ? std::string("unknown ") + what : text;
}

} // namespace

bool is_store(const std::filesystem::path& file) {
  return is_sqlite(file) && !is_profile(file);
}

void check_is_store(const std::filesystem::path& file) {
  if (!beginning_of(file, 1).empty() && !is_store(file))
    throw InputError(file.string() + ": is not a Gridsmith store (no SQLite database)");
}

std::vector<Holding> holdings_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw InputError(file.string() + ": there is no such store or recording");
  const bool empty =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0;
  if (empty || is_store(file))
    return holdings_of_store(file);
  if (is_sqlite(file))
    return holdings_of(read_profile(file));
  return holdings_of_text(read_as_utf8(file), file.string());
}

std::vector<Holding> holdings_of(const Profile& profile) {
  return holdings_of(recordings_of(profile), profile.file);
}

/// " of kernel 'transpose' and device 'H100'"
std::string words_of(const HoldingChoice& choice) {
  std::string text;
  for (const auto& [what, name] :
       {std::pair{"kernel", choice.kernel}, std::pair{"problem", choice.problem},
        std::pair{"device", choice.device}})
    if (!name.empty())
      text += fmt::format("{} {} '{}'", text.empty() ? " of" : " and", what, name);
  return text;
}

std::vector<Holding> chosen(std::vector<Holding> held, const HoldingChoice& choice) {
  const auto differs = [](const std::string& wanted, const std::string& found) {
    return !wanted.empty() && wanted != found;
  };
  std::vector<Holding> left;
  for (const Holding& one : held)
    if (!differs(choice.kernel, one.kernel) && !differs(choice.problem, one.problem) &&
        !differs(choice.device, one.device))
      left.push_back(one);
  if (left.empty())
    throw InputError(fmt::format("no measurements{} (contains: {})", words_of(choice),
                                 held.empty() ? "nothing" : list_of(held)));
  return left;
}

bool goes_before(const Holding& one, const Holding& other) {
  return precedence(one.replayed, one.date, one.configurations) >
         precedence(other.replayed, other.date, other.configurations);
}

std::vector<Holding> newest(const std::vector<Holding>& held) {
  return newest(held, what_of);
}

std::vector<Holding> newest_by_objective(const std::vector<Holding>& held) {
  return newest(held, [](const Holding& one) {
    return std::tuple_cat(what_of(one), std::tie(one.objective));
  });
}

std::vector<Holding> with_older_answers(const std::vector<Holding>& held) {
  std::vector<Holding> all;
  for (const Holding& one : held) {
    all.push_back(one);
    all.insert(all.end(), one.otherwise.begin(), one.otherwise.end());
  }
  return all;
}

std::string title_of(const Holding& holding) {
  return or_unknown(holding.kernel, "kernel") + " " + or_unknown(holding.problem, "problem") +
         " on " + or_unknown(holding.device, "device");
}

std::string list_of(std::span<const Holding> held) {
  std::string text;
  for (const Holding& one : held.first(std::min(held.size(), most_listed)))
    text += fmt::format("{}{}, {}, {}", text.empty() ? "" : "; ", title_of(one),
                        or_unknown(one.date.substr(0, 10), "date"),
                        counted(one.configurations, "configuration"));
  if (held.size() > most_listed)
    text += fmt::format("; and {} more, which 'gridsmith show' lists", held.size() - most_listed);
  return text;
}

} // namespace gridsmith
