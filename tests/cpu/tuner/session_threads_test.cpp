// SPDX-License-Identifier: Apache-2.0
// Two sessions in two threads at once; for the thread sanitizer.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <array>
#include <thread>

namespace session_threads_test {

using namespace gridsmith;

TEST_CASE("two sessions in two threads do not know of each other") {
  std::array<std::vector<Outcome>, 2> outcomes;
  {
    std::array<std::jthread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i)
      threads[i] = std::jthread([&, i] {
        const test::Folder folder;
        test::install_fakes(folder.path());
        SessionSettings settings{.kernel = test::write_kernel(folder.path(), "one", 12).string()};
        settings.strategy = i ? "exhaustive" : "default";
        settings.store = folder.path() / "store.db";
        settings.helpers.compilers = 2;
        settings.helpers.cache = false;
        settings.helpers.installation.programs = folder.path();
        outcomes[i] = Session(settings).run({}, {.progress = [](const Progress&) {}});
      });
  }
  for (const auto& one : outcomes) {
    REQUIRE(one.size() == 1);
    CHECK(to_text(one[0].answer.ranking.at(0).measurement.configuration) == "X=7");
  }
}

} // namespace session_threads_test
