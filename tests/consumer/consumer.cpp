// SPDX-License-Identifier: Apache-2.0
// An embedding program: tunes the shipped transpose through the API, from a recording where there is
// no GPU or one is given, and prints what it found.
#include <gridsmith/tuner/session/session.hpp>

#include <iostream>

int main(int count, char** arguments) {
  using namespace gridsmith;
  try {
    SessionSettings settings{.kernel = "transpose"};
    settings.problems = {{{8192, 8192}}};
    settings.budget.evaluations = 60;
    if (count > 1)
      settings.recording = arguments[1];
    std::uint64_t steps = 0;
    const Listener listener{.progress = [&](const Progress&) { ++steps; }};
    for (const Outcome& outcome : Session(settings).run({}, listener)) {
      const Ranked& best = outcome.answer.ranking.at(0);
      std::cout << outcome.subject.kernel << " " << outcome.subject.problem << " on "
                << outcome.subject.device.name << ": " << to_text(best.measurement.configuration)
                << ", " << best.time.median_ms << " ms, after "
                << outcome.result.measurements.size() << " of " << outcome.subject.configurations
                << " configurations (" << outcome.subject.conditions << ")\n";
      if (steps == 0 || best.time.median_ms > 0.14) // 0.132 ms is the best of that recording
        return 1;
    }
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
