// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/watch/live_report.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/report/columns.hpp"
#include "gridsmith/results/report/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr auto longest_wait = std::chrono::seconds(1);

Outcome outcome_of(const Subject& subject) {
  Outcome outcome;
  outcome.subject = subject;
  outcome.answer.found_by.objective = subject.objective;
  outcome.answer.found_by.workload = subject.workload;
  outcome.answer.found_by.own_metrics = subject.own_metrics;
  outcome.answer.found_by.default_configuration = subject.default_configuration;
  return outcome;
}

/// One row as values by the names of its columns; what is not known is not there.
Ordered row_json(const Recording& of_one, std::size_t row) {
  Ordered values = Ordered::object();
  for (const ReportColumn& column : report_columns(of_one)) {
    if (!column.texts.empty())
      values[column.name] = column.texts.front();
    else if (!std::isnan(column.numbers.front()))
      values[column.name] = column.numbers.front();
  }
  values["order"] = row + 1;
  return values;
}

std::string event_text(const char* name, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data); // data is one line
}

} // namespace

/// How far a browser, or a model, is in what was told.
struct LiveReport::Place {
  std::size_t subjects = 0, rows = 0;
  bool finished = false;

  bool operator==(const Place&) const = default;

  /// Whether there is so much more than in a model of this that all is analysed anew: seldom enough that, in
  /// all, it costs a few times what the last one does.
  bool is_behind(const Place& there) const {
    constexpr std::size_t least = 20;
    return subjects != there.subjects || finished != there.finished ||
           there.rows >= rows + std::max(least, rows / 2);
  }
};

/// Guarded by `told` what the session tells; by `made` what is made of it for browsers, which may take a
/// while and keeps nobody from telling.
struct LiveReport::State {
  struct Row {
    std::size_t subject = 0, number = 0; ///< among those of its subject
    std::shared_ptr<const Measurement> measured;
  };

  /// What was told, at one moment; copied in no time.
  struct Told {
    std::vector<std::shared_ptr<const Subject>> subjects;
    std::vector<Row> rows;
    std::shared_ptr<const std::vector<Outcome>> outcomes; ///< once they are known
    bool over = false;                                    ///< nothing more is measured
    bool ended = false;                                   ///< nothing more is served

    Place place() const { return {subjects.size(), rows.size(), outcomes != nullptr}; }
  };

  std::mutex told;
  std::condition_variable news;
  Told now;
  std::vector<std::size_t> counts; ///< rows of each subject

  struct Snapshot {
    Place place;
    Ordered model;
    std::string packed;
  };

  std::mutex made;
  Snapshot snapshot;
  std::vector<std::string> points; ///< by row; "" not made yet

  Told copy() {
    const std::lock_guard lock(told);
    return now;
  }

  /// The model of all that was told, or of most of it. @pre `made` is held
  const Snapshot* newest() {
    const Told all = copy();
    if (all.subjects.empty())
      return nullptr;
    if (!snapshot.place.is_behind(all.place()))
      return &snapshot;
    std::vector<ReportSource> sources;
    for (std::size_t i = 0; i < all.subjects.size(); ++i) {
      const Outcome* known = outcome_known(all, *all.subjects[i]);
      sources.push_back(report_source(known ? *known : outcome_so_far(all, i)));
    }
    Ordered model = report_model(sources);
    std::string packed = packed_model(model);
    snapshot = {all.place(), std::move(model), std::move(packed)};
    return &snapshot;
  }

  static const Outcome* outcome_known(const Told& all, const Subject& subject) {
    if (all.outcomes)
      for (const Outcome& one : *all.outcomes)
        if (one.subject.kernel == subject.kernel && one.subject.problem == subject.problem &&
            one.subject.device.name == subject.device.name)
          return &one;
    return nullptr;
  }

  static Outcome outcome_so_far(const Told& all, std::size_t subject) {
    Outcome outcome = outcome_of(*all.subjects[subject]);
    for (const Row& row : all.rows)
      if (row.subject == subject)
        outcome.result.measurements.push_back(*row.measured);
    const Subject& of = outcome.subject;
    outcome.answer.ranking = rank_as_measured(outcome.result.measurements, {},
                                              objective_of(outcome.answer.found_by, of.device),
                                              of.workload, {&of.device, &of.peaks});
    hold_against(outcome.answer, {&of.device, &of.peaks});
    return outcome;
  }

  /// @pre `made` is held, and `of` was copied since the snapshot was made
  const std::string& point(const Told& of, std::size_t row) {
    points.resize(std::max(points.size(), row + 1));
    if (points[row].empty()) {
      const Row& one_row = of.rows[row];
      Outcome one = outcome_of(*of.subjects[one_row.subject]);
      one.result.measurements = {*one_row.measured};
      points[row] = event_text(
          "point", json_text(Ordered{{"set", one_row.subject},
                                     {"row", row_json(one.exported().recording, one_row.number)}}));
    }
    return points[row];
  }
};

/// Where one browser is.
class LiveReport::Stream : public EventStream {
public:
  explicit Stream(State& state) : state_(state) {}

  bool next(std::string& text) override {
    {
      std::unique_lock lock(state_.told);
      state_.news.wait_for(lock, longest_wait, [&] {
        return state_.now.ended || (state_.now.over && !told_over_) || state_.now.place() != place_;
      });
    }
    const State::Told all = state_.copy();
    if (!all.subjects.empty())
      text = news_of(all);
    const bool over = all.ended || (all.over && !told_over_);
    if (over)
      text += event_text("end", "{}");
    told_over_ = told_over_ || over;
    return !all.ended;
  }

private:
  std::string news_of(const State::Told& all) {
    const std::lock_guard lock(state_.made);
    if (model_.is_behind(all.place())) {
      const State::Snapshot& snapshot = *state_.newest();
      model_ = place_ = snapshot.place;
      return event_text("model", snapshot.packed);
    }
    std::string text;
    for (; place_.rows < all.rows.size(); ++place_.rows)
      text += state_.point(all, place_.rows);
    return text;
  }

  State& state_;
  Place model_, place_; ///< of the last model, and with what was told since
  bool told_over_ = false;
};

LiveReport::LiveReport() : state_(std::make_unique<State>()) {
}

LiveReport::~LiveReport() = default;

void LiveReport::begin(const Subject& subject) {
  const std::lock_guard lock(state_->told);
  state_->now.subjects.push_back(std::make_shared<const Subject>(subject));
  state_->news.notify_all();
}

void LiveReport::tell(std::span<const Measurement> measured, std::optional<std::size_t> subject) {
  const std::lock_guard lock(state_->told);
  const std::size_t of = subject.value_or(state_->now.subjects.size() - 1);
  state_->counts.resize(state_->now.subjects.size());
  for (const Measurement& one : measured)
    state_->now.rows.push_back(
        {of, state_->counts[of]++, std::make_shared<const Measurement>(one)});
  state_->news.notify_all();
}

void LiveReport::finish(std::span<const Outcome> outcomes) {
  const std::lock_guard lock(state_->told);
  state_->now.over = true;
  if (!outcomes.empty())
    state_->now.outcomes =
        std::make_shared<const std::vector<Outcome>>(outcomes.begin(), outcomes.end());
  state_->news.notify_all();
}

void LiveReport::end() {
  const std::lock_guard lock(state_->told);
  state_->now.ended = true;
  state_->news.notify_all();
}

Site LiveReport::site() {
  State& state = *state_;
  return {.page = [&state]() -> std::optional<std::string> {
            const std::lock_guard lock(state.made);
            const State::Snapshot* snapshot = state.newest();
            return snapshot ? std::optional(report_page(snapshot->model, "events")) : std::nullopt;
          },
          .events = [&state] { return std::make_unique<Stream>(state); },
          .policy = report_policy(true)};
}

} // namespace gridsmith
