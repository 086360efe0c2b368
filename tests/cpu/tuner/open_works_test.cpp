// SPDX-License-Identifier: Apache-2.0
// How many works a worker keeps, and which it closes: without a device.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/worker/steps/open_works.hpp"

#include <memory>
#include <string>
#include <vector>

namespace open_works_test {

using namespace gridsmith;

namespace {

/// A device of 100 with works that take as much as their seed says.
struct Setup {
  struct Work final : OpenedWork {
    Work(Setup& setup, const OpenWork& open) : on(setup), number(open.work), size(open.seed) {
      if (on.used + size > 100)
        throw NoMemory("the data needs " + std::to_string(size));
      on.used += size;
    }

    ~Work() override { on.used -= size; }

    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void run(const EvaluateBatch&) override { on.ran.push_back(number); }

    Setup& on;
    std::uint64_t number, size;
  };

  using Numbers = std::vector<std::uint64_t>;

  Numbers open(std::uint64_t number, std::uint64_t size) {
    OpenWork work;
    work.work = number;
    work.seed = size;
    return works.open(work).closed;
  }

  void run(std::uint64_t number) {
    EvaluateBatch batch;
    batch.work = number;
    works.run(batch);
  }

  std::uint64_t used = 0;
  Numbers ran;
  OpenWorks works{
      [this](const OpenWork& open, WorkOpened&) { return std::make_unique<Work>(*this, open); },
      [this] { return 1 - static_cast<double>(used) / 100; }};
};

using Numbers = Setup::Numbers;

} // namespace

TEST_CASE("works stay open while half of the memory is free") {
  Setup on;
  for (std::uint64_t number = 1; number <= 5; ++number)
    CHECK(on.open(number, 10).empty());
  CHECK(on.open(6, 10).empty());
  CHECK(on.open(7, 10) == Numbers{1});
  CHECK(on.used == 60);
}

TEST_CASE("the one used longest ago is closed first") {
  Setup on;
  on.open(1, 30);
  on.open(2, 30);
  on.run(1);
  CHECK(on.open(3, 10) == Numbers{2});
  on.run(3);
  on.run(1);
  CHECK(on.ran == Numbers{1, 3, 1});
  CHECK_THROWS_AS(on.run(2), ProtocolError);
}

TEST_CASE("a work that needs all of the memory has it, and one that needs more is refused") {
  Setup on;
  on.open(1, 20);
  on.open(2, 20);
  CHECK(on.open(3, 100) == Numbers{1, 2});
  CHECK(on.open(4, 5) == Numbers{3});
  CHECK_THROWS_AS(on.open(5, 101), NoMemory);
  CHECK(on.used == 0);
}

} // namespace open_works_test
