// SPDX-License-Identifier: Apache-2.0
// An embedding program: tunes the shipped transpose, from a recording where there is no GPU or one is given, prints what it
// found, and searches by a strategy of its own.
#include <gridsmith.hpp>

#include <iostream>
#include <numeric>

namespace {

/// Every third configuration.
class Thirds : public gridsmith::Strategy {
public:
  void begin(const gridsmith::Space& space) override { size_ = space.size(); }

  std::vector<std::uint64_t> ask(std::size_t most) override {
    std::vector<std::uint64_t> ids;
    for (; ids.size() < most && next_ < size_ && next_ < 60; next_ += 3)
      ids.push_back(next_);
    return ids;
  }

  void tell(std::span<const gridsmith::Observation> answers) override { heard += answers.size(); }

  std::size_t heard = 0;

private:
  std::uint64_t size_ = 0, next_ = 0;
};

} // namespace

int main(int count, char** arguments) try {
  const std::string recording =
      count > 1 ? std::string(", \"recording\": \"") + arguments[1] + "\"" : "";
  gridsmith::Session session(
      R"({"kernel": "transpose", "sizes": [[8192, 8192]], "evaluations": 60)" + recording + "}");
  std::uint64_t steps = 0;
  const gridsmith::Listener listener{.progress = [&](const gridsmith::Json& progress) {
    steps += progress.size("new");
    return true;
  }};
  for (const gridsmith::Outcome& outcome : session.run(listener)) {
    const auto best = outcome.best();
    if (!best) {
      std::cout << outcome.text();
      return 1;
    }
    std::cout << outcome.answer().get<std::string>("kernel") << " on "
              << outcome.answer().get<std::string>("/device/name") << ": tile "
              << best->get<int>("TILE") << ", " << best->time_ms << " ms\n";
    if (steps < 60 || best->time_ms > 0.14) // 0.132 ms is the best of that recording
      return 1;
  }
  Thirds thirds;
  session.search_by("thirds", thirds);
  if (session.run().size() != 1 || thirds.heard != 20)
    return 1;
  return 0;
} catch (const gridsmith::Error& error) {

  std::cerr << error.what() << '\n';
  return 3;
}
