// An embedding program: searches a recorded space with the default strategy and prints what it found.
#include <gridsmith/base/error.hpp>
#include <gridsmith/results/measurement/recording.hpp>
#include <gridsmith/search/strategies/strategy.hpp>

#include <iostream>
#include <limits>

int main(int count, char** arguments) {
  using namespace gridsmith;
  if (count != 2) {
    std::cerr << "usage: consumer RECORDING\n";
    return 2;
  }
  try {
    const Recording recording = read_recording(arguments[1]);
    const RecordedSpace recorded(recording);
    const auto strategy = make_strategy("default", {.space = recorded.space(), .seed = 1});
    double best = std::numeric_limits<double>::infinity();
    ConfigurationId best_id = 0;
    std::size_t evaluations = 0;
    while (evaluations < 60) {
      std::vector<Observation> answers;
      for (const ConfigurationId id : strategy->ask(1))
        answers.push_back(recorded.observation(id));
      if (answers.empty())
        break;
      evaluations += answers.size();
      for (const Observation& one : answers)
        if (one.valid && one.cost < best) {
          best = one.cost;
          best_id = one.id;
        }
      strategy->tell(answers);
    }
    std::cout << recording.kernel << " " << recording.problem << " on " << recording.device.name
              << ": " << to_text(recorded.space().at(best_id)) << ", " << best << " ms after "
              << evaluations << " of " << recorded.space().size() << " configurations; the best is "
              << recorded.optimum_ms() << " ms\n";
    return best <= 1.05 * recorded.optimum_ms() ? 0 : 1;
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
