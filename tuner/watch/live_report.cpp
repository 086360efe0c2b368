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
  values["order"] = row;
  return values;
}

std::string event_text(const char* name, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data); // data is one line
}

} // namespace

/// How far a browser, or a model, is in what was told.
struct LiveReport::Place {
  std::size_t subject = 0, rows = 0;
  bool finished = false;

  bool operator==(const Place&) const = default;

  /// Whether there is so much more than in a model of this that all is analysed anew: seldom enough that, in
  /// all, it costs a few times what the last one does.
  bool is_behind(const Place& there) const {
    constexpr std::size_t least = 20;
    return subject != there.subject || finished != there.finished ||
           there.rows >= rows + std::max(least, rows / 2);
  }
};

/// Guarded by `told` what the session tells; by `made` what is made of it for browsers, which may take a
/// while and keeps nobody from telling.
struct LiveReport::State {
  /// What was told, at one moment; copied in no time.
  struct Told {
    std::size_t subjects = 0; ///< begun
    std::shared_ptr<const Subject> subject;
    std::vector<std::shared_ptr<const Measurement>> rows;
    std::shared_ptr<const Outcome> outcome; ///< once it is known
    bool ended = false;
  };

  std::mutex told;
  std::condition_variable news;
  Told now;

  struct Snapshot {
    Place place;
    Ordered model;
    std::string packed;
  };

  std::mutex made;
  Snapshot snapshot;
  std::vector<std::string> points; ///< of the snapshot's subject, by row; "" not made yet

  /// How far all was told. @pre `told` is held
  Place place() const { return {now.subjects, now.rows.size(), now.outcome != nullptr}; }

  Told copy() {
    const std::lock_guard lock(told);
    return now;
  }

  /// The model of all that was told, or of most of it. @pre `made` is held
  const Snapshot* newest() {
    const Told all = copy();
    const Place there{all.subjects, all.rows.size(), all.outcome != nullptr};
    if (!all.subject)
      return nullptr;
    if (!snapshot.place.is_behind(there))
      return &snapshot;
    if (snapshot.place.subject != there.subject)
      points.clear();
    const ReportSource source = report_source(all.outcome ? *all.outcome : outcome_so_far(all));
    Ordered model = report_model({&source, 1});
    std::string packed = packed_model(model);
    snapshot = {there, std::move(model), std::move(packed)};
    return &snapshot;
  }

  static Outcome outcome_so_far(const Told& all) {
    Outcome outcome = outcome_of(*all.subject);
    outcome.result.measurements.reserve(all.rows.size());
    for (const auto& row : all.rows)
      outcome.result.measurements.push_back(*row);
    outcome.answer.ranking = rank_as_measured(outcome.result.measurements);
    return outcome;
  }

  /// @pre `made` is held, `of` was copied since the snapshot was made, and is of its subject
  const std::string& point(const Told& of, std::size_t row) {
    points.resize(std::max(points.size(), row + 1));
    if (points[row].empty()) {
      Outcome one = outcome_of(*of.subject);
      one.result.measurements = {*of.rows[row]};
      points[row] = event_text(
          "point",
          json_text(Ordered{{"set", 0}, {"row", row_json(one.exported().recording, row)}}));
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
      state_.news.wait_for(lock, longest_wait,
                           [&] { return state_.now.ended || state_.place() != place_; });
    }
    const State::Told all = state_.copy();
    if (all.subject)
      text = news_of(all);
    if (all.ended)
      text += event_text("end", "{}");
    return !all.ended;
  }

private:
  std::string news_of(const State::Told& all) {
    const std::lock_guard lock(state_.made);
    if (model_.is_behind({all.subjects, all.rows.size(), all.outcome != nullptr})) {
      const State::Snapshot& snapshot = *state_.newest();
      model_ = place_ = snapshot.place;
      return event_text("model", snapshot.packed);
    }
    std::string text;
    if (state_.snapshot.place.subject == all.subjects) // else the next model brings all
      for (; place_.rows < all.rows.size(); ++place_.rows)
        text += state_.point(all, place_.rows);
    return text;
  }

  State& state_;
  Place model_, place_; ///< of the last model, and with what was told since
};

LiveReport::LiveReport() : state_(std::make_unique<State>()) {
}

LiveReport::~LiveReport() = default;

void LiveReport::begin(const Subject& subject) {
  const std::lock_guard lock(state_->told);
  state_->now = {state_->now.subjects + 1, std::make_shared<const Subject>(subject), {}, {}, false};
  state_->news.notify_all();
}

void LiveReport::tell(std::span<const Measurement> measured) {
  const std::lock_guard lock(state_->told);
  for (const Measurement& one : measured)
    state_->now.rows.push_back(std::make_shared<const Measurement>(one));
  state_->news.notify_all();
}

void LiveReport::finish(const Outcome& outcome) {
  const std::lock_guard lock(state_->told);
  state_->now.outcome = std::make_shared<const Outcome>(outcome);
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
