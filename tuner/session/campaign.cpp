#include "gridsmith/tuner/session/campaign.hpp"

#include "gridsmith/tuner/session/spanned.hpp"
#include "gridsmith/tuner/session/visits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

constexpr double kept_for_finals = 0.2; // of the seconds that are allowed

/// What all visits until now came to, for the progress line.
class Course {
public:
  Course(const Listener& listener, std::uint64_t total) : listener_(listener), total_(total) {}

  /// @param known the visit counts again what earlier ones measured
  ProgressSink sink(std::size_t known) {
    visit_done_ = 0;
    return [this, known](const Progress& here) {
      Progress progress = here;
      visit_done_ = here.done - std::min<std::uint64_t>(here.done, known);
      progress.done = done_ + visit_done_;
      progress.total = std::max(total_, progress.done);
      progress.seconds = seconds();
      progress.seconds_left.reset();
      progress.told = here.told.last(std::min<std::size_t>(here.told.size(), visit_done_));
      if (listener_.progress)
        listener_.progress(progress);
    };
  }

  void end_visit() { done_ += std::exchange(visit_done_, 0); }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  const Listener& listener_;
  const std::uint64_t total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t done_ = 0, visit_done_ = 0;
};

bool same_parameters(const SearchSpace& a, const SearchSpace& b) {
  return std::equal(a.parameters().begin(), a.parameters().end(), b.parameters().begin(),
                    b.parameters().end(), [](const Parameter& left, const Parameter& right) {
                      return left.name == right.name && left.values == right.values;
                    });
}

class Campaign {
public:
  Campaign(const SessionSettings& settings, const KernelDefinition& definition,
           const std::vector<CampaignStop>& stops, const Listener& listener,
           const std::stop_token& stop)
      : settings_(settings), spans_(listener.span), stop_(stop),
        course_(listener, settings.budget.evaluations.value_or(0)) {
    for (const CampaignStop& one : stops)
      places_.emplace_back(settings_, definition, one.problem, one.source, listener, turn_, stop);
  }

  std::vector<Outcome> run() {
    CampaignPlan plan(problems(), plan_settings());
    while (const auto visit = spanned(spans_, "strategy", "ask", [&] { return plan.next(); })) {
      if (stop_.stop_requested() || out_of_time())
        break;
      if (!visit->final && seconds_left() &&
          *seconds_left() < kept_for_finals * *settings_.budget.seconds) {
        plan.finish();
        continue;
      }
      if (visit->final && visit->ask.empty() && places_[visit->problem].known() == 0)
        continue; // never reached
      try {
        go(plan, *visit);
      } catch (const StoppedWaiting&) {
        break;
      }
    }
    auto answered = outcomes(plan);
    if (answered.empty() && out_of_time())
      throw Error("the time was up before anything was measured");
    return answered;
  }

private:
  void go(CampaignPlan& plan, const Visit& visit) {
    Visits& place = places_[visit.problem];
    const auto news =
        place.visit(visit.ask, visit.final, seconds_left(), course_.sink(place.known()), stop_);
    spanned(spans_, "strategy", "learn", [&] { plan.tell(visit.problem, news); });
    course_.end_visit();
  }

  std::vector<CampaignProblem> problems() {
    std::vector<CampaignProblem> problems;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      problems.push_back(places_[i].campaign_problem());
      if (!same_parameters(*problems.back().space, *problems.front().space))
        throw InputError("the recordings of these sizes have not the same parameters; tune each "
                         "on its own with --size");
      if (i < settings_.weights.size())
        problems.back().weight = settings_.weights[i];
    }
    return problems;
  }

  CampaignSettings plan_settings() const {
    return {.seed = settings_.seed,
            .across = *settings_.across,
            .evaluations = settings_.budget.evaluations};
  }

  /// None: as long as it takes.
  std::optional<double> seconds_left() const {
    if (!settings_.budget.seconds)
      return std::nullopt;
    return std::max(0.0, *settings_.budget.seconds - course_.seconds());
  }

  bool out_of_time() const { return seconds_left().value_or(1) <= 0; }

  std::vector<Outcome> outcomes(const CampaignPlan& plan) {
    const auto common = settings_.across == Across::each ? std::nullopt : plan.common();
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].known() == 0)
        continue; // never reached
      outcomes.push_back(places_[i].outcome(stop_.stop_requested() ? Ended::stopped
                                            : out_of_time()        ? Ended::out_of_time
                                                                   : Ended::finished));
      if (common)
        outcomes.back().for_all = places_[i].shared_choice((*common)[i]);
    }
    return outcomes;
  }

  const SessionSettings& settings_;
  const SpanSink& spans_;
  const std::stop_token& stop_;
  Course course_;
  std::optional<GpuTurn> turn_; ///< outlives the places
  std::deque<Visits> places_;   ///< which stay where they were made
};

} // namespace

std::vector<Outcome> run_campaign(const SessionSettings& settings,
                                  const KernelDefinition& definition,
                                  const std::vector<CampaignStop>& stops, const Listener& listener,
                                  const std::stop_token& stop) {
  return Campaign(settings, definition, stops, listener, stop).run();
}

} // namespace gridsmith
