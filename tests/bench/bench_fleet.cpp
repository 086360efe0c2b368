// SPDX-License-Identifier: Apache-2.0
// What many GPUs bring, simulated: GPUs on a clock that does not run, with made-up times of compiling and
// measuring, under the evaluator and the loop that tune. Evaluations per second of that clock, evaluations
// until the best is within 5 %, and what rank 0 itself needs for an evaluation, which is where it becomes
// the limit. Figures, no assertions.
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/cpu/tuner/made_up_gpu.hpp"
#include "gridsmith/tuner/fleet/fleet.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <set>

namespace bench_fleet {

using namespace gridsmith;
using test::MadeUpGpu;

namespace {

constexpr std::size_t gpus_of_a_node = 8, cores_of_a_gpu = 8;
constexpr double usual_compile_ms = 300, usual_ms = 1, overhead_ms = 20;

double number(const Value& value) {
  return static_cast<double>(std::get<std::int64_t>(value));
}

/// 0 … 1, the same for the same configuration.
double drawn(const Configuration& configuration, std::uint64_t salt) {
  std::uint64_t hash = 1469598103934665603ULL + salt; // FNV-1a
  for (const auto& [name, value] : configuration)
    hash = (hash ^ static_cast<std::uint64_t>(number(value))) * 1099511628211ULL;
  std::mt19937_64 random(hash);
  return std::uniform_real_distribution<double>(0, 1)(random);
}

/// A valley with some interplay: 1 at best, 5 to 10 where it is bad.
double ms_of(const Configuration& configuration) {
  double time = usual_ms;
  for (const auto& [name, value] : configuration) {
    const double place = number(value) / 10;
    time += std::pow(place - 0.6, 2) +
            0.2 * std::abs(std::sin(7.0 * place * (number(configuration.front().second) + 1)));
  }
  return time;
}

/// Some take ten times as long as most.
double compile_ms_of(const Configuration& configuration) {
  return usual_compile_ms * std::exp(2.3 * std::pow(drawn(configuration, 1), 4));
}

SearchSpace made_up_space() {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 4; ++p) {
    Parameter& one = parameters.emplace_back(Parameter{fmt::format("p{}", p), {}});
    for (int value = 0; value < 10; ++value)
      one.values.emplace_back(std::int64_t{value});
  }
  return SearchSpace::build(std::move(parameters), {});
}

struct Figures {
  double rate = 0, rank_0_ms = 0;
  std::size_t until_near = 0; ///< evaluations; 0: never
  double seconds_until_near = 0;
};

class Load {
public:
  Load(std::size_t gpus, std::uint64_t seed) : seed_(seed) {
    std::vector<FleetMember> members;
    const auto compilers = // one pool, wherever its processes are
        std::make_shared<test::MadeUpCompilers>(cores_of_a_gpu * gpus, compile_ms_of);
    for (std::size_t i = 0; i < gpus; ++i) {
      test::MadeUpGpuFacts facts;
      facts.speed = 1 + 0.08 * std::sin(static_cast<double>(i));
      facts.drift = 0.02;
      facts.period_ms = 60'000;
      facts.noise = 0.03;
      facts.overhead_ms = overhead_ms;
      facts.seed = 1000 * seed + i;
      gpus_.push_back(nullptr);
      members.push_back({[this, compilers, facts, i] {
                           auto gpu = std::make_unique<MadeUpGpu>(world_, compilers, ms_of, facts);
                           gpus_[i] = gpu.get();
                           return gpu;
                         },
                         fmt::format("GPU {}", i), fmt::format("uuid-{}", i)});
    }
    FleetSettings settings;
    settings.wait = [this](const auto& list, std::chrono::milliseconds) {
      std::vector<const MadeUpGpu*> those;
      for (const std::size_t i : list)
        those.push_back(gpus_[i]);
      test::pass_time(world_, those);
    };
    fleet_.emplace(std::move(members), std::move(settings));
  }

  Figures run(const SearchSpace& space, const std::string& strategy, std::uint64_t evaluations,
              double best) {
    Figures figures;
    std::size_t done = 0;
    double first_ms = 0, last_ms = 0;
    const RecordKeeping keeping{.find = [](const Configuration&) { return std::nullopt; },
                                .add =
                                    [&](std::span<const Measurement> some) {
                                      for (const Measurement& one : some) {
                                        if (one.mode != Mode::race)
                                          continue;
                                        if (done++ == 0)
                                          first_ms = world_.now_ms;
                                        last_ms = world_.now_ms;
                                        if (figures.until_near == 0 &&
                                            ms_of(one.configuration) <= 1.05 * best) {
                                          figures.until_near = done;
                                          figures.seconds_until_near = world_.now_ms / 1000;
                                        }
                                      }
                                    }};
    const auto search =
        make_strategy(strategy, {.space = space, .seed = seed_, .budget = evaluations});
    TuningSettings settings;
    settings.budget.evaluations = evaluations;
    const auto begin = std::chrono::steady_clock::now();
    tune({space, [&] { return OpenJob{*fleet_, keeping}; }}, *search, settings);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    figures.rate = static_cast<double>(done - 1) / ((last_ms - first_ms) / 1000);
    figures.rank_0_ms = took.count() / static_cast<double>(done);
    return figures;
  }

private:
  std::uint64_t seed_;
  test::MadeUpWorld world_;
  std::vector<const MadeUpGpu*> gpus_;
  std::optional<Fleet> fleet_;
};

} // namespace

int run(int count, char** words) {
  CLI::App app("What many GPUs bring, simulated");
  std::vector<std::string> strategies{"random", "default"};
  std::vector<std::size_t> all_gpus{1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::uint64_t evaluations = 2000, seeds = 3;
  app.add_option("--strategy", strategies);
  app.add_option("--gpus", all_gpus);
  app.add_option("--evaluations", evaluations);
  app.add_option("--seeds", seeds);
  CLI11_PARSE(app, count, words);
  const SearchSpace space = made_up_space();
  double best = INFINITY;
  for (ConfigurationId id = 0; id < space.size(); ++id)
    best = std::min(best, ms_of(space.at(id)));
  for (const std::string& strategy : strategies) {
    fmt::print("\n{}, {} of {} configurations, means of {} runs\n\n"
               "| GPUs | nodes | evaluations/s | times one GPU | until within 5 %: evaluations | "
               "seconds | rank 0, ms per evaluation |\n|---|---|---|---|---|---|---|\n",
               strategy, evaluations, space.size(), seeds);
    double alone = 0;
    for (const std::size_t gpus : all_gpus) {
      Figures sum;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Figures one = Load(gpus, seed).run(space, strategy, evaluations, best);
        sum.rate += one.rate;
        sum.until_near += one.until_near;
        sum.seconds_until_near += one.seconds_until_near;
        sum.rank_0_ms += one.rank_0_ms;
      }
      const auto mean = [&](double of) { return of / static_cast<double>(seeds); };
      if (gpus == all_gpus.front())
        alone = sum.rate;
      fmt::print("| {} | {} | {:.0f} | {:.1f} | {:.0f} | {:.1f} | {:.2f} |\n", gpus,
                 (gpus + gpus_of_a_node - 1) / gpus_of_a_node, mean(sum.rate), sum.rate / alone,
                 mean(static_cast<double>(sum.until_near)), mean(sum.seconds_until_near),
                 mean(sum.rank_0_ms));
      std::fflush(stdout);
    }
  }
  return 0;
}

const Bench entry("fleet", run);

} // namespace bench_fleet
