// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/holdings.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/utf16.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/readers/read_recording.hpp"
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

std::optional<double> best_ms_of(const Store& store, const Scope& scope) {
  if (auto answer = store.answer(scope.id); answer && !answer->ranking.empty()) {
    hold_against(*answer, {&scope.device, &scope.peaks});
    if (answer->found_by.unconfirmed)
      return std::nullopt;
    return answer->ranking.front().time.median_ms;
  }
  return best_ms_of(export_of(store, scope.id)); // ranked as whoever loads it ranks it
}

std::vector<Holding> holdings_of_store(const std::filesystem::path& file) {
  const auto store = std::make_shared<const Store>(Store::open(file, Store::Mode::read_only));
  std::vector<Holding> held;
  for (const Scope& scope : store->scopes())
    if (scope.configurations > 0)
      held.push_back({.file = file.string(),
                      .kernel = scope.key.kernel,
                      .problem = scope.key.problem,
                      .device = scope.key.device_name,
                      .conditions = recorded_conditions(scope),
                      .date = scope.newest,
                      .replayed = scope.replayed(),
                      .configurations = scope.configurations,
                      .correct = scope.correct,
                      .best_ms = best_ms_of(*store, scope),
                      .set_aside = {},
                      .load = [store, id = scope.id] { return export_of(*store, id); }});
  return held;
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

/// @throws InputError with the file: of another version, changed by hand
std::vector<Holding> holdings_of_header(const std::string& text, const std::string& file) {
  try {
    std::vector<Holding> held;
    for (const Shipment& shipment : read_header(text))
      for (Holding& one : holdings_of(recordings_of(shipment), file))
        held.push_back(std::move(one));
    return held;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

/// Recordings are JSON, profiles are tables, headers say what they are.
std::vector<Holding> holdings_of_text(const std::string& text, const std::string& file) {
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

std::string or_unknown(const std::string& text, const char* what) {
  return text.empty() ? std::string("unknown ") + what : text;
}

} // namespace

bool is_store(const std::filesystem::path& file) {
  return is_sqlite(file);
}

std::vector<Holding> holdings_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw InputError(file.string() + ": there is no such store or recording");
  const bool empty =
      std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0;
  if (empty || (is_store(file) && !is_profile(file)))
    return holdings_of_store(file);
  if (is_store(file))
    return holdings_of(read_profile(file));
  return holdings_of_text(utf8_of_file(read_unpacked(file)), file.string());
}

std::vector<Holding> holdings_of(const Profile& profile) {
  return holdings_of(recordings_of(profile), profile.file);
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
    throw InputError("no measurements of that kernel, problem and device (held: " +
                     (held.empty() ? "nothing" : list_of(held)) + ")");
  return left;
}

bool goes_before(const Holding& one, const Holding& other) {
  return one.replayed != other.replayed ? other.replayed : one.date > other.date;
}

std::vector<Holding> newest(const std::vector<Holding>& held) {
  std::vector<Holding> kept;
  for (const Holding& one : held) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Holding& other) {
      return what_of(other) == what_of(one);
    });
    if (same == kept.end())
      kept.push_back(one);
    else if (!goes_before(*same, one)) // of equals the last
      *same = one;
  }
  return kept;
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
