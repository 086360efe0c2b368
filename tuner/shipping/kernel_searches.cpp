// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/kernel_searches.hpp"

#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::size_t prepared_at_once = 4; // kernels: some 30 configurations begin at once

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Course {
public:
  Course(KernelSearches& searches, const Budget& budget, const Listener& listener,
         const std::stop_token& stop, Rounds rounds)
      : searches_(searches), budget_(budget), listener_(listener), stop_(stop), rounds_(rounds) {
    for (const auto& one : searches)
      join(turn_.readable, one->definition().readable);
  }

  /// Evaluators do not outlive the processes that they have.
  ~Course() {
    for (const auto& one : searches_)
      one->rest();
  }

  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;

  bool run() {
    Listener each = listener_;
    each.progress = [this](const Progress& progress) { tell(progress); };
    for (const auto& one : searches_)
      guard(*one, [&] { one->open(turn_, each, stop_); });
    for (auto order = by_promise(); !order.empty(); order = by_promise()) {
      prepare(order);
      step(*order.front());
    }
    end([](const Campaign& campaign) { return campaign.finals_over(); });
    if (rounds_ != Rounds::first) // what only headers need has the time that all finals left
      end([](const Campaign&) { return false; });
    const bool out_of_time = seconds_left().value_or(1) <= 0;
    count();
    return out_of_time;
  }

private:
  /// What one kernel cannot do is no end of the others.
  void guard(KernelSearch& search, const std::function<void()>& work) {
    try {
      work();
    } catch (const WorkerRefused& refused) {
      if (refused.no_device())
        throw;
      give_up(search, refused);
    } catch (const NoSuchDevice&) {
      throw;
    } catch (const StoreError&) {
      throw;
    } catch (const Error& error) {
      give_up(search, error);
    }
  }

  /// The next one begins with processes of its own: nobody knows what these hold.
  void give_up(KernelSearch& search, const Error& error) {
    if (stop_.stop_requested())
      return;
    search.failed = error.what();
    for (const auto& one : searches_)
      one->rest();
    turn_.turn.reset();
  }

  /// Those that promise something, the most of a second first.
  std::vector<KernelSearch*> by_promise() {
    std::vector<std::pair<double, KernelSearch*>> rates;
    if (!is_over())
      for (const auto& one : searches_)
        if (one->is_open())
          if (const double rate = promised_per_cost(*one); rate > 0)
            rates.emplace_back(rate, one.get());
    std::stable_sort(rates.begin(), rates.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<KernelSearch*> order;
    for (const auto& [rate, search] : rates)
      order.push_back(search);
    return order;
  }

  /// Compilers have the rounds of those that come next, so that each finds its own compiled.
  void prepare(const std::vector<KernelSearch*>& order) {
    for (std::size_t i = 0; i < std::min(prepared_at_once, order.size()); ++i)
      guard(*order[i], [&] { order[i]->campaign().prepare(); });
  }

  double promised_per_cost(KernelSearch& search) const {
    const double promised = search.campaign().promised();
    return rounds_ == Rounds::first && std::isfinite(promised) ? 0 : promised / cost_of(search);
  }

  /// Of a round, which visits each problem.
  double cost_of(KernelSearch& search) const {
    if (search.visits == 0)
      return 1;
    const double spent = budget_.seconds ? search.seconds : static_cast<double>(search.measured());
    return std::max(spent, 1e-6) / static_cast<double>(search.visits) *
           static_cast<double>(search.stops().size());
  }

  void step(KernelSearch& search) {
    if (!search.is_open())
      return;
    others_ = measured() - search.measured();
    const auto start = std::chrono::steady_clock::now();
    guard(search, [&] { more_ = search.campaign().step(seconds_left(), evaluations_left()); });
    search.seconds += seconds_since(start);
    ++search.visits;
  }

  void end(bool (*done)(const Campaign&)) {
    std::vector<KernelSearch*> order;
    for (const auto& one : searches_)
      if (one->is_open())
        order.push_back(one.get());
    if (is_over() || rounds_ == Rounds::first)
      for (KernelSearch* one : order)
        one->campaign().finish();
    for (; !order.empty(); order.erase(order.begin())) {
      prepare(order);
      end(*order.front(), done);
    }
  }

  void end(KernelSearch& search, bool (*done)(const Campaign&)) {
    for (more_ = true;
         more_ && search.is_open() && !done(search.campaign()) && seconds_left().value_or(1) > 0;)
      step(search);
  }

  /// What is looked at first is counted first. Works of different kernels take turns once for each set of
  /// counters, since making a set ready takes longer.
  void count() {
    const GiveUp give_up = counting_ends(budget_, start_, stop_);
    for (const auto& one : searches_)
      if (one->is_open())
        guard(*one, [&] { one->campaign().count_winners(give_up); });
    for (const auto& one : searches_)
      if (one->is_open())
        guard(*one, [&] { one->campaign().count_races(give_up); });
  }

  /// The search; the finals have time of their own.
  bool is_over() const {
    return stop_.stop_requested() || evaluations_left() == 0 ||
           seconds_left().value_or(1) <= kept_for_finals * budget_.seconds.value_or(0);
  }

  void tell(Progress progress) const {
    progress.done += others_;
    progress.total = std::max(budget_.evaluations.value_or(0), progress.total + others_);
    progress.seconds = seconds_since(start_);
    if (listener_.progress)
      listener_.progress(progress);
  }

  std::uint64_t measured() const {
    std::uint64_t sum = 0;
    for (const auto& one : searches_)
      sum += one->measured();
    return sum;
  }

  std::optional<double> seconds_left() const {
    if (!budget_.seconds)
      return std::nullopt;
    return std::max(0.0, *budget_.seconds - seconds_since(start_));
  }

  std::optional<std::uint64_t> evaluations_left() const {
    if (!budget_.evaluations)
      return std::nullopt;
    return *budget_.evaluations - std::min(*budget_.evaluations, measured());
  }

  KernelSearches& searches_;
  const Budget& budget_;
  const Listener& listener_;
  const std::stop_token& stop_;
  const Rounds rounds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SharedTurn turn_;
  std::uint64_t others_ = 0; ///< measured by the searches that are not at work
  bool more_ = true;         ///< of the last step
};

} // namespace

KernelSearch::KernelSearch(SessionSettings settings, const std::filesystem::path& definition)
    : settings_(std::move(settings)), definition_(std::make_shared<const KernelDefinition>(
                                          read_definition(definition, settings_.include))) {
  settings_.kernel = definition.string();
  settings_.across = Across::each;
  settings_.weights.clear();
  settings_.problems.clear();
  settings_.budget.evaluations.reset();
}

void KernelSearch::add(const ProblemSize& problem, Sources& sources, const Listener& listener) {
  try {
    stops_.push_back({problem, sources.of(*definition_, problem, listener).front()});
    settings_.problems.push_back(problem);
  } catch (const NoSuchDevice& absent) {
    left_out.push_back(to_text(problem));
    no_device = absent.what();
  }
}

void KernelSearch::open(SharedTurn& turn, const Listener& listener, const std::stop_token& stop) {
  listener_ = listener;
  if (!stops_.empty())
    campaign_ = std::make_unique<Campaign>(settings_, *definition_, stops_, turn, listener_, stop);
}

std::vector<Outcome> KernelSearch::outcomes(bool out_of_time) {
  if (!campaign_)
    return {};
  std::vector<Outcome> outcomes = campaign_->outcomes(out_of_time);
  for (Outcome& one : outcomes)
    one.definition = definition_;
  return outcomes;
}

bool run_together(KernelSearches& searches, const Budget& budget, const Listener& listener,
                  const std::stop_token& stop, Rounds rounds) {
  return Course(searches, budget, listener, stop, rounds).run();
}

} // namespace gridsmith
