// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/fleet/fleet.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace gridsmith {
namespace {

constexpr std::size_t most_failed = 2;    // anchors in a row
constexpr double far_off = 0.10;          // a GPU that differs so much from its peers is named
constexpr std::size_t least_ahead = 3;    // given to one GPU at least …
constexpr std::size_t most_ahead = 64;    // … and at most: as many as are counted in one session
constexpr std::size_t a_round = 16;       // what a strategy asks at once; the only GPU has it whole
constexpr std::size_t least_counted = 16; // by one GPU, where others may count as well

} // namespace

Fleet::Fleet(std::vector<FleetMember> members, FleetSettings settings)
    : settings_(std::move(settings)), anchors_(members.size(), settings_.anchor_every),
      asked_(members.size()) {
  for (FleetMember& one : members) {
    Member& member = members_.emplace_back();
    member.begin = std::move(one.begin);
    member.part.name = std::move(one.name);
    member.part.uuid = std::move(one.uuid);
  }
  begin(members_.front());
  if (others_pay())
    begin_others();
}

bool Fleet::alone() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.begin != nullptr; });
}

bool Fleet::others_pay() {
  if (!settings_.others_pay)
    return true;
  const auto since = std::exchange(worked_, {});
  worked_before_ += since;
  const std::size_t done = members_.front().part.evaluations;
  const double each = done > 0 ? worked_before_.count() / static_cast<double>(done) : 0;
  return settings_.others_pay(
      since, FleetSettings::Worked(each * static_cast<double>(waiting_.size() + asked_.size())));
}

void Fleet::begin(Member& member) {
  member.evaluator = std::exchange(member.begin, nullptr)();
}

/// One that cannot begin costs nothing but itself.
void Fleet::begin_others() {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (Member& member = members_[i]; member.begin)
      try {
        begin(member);
      } catch (const HelperError& error) {
        member.part.lost = error.what();
        anchors_.lost(i);
        say_lost(member.part, 0);
      }
}

std::vector<std::size_t> Fleet::at_work() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].evaluator)
      list.push_back(i);
  return list;
}

std::vector<std::size_t> Fleet::trusted() const {
  auto list = at_work();
  std::erase_if(list, [&](std::size_t member) { return members_[member].suspect; });
  return list;
}

/// The GPU of the answer, while it is there.
std::size_t Fleet::answering() const {
  return members_[anchors_.first()].evaluator ? anchors_.first() : at_work().front();
}

const Device& Fleet::device() const {
  return members_[answering()].evaluator->device();
}

Peaks Fleet::peaks() const {
  return members_[answering()].evaluator->peaks();
}

std::size_t Fleet::sum(Count count) const {
  std::size_t all = 0;
  for (const std::size_t i : at_work())
    all += (members_[i].evaluator.get()->*count)();
  return all;
}

std::size_t Fleet::depth() const {
  return sum(&Evaluator::depth);
}

std::size_t Fleet::useful() const {
  return sum(&Evaluator::useful);
}

bool Fleet::counts_later() const {
  return members_[answering()].evaluator->counts_later();
}

void Fleet::submit(std::vector<Trial> trials) {
  std::vector<Trial> finals, counted;
  std::size_t news = 0;
  for (Trial& trial : trials)
    if (!trial.time) {
      counted.push_back(std::move(trial));
    } else if (trial.mode == Mode::race) {
      waiting_.push_back(std::move(trial));
      ++news;
    } else {
      finals.push_back(std::move(trial));
    }
  if (!finals.empty())
    begin_finals(finals);
  if (!counted.empty())
    begin_counting(std::move(counted));
  hand_out();
  if (!settings_.shared_compilers)
    return;
  std::vector<Configuration> ahead; // compiled until somebody has room for them
  for (std::size_t i = waiting_.size() - std::min(news, waiting_.size()); i < waiting_.size(); ++i)
    ahead.push_back(waiting_[i].configuration);
  if (!ahead.empty())
    compile_ahead(ahead);
}

/// Whatever a member cannot do any more, others do.
void Fleet::attempt(std::size_t member, const Work& work) {
  try {
    if (members_[member].evaluator)
      work(*members_[member].evaluator);
  } catch (const WorkerRefused& refused) {
    members_[member].part.lost = refused.what();
    if (at_work().size() == 1)
      begin_others();
    if (at_work().size() == 1)
      throw;
    lose(member, refused.what());
  }
}

void Fleet::lose(std::size_t number, const std::string& why) {
  Member& member = members_[number];
  member.part.lost = why;
  add(gone_, member.evaluator->state());
  member.evaluator.reset();
  anchors_.lost(number);
  std::vector<Trial> again, finals;
  std::map<Mode, std::vector<Trial>> uncounted;
  for (Held& one : std::exchange(member.held, {}))
    again.push_back(std::move(one.trial));
  for (auto& [id, asked] : asked_.take_back([&](const Asked& one) { return one.member == number; }))
    if (asked.purpose == Purpose::race)
      again.push_back(std::move(asked.trial));
    else if (asked.purpose == Purpose::final)
      finals.push_back(std::move(asked.trial));
    else if (asked.purpose == Purpose::count)
      uncounted[asked.trial.mode].push_back(std::move(asked.trial));
  say_lost(member.part, again.size());
  tell_first();
  waiting_.insert(waiting_.begin(), std::make_move_iterator(again.begin()),
                  std::make_move_iterator(again.end()));
  for (const std::size_t i : at_work())
    if (anchors_.ratio(i))
      release(i); // another may be the first now
  if (!finals.empty())
    give(answering(), Purpose::final, std::move(finals));
  for (auto& [mode, trials] : uncounted)
    begin_counting(std::move(trials));
  hand_out();
}

void Fleet::say_lost(const GpuPart& part, std::size_t repeated) const {
  if (settings_.note)
    settings_.note(fmt::format("{} ({}) is no longer used: {}{}", part.name, part.uuid, part.lost,
                               repeated == 0 ? ""
                                             : fmt::format("; {} repeated on the others",
                                                           counted(repeated, "configuration"))));
}

/// @pre it is at work
void Fleet::give(std::size_t member, Purpose purpose, std::vector<Trial> trials) {
  std::vector<Trial> numbered = asked_.ask(member, purpose, std::move(trials));
  attempt(member, [&](Evaluator& evaluator) { evaluator.submit(std::move(numbered)); });
}

/// Whose times all are is another one than before.
void Fleet::tell_first() {
  const std::size_t first = anchors_.first();
  if (std::exchange(told_first_, first) == first)
    return;
  if (settings_.note)
    settings_.note(fmt::format("all times from here on are those of {} ({}): the GPU used before "
                               "had not timed the calibration configuration",
                               members_[first].part.name, members_[first].part.uuid));
  if (settings_.first)
    settings_.first(first);
}

/// To whoever has the fewest; the fewer are left, the shorter the lists, so that all end together.
void Fleet::hand_out() {
  const auto list = trusted();
  if (list.empty())
    return;
  std::map<std::size_t, std::vector<Trial>> given;
  const std::size_t most = std::clamp(waiting_.size() / (2 * list.size()),
                                      list.size() == 1 ? a_round : least_ahead, most_ahead);
  const auto load = [&](std::size_t member) { return asked_.of(member) + given[member].size(); };
  while (!waiting_.empty()) {
    const std::size_t next = *std::min_element(
        list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return load(a) < load(b); });
    if (load(next) >= most)
      break;
    given[next].push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  for (auto& [member, trials] : given)
    if (members_[member].evaluator) // it may be lost on being given them
      give(member, Purpose::race, std::move(trials));
    else
      waiting_.insert(waiting_.begin(), std::make_move_iterator(trials.begin()),
                      std::make_move_iterator(trials.end()));
}

/// The GPUs that have the least to do count first. A session of counters costs tens of milliseconds, so one GPU
/// counts at least `least_counted`.
void Fleet::begin_counting(std::vector<Trial> trials) {
  auto list = trusted().empty() ? at_work() : trusted();
  std::sort(list.begin(), list.end(),
            [&](std::size_t a, std::size_t b) { return asked_.of(a) < asked_.of(b); });
  list.resize(std::clamp<std::size_t>(trials.size() / least_counted, 1, list.size()));
  std::vector<std::vector<Trial>> parts(list.size());
  for (std::size_t i = 0; i < trials.size(); ++i)
    parts[i * parts.size() / trials.size()].push_back(std::move(trials[i]));
  for (std::size_t i = 0; i < list.size(); ++i)
    if (members_[list[i]].evaluator) // it may be lost on being given them
      give(list[i], Purpose::count, std::move(parts[i]));
    else
      begin_counting(std::move(parts[i]));
}

/// Counted and verified with new data on the GPU of the answer; the others' word is of times.
void Fleet::begin_finals(const std::vector<Trial>& trials) {
  give(answering(), Purpose::final, trials);
  const std::size_t first = answering();
  std::vector<Trial> seconds = trials;
  for (Trial& trial : seconds)
    trial.count = trial.new_data = false;
  for (const std::size_t member : at_work())
    if (members_[member].finals.clear(); member != first && members_[member].evaluator)
      give(member, Purpose::second, seconds);
}

bool Fleet::holds_any() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return !member.held.empty(); });
}

void Fleet::time_anchors() {
  if (settings_.anchor_every == 0 || alone())
    return;
  const bool more = asked_.races() > 0 || (!waiting_.empty() && !trusted().empty());
  choice_.choose(more);
  if (!choice_.anchor() && !more)
    trust_all();
  if (!choice_.anchor() || (!has_races() && !holds_any()))
    return;
  for (const std::size_t i : at_work()) {
    if (members_[i].anchoring || (!anchors_.is_due(i) && !members_[i].suspect))
      continue;
    members_[i].anchoring = true;
    give(i, Purpose::anchor,
         {{.configuration = *choice_.anchor(),
           .mode = Mode::anchor,
           .count = false,
           .new_data = false}});
  }
}

/// Another one takes its place, or, where nothing else is right, times are compared as they are.
void Fleet::drop_anchor() {
  choice_.drop();
  anchors_ = Anchors(members_.size(), settings_.anchor_every);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.failed = 0;
    if (!member.evaluator)
      anchors_.lost(i);
    for (const Held& one : member.held)
      choice_.consider(one.evaluated.measurement);
  }
  tell_first();
  if (choice_.has_candidates())
    return;
  trust_all();
  for (std::size_t i = 0; i < members_.size(); ++i)
    release(i);
}

/// As if the first GPU had measured it, as far as that can be told.
Evaluated Fleet::comparable(std::size_t member, Evaluated evaluated) const {
  if (member == anchors_.first())
    return evaluated;
  const double ratio = settings_.anchor_every == 0 ? 1 : anchors_.ratio(member).value_or(1);
  Measurement& measurement = evaluated.measurement;
  for (double& ms : measurement.times_ms)
    ms *= ratio;
  measurement.other_gpu = OtherGpu{members_[member].part.uuid, ratio};
  return evaluated;
}

void Fleet::take(std::size_t number, Evaluated evaluated) {
  const auto found = asked_.answered(evaluated.id);
  if (!found)
    return; // withdrawn
  const Asked& asked = *found;
  evaluated.id = asked.trial.id;
  if (const TimeSpent& spent = evaluated.measurement.spent; alone())
    worked_ += FleetSettings::Worked(spent.verify_ms + spent.time_ms + spent.count_ms);
  const bool again = asked.purpose == Purpose::final || asked.purpose == Purpose::second;
  if (again && evaluated.measurement.status == Status::timeout && at_work().size() > 1) {
    asked_.ask(number, asked.purpose, {asked.trial}); // of whoever is left
    return leave_out(number,
                     to_text(asked.trial.configuration) +
                         ", which was right before, fails there: " + evaluated.measurement.reason);
  }
  switch (asked.purpose) {
  case Purpose::race:
    return take_race(number, asked.trial, std::move(evaluated));
  case Purpose::anchor:
    return take_anchor(number, std::move(evaluated));
  case Purpose::final:
    finals_.push_back(comparable(number, std::move(evaluated)));
    break;
  case Purpose::second:
    members_[number].finals.push_back(std::move(evaluated.measurement));
    break;
  case Purpose::count:
    done_.push_back(std::move(evaluated));
    break;
  }
}

void Fleet::take_race(std::size_t number, const Trial& trial, Evaluated evaluated) {
  Member& member = members_[number];
  ++member.part.evaluations;
  anchors_.evaluated(number);
  const Measurement& measurement = evaluated.measurement;
  const bool hung = measurement.status == Status::timeout && !compile_given_up(measurement);
  if (hung && settings_.anchor_every > 0) {
    member.held.push_back({trial, std::move(evaluated)});
    return suspect(number);
  }
  const bool known = settings_.anchor_every == 0 || anchors_.ratio(number);
  if (!known && cost_ms(measurement))
    choice_.consider(measurement);
  if (known || alone() || !cost_ms(measurement)) {
    done_.push_back(comparable(number, std::move(evaluated)));
    return;
  }
  member.held.push_back({trial, std::move(evaluated)});
}

/// It may be the GPU that hangs: it is believed once the anchor is right there after it, and what waits
/// there is given to others meanwhile.
void Fleet::suspect(std::size_t number) {
  Member& member = members_[number];
  if (std::exchange(member.suspect, true))
    return;
  auto taken = asked_.take_back(
      [&](const Asked& one) { return one.member == number && one.purpose == Purpose::race; });
  for (auto& [id, asked] : taken) {
    member.evaluator->withdraw(id);
    waiting_.push_front(std::move(asked.trial));
  }
}

/// Where nothing is right anywhere, there is no anchor to tell.
void Fleet::trust_all() {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (std::exchange(members_[i].suspect, false))
      release(i);
}

void Fleet::take_anchor(std::size_t number, Evaluated evaluated) {
  Member& member = members_[number];
  member.anchoring = false;
  const auto ms = cost_ms(evaluated.measurement);
  if (evaluated.measurement.configuration != choice_.anchor())
    return; // of an anchor before this one
  if (!evaluated.measurement.correct() || !ms)
    return refuse_anchor(number, evaluated.measurement);
  member.failed = 0;
  member.suspect = false;
  anchors_.timed(number, *ms);
  done_.push_back(comparable(number, std::move(evaluated)));
  for (const std::size_t i : at_work())
    if (anchors_.ratio(i))
      release(i);
  if (best_ms_)
    best_so_far(*best_ms_);
  name_outliers();
}

/// Where it is right elsewhere, again and again, it is the GPU.
void Fleet::refuse_anchor(std::size_t number, const Measurement& measurement) {
  const bool others_try = std::any_of(members_.begin(), members_.end(), [](const Member& other) {
    return other.anchoring && other.failed == 0;
  });
  if (++members_[number].failed < most_failed || (others_try && !anchors_.timed_elsewhere(number)))
    return;
  if (!anchors_.timed_elsewhere(number) || at_work().size() == 1)
    return drop_anchor();
  const std::string why =
      fmt::format("{}, which is right elsewhere, fails there: {}", to_text(*choice_.anchor()),
                  measurement.reason.empty() ? to_text(measurement.status) : measurement.reason);
  leave_out(number, why);
}

void Fleet::leave_out(std::size_t number, const std::string& why) {
  attempt(number, [&](Evaluator&) { throw WorkerRefused(why, false); });
}

void Fleet::release(std::size_t number) {
  if (members_[number].suspect)
    return;
  for (Held& one : std::exchange(members_[number].held, {}))
    done_.push_back(comparable(number, std::move(one.evaluated)));
}

/// Of two GPUs the slower one; where there are more, whoever is far from the median of all.
void Fleet::name_outliers() {
  const auto list = at_work();
  for (const std::size_t i : list)
    if (!anchors_.ratio(i))
      return; // fewer would say less
  for (const std::size_t i : list) {
    Member& member = members_[i];
    const auto off = anchors_.off_peers(i);
    const bool far = off && (*off > far_off || (*off < -far_off && members_.size() > 2));
    if (!far || std::exchange(member.named, true) || !settings_.note)
      continue;
    settings_.note(fmt::format("{} ({}) is {:.0f} % {} than its peers at the same configuration",
                               member.part.name, member.part.uuid, std::abs(*off) * 100,
                               *off > 0 ? "slower" : "faster"));
  }
}

void Fleet::release_finals() {
  if (asked_.finals() == 0)
    for (Evaluated& one : std::exchange(finals_, {}))
      done_.push_back(std::move(one));
}

std::vector<Evaluated> Fleet::collect(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (true) {
    for (const std::size_t i : at_work())
      attempt(i, [&](Evaluator& evaluator) {
        for (Evaluated& one : evaluator.collect(std::chrono::milliseconds(0)))
          take(i, std::move(one));
      });
    if (alone() && others_pay())
      begin_others();
    time_anchors();
    hand_out();
    release_finals();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (!done_.empty() || asked_.empty() || left.count() <= 0)
      return std::exchange(done_, {});
    settings_.wait(at_work(), left);
  }
}

void Fleet::withdraw(TrialId id) {
  std::erase_if(waiting_, [&](const Trial& trial) { return trial.id == id; });
  std::erase_if(finals_, [&](const Evaluated& one) { return one.id == id; });
  for (const auto& [number, asked] : asked_.take_back(
           [&](const Asked& one) { return one.purpose != Purpose::anchor && one.trial.id == id; }))
    members_[asked.member].evaluator->withdraw(number);
  for (Member& member : members_)
    std::erase_if(member.held, [&](const Held& one) { return one.trial.id == id; });
}

std::optional<double> Fleet::compiling_s(TrialId id) const {
  const auto race = asked_.race(id);
  return race ? members_[race->member].evaluator->compiling_s(race->number) : std::nullopt;
}

void Fleet::put_off(TrialId id) {
  if (const auto race = asked_.race(id))
    members_[race->member].evaluator->put_off(race->number);
}

void Fleet::give_up(TrialId id) {
  if (const auto race = asked_.race(id))
    members_[race->member].evaluator->give_up(race->number);
}

void Fleet::compile_ahead(const std::vector<Configuration>& likely) {
  const auto list = at_work();
  if (likely.empty()) // said to all
    for (const std::size_t member : list)
      members_[member].evaluator->compile_ahead({});
  if (settings_.shared_compilers)
    return members_[list.front()].evaluator->compile_ahead(likely);
  std::map<std::size_t, std::vector<Configuration>> dealt;
  for (std::size_t i = 0; i < likely.size(); ++i)
    dealt[list[i % list.size()]].push_back(likely[i]);
  for (const auto& [member, some] : dealt)
    members_[member].evaluator->compile_ahead(some);
}

std::size_t Fleet::spare_compilers() const {
  return members_[answering()].evaluator->spare_compilers();
}

void Fleet::best_so_far(double best_ms) {
  best_ms_ = best_ms;
  for (const std::size_t i : at_work())
    if (const auto ratio = settings_.anchor_every == 0 ? 1 : anchors_.ratio(i))
      members_[i].evaluator->best_so_far(best_ms / *ratio);
}

EvaluatorState Fleet::state() const {
  EvaluatorState sum = gone_;
  sum.measuring = 0;
  const auto list = at_work();
  for (const std::size_t i : list) {
    const EvaluatorState one = members_[i].evaluator->state();
    add(sum, one);
    sum.compiling = settings_.shared_compilers ? one.compiling : sum.compiling + one.compiling;
  }
  const std::size_t open = waiting_.size() + asked_.size(), busy = sum.compiling + sum.measuring;
  sum.queued = open - std::min(open, busy);
  sum.gpus = list.size();
  return sum;
}

std::vector<GpuAccount> Fleet::gpus() const {
  std::vector<GpuAccount> list;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    list.push_back({members_[i].part, members_[i].finals});
    list.back().part.ratio = anchors_.ratio(i);
  }
  return list;
}

} // namespace gridsmith
