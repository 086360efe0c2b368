// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/retune.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/shipping/shipped_kernel.hpp"
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// The shipped configuration of this problem first, then the others of the kernel's.
std::vector<Configuration> shipped_set(const Shipment& shipment, const Configuration& first) {
  std::vector<Configuration> set{first};
  for (const ShippedCost& time : shipment.costs)
    if (std::none_of(set.begin(), set.end(),
                     [&](const Configuration& known) { return known == time.configuration; }))
      set.push_back(time.configuration);
  return set;
}

std::optional<double> recorded_ms(const Shipment& shipment, std::size_t problem) {
  for (const ShippedCost& time : shipment.costs)
    if (time.problem == problem && time.configuration == shipment.choices[problem].configuration)
      return time.cost;
  return std::nullopt;
}

/// Names as the space has them: the order of parameters is the header's.
const Configuration* same_in(const std::vector<Configuration>& list, const Configuration& wanted) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Configuration& one) { return one == wanted; });
  return found == list.end() ? nullptr : &*found;
}

/// ": correctness: element 3 of 'out' is nan"; "" where it did not fail.
std::string failure_of(const Outcome& outcome, const Configuration& configuration) {
  for (const Measurement& one : outcome.result.measurements)
    if (!one.correct() && one.configuration == configuration)
      return fmt::format(": {}: {}", to_text(one.status),
                         one.reason.substr(0, one.reason.find('\n')));
  return "";
}

/// Why it has to be tuned again; "": it holds.
std::string why_moved(const Outcome& outcome, const Rechecked& checked, double tolerance) {
  if (!same_in(outcome.begun_with, checked.shipped))
    return "the shipped configuration is not valid here";
  if (!checked.now_ms)
    return "the shipped configuration gives no correct result" +
           failure_of(outcome, checked.shipped);
  if (checked.recorded_ms) {
    const double ratio = *checked.now_ms / *checked.recorded_ms;
    if (std::abs(ratio - 1) > tolerance)
      return fmt::format("it takes {:.2f} times as long as recorded", ratio);
  }
  if (const std::string why = shortfall(outcome); !why.empty())
    return why;
  const double ahead = *checked.now_ms / outcome.answer.winner()->time.median_ms - 1;
  return ahead > tolerance ? fmt::format("another is {:.1f} % faster", 100 * ahead / (1 + ahead))
                           : "";
}

class Retune {
public:
  Retune(const RetuneSettings& settings, const std::stop_token& stop, const Listener& listener)
      : settings_(settings), stop_(stop), listener_(listener),
        sources_(settings.session, listener) {}

  Retuned run() {
    if (settings_.shipped.empty())
      throw InputError("nothing is shipped: no configuration is correct and has a time");
    for (const Shipment& shipment : settings_.shipped)
      begin(shipment);
    if (searches_.empty())
      throw InputError(fmt::format(
          "nothing is shipped for {} (shipped: {}); 'gridsmith tune --all' tunes for it",
          done_.device.name, fmt::join(others_, ", ")));
    sources_.begin();
    done_.out_of_time = run_jobs(searches_,
                                 {.budget = {.evaluations = {}, .seconds = seconds_left()},
                                  .first_round_alone = true,
                                  .finals = false,
                                  .others_go_on = true},
                                 listener_, stop_);
    done_.stopped = stop_.stop_requested();
    for (std::size_t i = 0; i < searches_.size(); ++i)
      judge(i);
    // What seems to have moved is measured again, interleaved, and tuned again if that says so too. The last one to
    // measure decides: small kernels differ by 7 % between two runs that nothing lies between.
    measure_moved({.budget = {}, .first_round_alone = true, .others_go_on = true});
    measure_moved({.budget = settings_.session.budget, .others_go_on = true});
    if (done_.out_of_time && exports_.empty())
      throw Error("the time ran out before anything that is shipped was measured");
    if (!done_.stopped) // nobody writes what is not over
      export_all();
    return std::move(done_);
  }

private:
  using Key = std::pair<std::string, std::string>; ///< kernel, problem

  fs::path definition_of(const std::string& kernel) {
    if (!settings_.where.empty() && definitions_.empty())
      for (const fs::path& file : definitions_of({settings_.session, settings_.where, {}}))
        definitions_.emplace(file.stem().string(), file);
    const auto found = definitions_.find(kernel);
    return found != definitions_.end()
               ? found->second
               : find_definition(kernel, settings_.session.helpers.installation.catalogue);
  }

  void begin(const Shipment& shipment) {
    if (shipment.objective != objective_name({}))
      throw InputError(fmt::format(
          "{} is shipped by {}, and what is shipped is measured again by its time alone; 'gridsmith "
          "tune --objective {}' and 'gridsmith export header' make such a header again",
          shipment.kernel, shipment.objective, shipment.objective));
    RunKernel search = shipped_kernel(settings_.session, definition_of(shipment.kernel));
    for (const PreviousChoice& choice : shipment.choices)
      if (const std::string absent = add_problem(search, choice.problem, sources_); !absent.empty())
        throw NoSuchDevice(absent);
    const Source& source = search.jobs.front().source;
    done_.device = source.device;
    done_.replayed = source.replayed.has_value();
    if (done_.replayed && !settings_.replay)
      throw NoSuchDevice(source.replayed->because +
                         ": what is shipped cannot be measured again; --replay replays recordings");
    if (device_identifier(done_.device.name) != shipment.identifier) {
      others_.insert(shipment.device.name.empty() ? shipment.identifier : shipment.device.name);
      return;
    }
    for (std::size_t p = 0; p < shipment.choices.size(); ++p)
      begin_with(search.jobs[p], shipment, p);
    done_.shipped_for = shipment.device;
    shipments_.push_back(&shipment);
    searches_.push_back(std::move(search));
  }

  static void begin_with(RunJob& wanted, const Shipment& shipment, std::size_t problem) {
    wanted.begin_with = shipped_set(shipment, shipment.choices[problem].configuration);
    wanted.most = wanted.begin_with.size();
  }

  /// One kernel, as checked.
  void judge(std::size_t index) {
    const Shipment& shipment = *shipments_[index];
    const RunKernel& search = searches_[index];
    const std::vector<Outcome>& outcomes = search.outcomes;
    for (std::size_t p = 0; p < shipment.choices.size(); ++p) {
      Rechecked& checked = done_.problems.emplace_back();
      checked.kernel = shipment.kernel;
      checked.problem = to_text(shipment.choices[p].problem);
      checked.shipped = shipment.choices[p].configuration;
      checked.recorded_ms = recorded_ms(shipment, p);
      const auto outcome = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& one) {
        return one.subject.problem == checked.problem;
      });
      if (outcome == outcomes.end()) {
        checked.moved = search.failed.empty() ? "it was not reached" : search.failed;
        continue; // what is shipped of it stays
      }
      take(checked, *outcome);
      checked.moved = why_moved(*outcome, checked, settings_.tolerance);
    }
  }

  /// Of what was reached, kernel by kernel.
  std::vector<RunKernel> moved_ones() {
    std::vector<RunKernel> all;
    auto checked = done_.problems.begin();
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      const Shipment& shipment = *shipments_[i];
      RunKernel search = shipped_kernel(settings_.session, searches_[i].definition->file);
      for (std::size_t p = 0; p < shipment.choices.size(); ++p, ++checked) {
        if (checked->moved.empty() || !exports_.contains({checked->kernel, checked->problem}))
          continue;
        add_problem(search, shipment.choices[p].problem, sources_);
        begin_with(search.jobs.back(), shipment, p);
      }
      if (!search.jobs.empty())
        all.push_back(std::move(search));
    }
    return all;
  }

  void take(Rechecked& checked, const Outcome& outcome) {
    done_.device = outcome.subject.device;
    done_.evaluations += outcome.result.measurements.size() - outcome.result.reused;
    done_.reused += outcome.result.reused;
    if (const Configuration* here = same_in(outcome.begun_with, checked.shipped))
      checked.now_ms = time_ms(outcome, *here);
    checked.lacks = shortfall(outcome);
    checked.best.reset();
    checked.best_ms.reset();
    if (const Ranked* winner = outcome.answer.winner()) {
      checked.best = winner->measurement.configuration;
      checked.best_ms = winner->time.median_ms;
    }
    exports_.insert_or_assign(Key{checked.kernel, checked.problem}, outcome.exported());
    exports_.at({checked.kernel, checked.problem}).definition = outcome.definition;
  }

  std::optional<double> seconds_left() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const auto most = settings_.session.budget.seconds;
    return most ? std::optional(std::max(0.0, *most - spent.count())) : std::nullopt;
  }

  void measure_moved(RunRules rules) {
    std::vector<RunKernel> moved = moved_ones();
    if (moved.empty() || done_.stopped || done_.out_of_time)
      return;
    rules.budget.seconds = seconds_left();
    done_.out_of_time = run_jobs(moved, rules, listener_, stop_);
    done_.stopped = stop_.stop_requested();
    for (const RunKernel& search : moved)
      for (const Outcome& outcome : search.outcomes)
        for (Rechecked& checked : done_.problems)
          if (checked.kernel == outcome.subject.kernel &&
              checked.problem == outcome.subject.problem) {
            take(checked, outcome);
            checked.moved = why_moved(outcome, checked, settings_.tolerance);
            if (!rules.first_round_alone)
              tuned_.insert({checked.kernel, checked.problem});
          }
  }

  /// What holds is known better by the tuning that it was shipped from.
  void export_all() {
    std::vector<Holding> held;
    std::error_code error;
    if (const auto& store = settings_.session.store; store && fs::exists(*store, error))
      held = with_older_answers(holdings_of(*store));
    for (const Rechecked& checked : done_.problems) {
      const auto found = exports_.find({checked.kernel, checked.problem});
      if (found == exports_.end())
        continue;
      Export& now = found->second;
      if (checked.moved.empty() && !tuned_.contains(found->first) && !replaced_by_fuller(now, held))
        ++done_.of_shipped_set;
      done_.exports.push_back(std::move(now));
    }
  }

  static bool replaced_by_fuller(Export& now, const std::vector<Holding>& held) {
    const Recording& here = now.recording;
    const Holding* fullest = nullptr;
    for (const Holding& one : held)
      if (one.kernel == here.kernel && one.problem == here.problem &&
          one.device == here.device.name && one.best_ms &&
          one.objective == objective_name(now.answer ? now.answer->found_by : FoundBy()) &&
          one.configurations > here.measurements.size() &&
          (!fullest || one.configurations > fullest->configurations))
        fullest = &one;
    if (!fullest)
      return false;
    Export before = fullest->load();
    const std::string code = known_source(before.recording); // "" of a replay
    if (!code.empty() && !known_source(here).empty() && code != known_source(here))
      return false;
    before.recording.device = here.device; // which has been checked
    before.definition = now.definition;
    now = std::move(before);
    return true;
  }

  const RetuneSettings& settings_;
  const std::stop_token& stop_;
  const Listener& listener_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Sources sources_;
  std::map<std::string, fs::path> definitions_;
  std::set<std::string> others_; ///< devices
  std::vector<const Shipment*> shipments_;
  std::vector<RunKernel> searches_; ///< one for each shipment
  std::map<Key, Export> exports_;
  std::set<Key> tuned_; ///< again
  Retuned done_;
};

} // namespace

Retuned retune(const RetuneSettings& settings, std::stop_token stop, const Listener& listener) {
  return Retune(settings, stop, listener).run();
}

std::optional<std::string> header_of(const Retuned& retuned, const std::vector<Shipment>& shipped) {
  if (retuned.stopped || std::none_of(retuned.problems.begin(), retuned.problems.end(),
                                      [](const Rechecked& one) { return !one.moved.empty(); }))
    return std::nullopt;
  std::vector<Shipment> previous;
  for (const Shipment& one : shipped)
    if (one.identifier == device_identifier(retuned.device.name))
      previous.push_back(one);
  std::vector<Export> exports = retuned.exports;
  std::erase_if(exports, [](const Export& one) { return !has_best(one); });
  if (exports.empty())
    throw Error("no configuration gave a correct result");
  return header_text(exports, previous);
}

} // namespace gridsmith
