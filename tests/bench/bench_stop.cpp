// SPDX-License-Identifier: Apache-2.0
// When a tuning should end: the stop rule on recordings, each judged by weights that were learned
// without its kernel. Figures, no assertions. bench_stop --runs 20; --learn prints the weights.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/search/strategies/stop_rule.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/shipped_recordings.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

namespace bench_stop {

using namespace gridsmith;

namespace {

struct Options {
  std::vector<std::string> strategies = {"default"};
  SimulationSettings settings{.runs = 20, .evaluations = {200}, .in_flight = 16, .compilers = 16};
  double unlikely = StopRule::unlikely;
  bool learn = false, hopeless = false;
};

/// The course of one run: after each evaluation from the least on.
struct Course {
  std::vector<StopRule::Features> features;
  std::vector<double> ratios; ///< after 1, 2, … evaluations
  std::uint64_t size = 0;     ///< of the space

  /// Whether those ahead bring more than is worthwhile.
  bool pays(std::size_t told) const {
    const std::size_t then = std::min(told + StopRule::ahead, ratios.size());
    return ratios[then - 1] < ratios[told - 1] * (1 - StopRule::worthwhile);
  }
};

struct Recorded {
  std::string name, kernel;
  std::vector<Course> courses;
};

/// Writes down what the rule sees of a strategy's run.
class Watched final : public Strategy {
public:
  Watched(std::unique_ptr<Strategy> strategy, const SearchSpace& space, const Judge& judge,
          bool hopeless, Course& course)
      : strategy_(std::move(strategy)), rule_(space), judge_(judge), hopeless_(hopeless),
        course_(course) {}

  std::vector<ConfigurationId> ask(std::size_t count) override { return strategy_->ask(count); }

  void tell(std::span<const Observation> observations) override {
    strategy_->tell(observations);
    for (const Observation& one : observations) {
      const auto hope = hopeless_ ? std::nullopt : strategy_->hope();
      rule_.hear({&one, 1}, hope);
      const double before =
          course_.ratios.empty() ? judge_.random().worst() : course_.ratios.back();
      course_.ratios.push_back(std::min(before, judge_.ratio(one.id)));
      if (rule_.told() >= StopRule::least)
        course_.features.push_back(rule_.features(hope));
    }
  }

  void withdraw(ConfigurationId id) override { strategy_->withdraw(id); }

  std::size_t batch() const override { return strategy_->batch(); }

  std::size_t most_pending() const override { return strategy_->most_pending(); }

private:
  std::unique_ptr<Strategy> strategy_;
  StopRule rule_;
  const Judge& judge_;
  bool hopeless_;
  Course& course_;
};

std::vector<Course> courses_of(const Judge& judge, const Options& options) {
  std::vector<Course> all;
  for (const std::string& strategy : options.strategies) {
    std::vector<Course> courses(options.settings.runs);
    const StrategyEntry watched{strategy, "", [&](const SearchProblem& problem) {
                                  Course& course = courses[problem.seed - options.settings.seed];
                                  course.size = problem.space.size();
                                  return std::make_unique<Watched>(make_strategy(strategy, problem),
                                                                   problem.space, judge,
                                                                   options.hopeless, course);
                                }};
    simulate(judge, "", watched, options.settings);
    all.insert(all.end(), courses.begin(), courses.end());
  }
  return all;
}

/// Part of the name before the first "_": variants of a kernel teach one another too much.
std::string kernel_of(const std::string& name) {
  static const std::map<std::string, std::string> same{{"sgemm", "gemm"}, {"matmul", "gemm"}};
  const std::string first = name.substr(0, name.find_first_of("_/"));
  const auto found = same.find(first);
  return found == same.end() ? first : found->second;
}

std::vector<std::pair<std::string, std::filesystem::path>> recordings() {
  const std::filesystem::path root = GRIDSMITH_SOURCE_DIR;
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  for (const auto& file : test::shipped_recordings())
    files.emplace_back(file.parent_path().parent_path().filename() / file.filename(), file);
  if (const auto shared = root / "../shared/spaces/dev"; std::filesystem::exists(shared))
    for (const auto& entry : std::filesystem::directory_iterator(shared))
      if (const std::string name = entry.path().filename().string();
          name.ends_with(".json.gz") && !name.starts_with("counters") &&
          name.find(".T4.") == std::string::npos)
        files.emplace_back(name, entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

using Square = std::array<StopRule::Features, StopRule::feature_count>;

/// Of a symmetric positive definite system, by elimination.
StopRule::Features solved(Square a, StopRule::Features b) {
  constexpr std::size_t n = StopRule::feature_count;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Logistic regression by Newton's method; a ridge keeps what tells nothing near 0.
StopRule::Features learned(const std::vector<const Recorded*>& from) {
  constexpr std::size_t n = StopRule::feature_count, steps = 12;
  constexpr double ridge = 3;
  StopRule::Features weights{};
  for (std::size_t step = 0; step < steps; ++step) {
    StopRule::Features slope{};
    Square curvature{};
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = -ridge * weights[i];
      curvature[i][i] = ridge;
    }
    for (const Recorded* recorded : from)
      for (const Course& course : recorded->courses)
        for (std::size_t at = 0; at + StopRule::ahead < course.features.size(); at += 3) {
          const StopRule::Features& x = course.features[at];
          const double p = StopRule::chance_of(x, weights);
          const double pays = course.pays(at + StopRule::least) ? 1 : 0;
          for (std::size_t i = 0; i < n; ++i) {
            slope[i] += (pays - p) * x[i];
            for (std::size_t j = 0; j < n; ++j)
              curvature[i][j] += p * (1 - p) * x[i] * x[j];
          }
        }
    const StopRule::Features change = solved(curvature, slope);
    for (std::size_t i = 0; i < n; ++i)
      weights[i] += change[i];
  }
  return weights;
}

struct Stop {
  std::size_t evaluations;
  double loss_percent;
};

Stop stop_of(const Course& course, const StopRule::Features& weights, double unlikely) {
  std::size_t told = course.ratios.size(), in_a_row = 0;
  for (std::size_t i = 0; i < course.features.size() && in_a_row < StopRule::in_a_row; ++i) {
    const std::size_t now = i + StopRule::least - 1;
    const bool gained = course.ratios[now] < course.ratios[now - 1] * (1 - StopRule::worthwhile);
    const bool low = StopRule::chance_of(course.features[i], weights) < unlikely;
    in_a_row = low && !gained ? in_a_row + 1 : 0;
    if (in_a_row == StopRule::in_a_row)
      told = i + StopRule::least;
  }
  return {told, 100 * (course.ratios[told - 1] - 1)};
}

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return quantile(values, share);
}

void print_row(const std::string& name, const std::vector<Stop>& stops) {
  std::vector<double> evaluations, losses;
  for (const Stop& one : stops) {
    evaluations.push_back(static_cast<double>(one.evaluations));
    losses.push_back(one.loss_percent);
  }
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", name, stops.size(),
             at(evaluations, 0.5), at(evaluations, 0.9), at(losses, 0.5), at(losses, 0.9));
}

/// Of all moments whose chance was said: how often what was said came true.
struct Reliability {
  struct Bin {
    double said = 0, came = 0;
    std::size_t count = 0;
  };

  static constexpr std::array bounds{0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01};
  std::array<Bin, bounds.size()> bins{};

  void add(const Course& course, const StopRule::Features& weights) {
    for (std::size_t i = 0; i + StopRule::ahead < course.features.size(); i += 5) {
      const double chance = StopRule::chance_of(course.features[i], weights);
      Bin& bin = bins[static_cast<std::size_t>(
          std::upper_bound(bounds.begin(), bounds.end(), chance) - bounds.begin())];
      bin.said += chance;
      bin.came += course.pays(i + StopRule::least) ? 1 : 0;
      ++bin.count;
    }
  }

  void print() const {
    fmt::print(
        "\n| chance said, up to % | moments | mean said % | came true % |\n|---|---|---|---|\n");
    for (std::size_t i = 0; i < bins.size(); ++i)
      if (const auto count = static_cast<double>(bins[i].count); count > 0)
        fmt::print("| {:.0f} | {} | {:.1f} | {:.1f} |\n", 100 * std::min(1.0, bounds[i]),
                   bins[i].count, 100 * bins[i].said / count, 100 * bins[i].came / count);
  }
};

int run(const Options& options) {
  std::vector<Recorded> all;
  for (const auto& [name, file] : recordings()) {
    const Recording recording = read_recording(file);
    const RecordedSpace space(recording);
    if (space.space().size() <= StopRule::least + StopRule::ahead)
      continue; // finished
    all.push_back({name, kernel_of(name), courses_of(Judge(space), options)});
    std::cerr << name << ", kernel " << all.back().kernel << "\n";
  }
  std::map<std::string, StopRule::Features> without;
  std::vector<const Recorded*> everything;
  for (const Recorded& one : all) {
    everything.push_back(&one);
    if (without.contains(one.kernel))
      continue;
    std::vector<const Recorded*> others;
    for (const Recorded& other : all)
      if (other.kernel != one.kernel)
        others.push_back(&other);
    without[one.kernel] = learned(others);
  }
  fmt::print("| recording | runs | evaluations median | 90 % | loss % median | 90 % |\n"
             "|---|---|---|---|---|---|\n");
  std::vector<Stop> pooled;
  Reliability reliability;
  for (const Recorded& one : all) {
    std::vector<Stop> stops;
    for (const Course& course : one.courses) {
      stops.push_back(stop_of(course, without[one.kernel], options.unlikely));
      reliability.add(course, without[one.kernel]);
    }
    pooled.insert(pooled.end(), stops.begin(), stops.end());
    print_row(one.name, stops);
  }
  print_row("all", pooled);
  reliability.print();
  if (options.learn) {
    fmt::print("\n{{");
    for (const double weight : learned(everything))
      fmt::print("{:.3g}, ", weight);
    fmt::print("}}\n");
  }
  return 0;
}

} // namespace

int run(int argc, char** argv) {
  Options options;
  CLI::App app("The stop rule on recordings");
  app.add_option("--strategy", options.strategies, "strategies, separated by commas")
      ->delimiter(',');
  app.add_option("--runs", options.settings.runs, "seeds");
  app.add_option("--seed", options.settings.seed, "the first of them");
  app.add_option("--evaluations", options.settings.evaluations, "at most")->expected(1);
  app.add_option("--in-flight", options.settings.in_flight, "questions open at once");
  app.add_option("--threads", options.settings.threads, "0: all cores");
  app.add_option("--unlikely", options.unlikely, "chance below which a run ends");
  app.add_flag("--learn", options.learn, "print the weights of all recordings");
  app.add_flag("--hopeless", options.hopeless, "without what the strategy's model hopes for");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}

const Bench entry("stop", run);

} // namespace bench_stop
