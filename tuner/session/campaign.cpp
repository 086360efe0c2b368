// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/campaign.hpp"

#include "gridsmith/tuner/loop/late_counters.hpp"
#include "gridsmith/tuner/session/header_gaps.hpp"
#include "gridsmith/tuner/session/spanned.hpp"
#include "gridsmith/tuner/session/visits.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

namespace gridsmith {
namespace {

// Looked at once a round; more than compilers finish in one.
constexpr std::size_t most_likely = 64;

bool same_parameters(const SearchSpace& a, const SearchSpace& b) {
  return std::equal(a.parameters().begin(), a.parameters().end(), b.parameters().begin(),
                    b.parameters().end(), [](const Parameter& left, const Parameter& right) {
                      return left.name == right.name && left.values == right.values;
                    });
}

} // namespace

/// What all visits until now came to, for the progress line.
class Campaign::Course {
public:
  Course(const Listener& listener, std::uint64_t total) : listener_(listener), total_(total) {}

  /// @param known the visit counts again what earlier ones measured
  ProgressSink sink(std::size_t place, std::size_t known) {
    visit_done_ = 0;
    return [this, place, known](const Progress& here) {
      Progress progress = here;
      progress.subject = place;
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

class Campaign::Impl {
public:
  Impl(const SessionSettings& settings, const KernelDefinition& definition,
       const std::vector<CampaignStop>& stops, SharedTurn& turn, const Listener& listener,
       const std::stop_token& stop)
      : settings_(settings), definition_(definition), spans_(listener.span), stop_(stop),
        course_(listener, settings.budget.evaluations.value_or(0)) {
    for (const CampaignStop& one : stops)
      places_.emplace_back(settings_, definition, one.problem, one.source, listener, turn, stop)
          .begin_with(one.begin_with, one.most);
    plan_.emplace(problems(), plan_settings());
  }

  CampaignPlan& plan() { return *plan_; }

  void prepare() {
    plan_->promised();
    if (std::exchange(prepared_, plan_->rounds()) == plan_->rounds() || stop_.stop_requested())
      return;
    for (const Visit& visit : plan_->ahead())
      if (!visit.ask.empty())
        places_[visit.problem].compile_ahead(visit.ask, stop_);
    likely_ = plan_->likely(most_likely);
    tried_ = 0;
  }

  bool step(std::optional<double> seconds, std::optional<std::uint64_t> evaluations) {
    try {
      const auto visit = next(evaluations);
      if (!visit || stop_.stop_requested())
        return false;
      go(*visit, seconds);
    } catch (const StoppedWaiting&) {
      return false;
    }
    return true;
  }

  void count_winners(const GiveUp& give_up) {
    for (Visits& place : places_)
      place.count_winner(give_up, stop_);
  }

  void count_races(const GiveUp& give_up) {
    for (Visits& place : places_)
      place.count_races(give_up, stop_);
  }

  void rest() {
    for (Visits& place : places_)
      place.rest();
    prepared_ = 0; // what was compiled ahead is gone with the compilers
  }

  bool finals_over() const { return plan_->finals_over(); }

  std::uint64_t measured() const {
    std::uint64_t sum = 0;
    for (const Visits& place : places_)
      sum += place.known();
    return sum;
  }

  std::vector<Outcome> outcomes(bool out_of_time) {
    const auto common = settings_.across == Across::each ? std::nullopt : plan_->common();
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].known() == 0)
        continue; // never reached
      outcomes.push_back(places_[i].outcome(stop_.stop_requested() ? Ended::stopped
                                            : out_of_time          ? Ended::out_of_time
                                                                   : Ended::finished));
      if (common)
        outcomes.back().for_all = places_[i].shared_choice((*common)[i]);
    }
    return outcomes;
  }

private:
  /// That has something to measure, now or again.
  std::optional<Visit> next(std::optional<std::uint64_t> evaluations) {
    while (true) {
      spanned(spans_, "strategy", "ask", [&] { plan_->promised(); });
      prepare();
      auto visit = plan_->next();
      if (!visit)
        return std::nullopt;
      if (evaluations && visit->ask.size() > *evaluations)
        visit->ask.resize(*evaluations);
      if (!visit->ask.empty() || (visit->final && places_[visit->problem].known() > 0))
        return visit;
    }
  }

  /// With what a later round may ask, as long as compilers have nothing else to do.
  void fill_compilers() {
    for (; tried_ < likely_.size(); ++tried_) {
      Visits& place = places_[likely_[tried_].problem];
      if (place.spare_compilers() == 0)
        return;
      place.compile_ahead({&likely_[tried_].id, 1}, stop_);
    }
  }

  /// That of the visit, which looks after the compilers too.
  ProgressSink sink(std::size_t place) {
    return [this, inner = course_.sink(place, places_[place].known())](const Progress& progress) {
      fill_compilers();
      inner(progress);
    };
  }

  void go(const Visit& visit, std::optional<double> seconds) {
    Visits& place = places_[visit.problem];
    const auto news = place.visit(visit.ask, visit.final, seconds, sink(visit.problem), stop_);
    spanned(spans_, "strategy", "learn", [&] { plan_->tell(visit.problem, news); });
    course_.end_visit();
  }

  std::vector<CampaignProblem> problems() {
    std::vector<CampaignProblem> problems;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      problems.push_back(places_[i].campaign_problem());
      if (!same_parameters(*problems.back().space, *problems.front().space))
        throw InputError("the recordings of these sizes have different parameters; tune each by "
                         "itself with --size");
      if (i < settings_.weights.size())
        problems.back().weight = settings_.weights[i];
    }
    return problems;
  }

  CampaignSettings plan_settings() const {
    return {.seed = settings_.seed,
            .across = *settings_.across,
            .evaluations = settings_.budget.evaluations,
            .missing = [this] { return missing(); }};
  }

  /// What a header of these sizes would have to know, and does not.
  std::vector<std::vector<ConfigurationId>> missing() const {
    std::vector<std::size_t> reached;
    std::vector<Recording> recordings;
    std::vector<const SearchSpace*> spaces;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i].known() > 0) {
        reached.push_back(i);
        recordings.push_back(places_[i].recording());
        spaces.push_back(&places_[i].space());
      }
    auto gaps = header_gaps(recordings, spaces, definition_);
    std::vector<std::vector<ConfigurationId>> wanted(places_.size());
    for (std::size_t i = 0; i < reached.size(); ++i)
      wanted[reached[i]] = std::move(gaps[i]);
    return wanted;
  }

  const SessionSettings& settings_;
  const KernelDefinition& definition_;
  const SpanSink& spans_;
  const std::stop_token& stop_;
  Course course_;
  std::deque<Visits> places_; ///< which stay where they were made
  std::optional<CampaignPlan> plan_;
  std::size_t prepared_ = 0;         ///< rounds
  std::vector<CampaignPair> likely_; ///< in this round
  std::size_t tried_ = 0;            ///< of them
};

Campaign::Campaign(const SessionSettings& settings, const KernelDefinition& definition,
                   const std::vector<CampaignStop>& stops, SharedTurn& turn,
                   const Listener& listener, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(settings, definition, stops, turn, listener, stop)) {
}

Campaign::~Campaign() = default;

double Campaign::promised() {
  return impl_->plan().promised();
}

bool Campaign::step(std::optional<double> seconds, std::optional<std::uint64_t> evaluations) {
  return impl_->step(seconds, evaluations);
}

void Campaign::finish() {
  impl_->plan().finish();
}

void Campaign::prepare() {
  try {
    impl_->prepare();
  } catch (const StoppedWaiting&) { // the next step ends
  }
}

void Campaign::count_winners(const GiveUp& give_up) {
  if (!give_up())
    impl_->count_winners(give_up);
}

void Campaign::count_races(const GiveUp& give_up) {
  if (!give_up())
    impl_->count_races(give_up);
}

bool Campaign::finals_over() const {
  return impl_->finals_over();
}

void Campaign::rest() {
  impl_->rest();
}

std::uint64_t Campaign::measured() const {
  return impl_->measured();
}

std::vector<Outcome> Campaign::outcomes(bool out_of_time) {
  return impl_->outcomes(out_of_time);
}

GiveUp counting_ends(const Budget& budget, std::chrono::steady_clock::time_point start,
                     const std::stop_token& stop) {
  return [=] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return stop.stop_requested() ||
           (budget.seconds && spent.count() > *budget.seconds + counting_after_s);
  };
}

std::vector<Outcome> run_campaign(const SessionSettings& settings,
                                  const KernelDefinition& definition,
                                  const std::vector<CampaignStop>& stops, const Listener& listener,
                                  const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  SharedTurn turn;
  Campaign campaign(settings, definition, stops, turn, listener, stop);
  const auto left = [&]() -> std::optional<double> { // none: as long as it takes
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return settings.budget.seconds
               ? std::optional(std::max(0.0, *settings.budget.seconds - spent.count()))
               : std::nullopt;
  };
  for (bool more = true; more && left().value_or(1) > 0; more = campaign.step(left()))
    if (left() && *left() < kept_for_finals * *settings.budget.seconds)
      campaign.finish();
  const bool out_of_time = left().value_or(1) <= 0;
  const GiveUp give_up = counting_ends(settings.budget, start, stop);
  campaign.count_winners(give_up);
  campaign.count_races(give_up);
  std::vector<Outcome> outcomes = campaign.outcomes(out_of_time);
  if (outcomes.empty() && out_of_time)
    throw Error("the time ran out before anything was measured");
  return outcomes;
}

} // namespace gridsmith
