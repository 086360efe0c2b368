#include "gridsmith/tuner/loop/ask_tell.hpp"

#include <algorithm>
#include <chrono>

namespace gridsmith {
namespace {

constexpr std::size_t chunk = 16;       // asked at once of strategies that need no answer
constexpr std::size_t ahead_factor = 2; // batches of likely next configurations compiled ahead

class AskTell {
public:
  AskTell(Strategy& strategy, Answerer& answerer, const AskTellLimits& limits, const Clock& clock,
          std::stop_token stop)
      : strategy_(strategy), answerer_(answerer), limits_(limits), clock_(clock),
        stop_(std::move(stop)), free_running_(strategy.batch() == unlimited_batch),
        batch_(std::max<std::size_t>(
            1, std::min(limits.batch.value_or(unlimited_batch), strategy.batch()))),
        start_s_(clock.now_s()) {}

  AskTellResult run() {
    const GiveUp give_up = [this] { return over(); };
    while (true) {
      ask();
      if (open_ == 0 || over())
        return result_;
      const auto answers = answerer_.take(free_running_ ? 1 : open_, give_up);
      if (over())
        return result_;
      timed([&] { strategy_.tell(answers); });
      result_.told += answers.size();
      open_ -= std::min(open_, answers.size());
    }
  }

private:
  bool over() {
    if (stop_.stop_requested())
      result_.ended = Ended::stopped;
    else if (limits_.seconds && clock_.now_s() - start_s_ >= *limits_.seconds)
      result_.ended = Ended::out_of_time;
    return result_.ended != Ended::finished;
  }

  void ask() {
    bool any = false;
    while (!exhausted_ && result_.asked < limits_.evaluations &&
           (free_running_ ? open_ < answerer_.depth() : open_ == 0) && !over()) {
      const auto left = static_cast<std::size_t>(
          std::min<std::uint64_t>(limits_.evaluations - result_.asked, unlimited_batch));
      std::vector<ConfigurationId> ids;
      timed([&] { ids = strategy_.ask(std::min(left, free_running_ ? chunk : batch_)); });
      exhausted_ = ids.empty();
      any = any || !ids.empty();
      result_.asked += ids.size();
      open_ += ids.size();
      answerer_.begin(ids);
    }
    if (any && !free_running_)
      answerer_.expect(strategy_.likely(batch_ * ahead_factor));
  }

  template <typename Action>
  void timed(const Action& action) {
    const auto begun = std::chrono::steady_clock::now();
    action();
    result_.search_ms +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  }

  Strategy& strategy_;
  Answerer& answerer_;
  const AskTellLimits& limits_;
  const Clock& clock_;
  std::stop_token stop_;
  bool free_running_;
  std::size_t batch_;
  double start_s_;
  std::size_t open_ = 0; ///< asked and not told
  bool exhausted_ = false;
  AskTellResult result_;
};

} // namespace

AskTellResult ask_and_tell(Strategy& strategy, Answerer& answerer, const AskTellLimits& limits,
                           const Clock& clock, std::stop_token stop) {
  return AskTell(strategy, answerer, limits, clock, std::move(stop)).run();
}

} // namespace gridsmith
