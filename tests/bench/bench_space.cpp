// SPDX-License-Identifier: Apache-2.0
// How long a search space takes to build and to list, beside the rivals' figures on the same
// spaces. Prints tables; asserts only that the counts are the known ones.
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/bench/bench.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>

namespace bench_space {

using namespace gridsmith;

namespace {

/// Milliseconds of the rivals on a 2-core AMD EPYC, g++ 12.2 and Python 3.11, medians of 7: Kernel
/// Tuner 1.4.0, ATF (cppATF, -O2, one tree and grouped by hand), KTT 2.2, and nested loops
/// generated and compiled for each space. Measured apart from this program.
struct Rival {
  const char* space;
  double kernel_tuner, atf_last, atf_tree, atf_grouped, ktt, loops;
};

constexpr Rival rivals[] = {
    {"dedispersion", 12, 3.4, 3.4, 0.055, 0.19, 0.65},
    {"expdist", 480, 70, 54, 0.052, 0.17, 20},
    {"hotspot", 1030, 120, 70, 61, 140, 17},
    {"gemm", 180, 66, 55, 1.7, 3.6, 7.1},
    {"microhh", 330, 40, 35, 32, 47, 3.5},
    {"atf_prl_2x2", 2.6, 1.5, 1.1, 0.043, 0.24, 0.033},
    {"atf_prl_4x4", 20, 85, 8.1, 0.047, 0.25, 0.24},
    {"atf_prl_8x8", 100, 21'070, 35, 0.062, 0.29, 1.4},
};

struct Definition {
  std::string name;
  std::uint64_t valid = 0;
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
};

struct Figures {
  std::uint64_t valid = 0;
  double product = 0;
  double ready_ms = 0, listed_ms = 0;
  double ready_mb = 0, listed_mb = 0; // growth of the peak of resident memory
};

using Json = nlohmann::ordered_json; // the order of the parameters is part of the definition

std::vector<Definition> read_definitions(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    fmt::print("skipped: {} is not here\n", path);
    return {};
  }
  std::vector<Definition> all;
  const Json document = Json::parse(file);
  for (const auto& [name, space] : document.items()) {
    Definition& definition = all.emplace_back();
    definition.name = name;
    definition.valid = space.at("valid").get<std::uint64_t>();
    for (const auto& [parameter, values] : space.at("params").items()) {
      definition.parameters.push_back({parameter, {}});
      for (const auto& value : values)
        definition.parameters.back().values.emplace_back(value.get<std::int64_t>());
    }
    for (const auto& constraint : space.at("constraints"))
      definition.constraints.push_back(constraint.get<std::string>());
    if (space.contains("implicit") && space.at("implicit").is_string())
      definition.constraints.push_back(space.at("implicit").get<std::string>());
  }
  return all;
}

/// From the texts on: what a caller has after reading a file.
SearchSpace build(const Definition& definition) {
  std::vector<Constraint> constraints;
  constraints.reserve(definition.constraints.size());
  for (const std::string& text : definition.constraints)
    constraints.push_back({Expression::parse(text), text});
  return SearchSpace::build(definition.parameters, std::move(constraints));
}

/// Median over at least `fewest` runs and as many more as fit into the time.
double median_ms(const std::function<void()>& act, int fewest) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double spent = 0;
  while (times.size() < static_cast<std::size_t>(fewest) || (spent < 100 && times.size() < 1000)) {
    const auto begin = Clock::now();
    act();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    spent += times.back();
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

/// By how many MB the peak of resident memory grows; in a process of its own, since a peak stays.
double peak_mb(const std::function<void()>& act) {
  int ends[2];
  if (pipe(ends) != 0)
    return 0;
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6; // ru_maxrss counts KiB
  };
  const pid_t child = fork();
  if (child == 0) {
    const double before = peak();
    act();
    const double grown = peak() - before;
    _exit(write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  double grown = 0;
  const bool told = child > 0 && waitpid(child, nullptr, 0) == child &&
                    read(ends[0], &grown, sizeof grown) == sizeof grown;
  close(ends[0]);
  close(ends[1]);
  return told ? grown : 0;
}

volatile std::uint64_t sink = 0; // keeps what is measured from being optimised away

void ready(const Definition& definition) {
  const SearchSpace space = build(definition);
  const std::uint64_t size = space.size();
  std::vector<Position> row(space.parameters().size());
  space.positions(size / 2, row);
  Random random(1);
  sink = sink + space.sample(1, random).front() + row.front();
}

void listed(const Definition& definition) {
  const SearchSpace space = build(definition);
  sink = sink + space.list().back();
}

/// Before anything is timed: what this process has used and freed, its children reuse.
void measure_memory(const Definition& definition, Figures& figures) {
  figures.ready_mb = peak_mb([&] { ready(definition); });
  figures.listed_mb = peak_mb([&] { listed(definition); });
}

void measure_times(const Definition& definition, Figures& figures) {
  const SearchSpace space = build(definition);
  figures.valid = space.size();
  figures.product = space.product();
  figures.ready_ms = median_ms([&] { ready(definition); }, 7);
  figures.listed_ms = median_ms([&] { listed(definition); }, 7);
}

std::string ratio(double rival, double ours) {
  return rival > 0 ? fmt::format("{:.1f}x", rival / ours) : "";
}

void print(const Definition& definition, const Figures& f) {
  Rival rival{};
  for (const Rival& known : rivals)
    if (known.space == definition.name)
      rival = known;
  const double fastest = std::min({rival.ktt, rival.atf_last, rival.atf_tree, rival.atf_grouped});
  fmt::print(
      "{:<18}{:>14.0f}{:>9}{:>6}{:>11.3f}{:>9.3f}{:>9}{:>11.3f}{:>9}{:>9}{:>9}{:>8.1f}{:>8.1f}\n",
      definition.name, f.product, f.valid, f.valid == definition.valid ? "yes" : "NO", f.ready_ms,
      fastest, ratio(fastest, f.ready_ms), f.listed_ms, ratio(rival.kernel_tuner, f.listed_ms),
      ratio(rival.atf_tree, f.listed_ms), ratio(rival.loops, f.listed_ms), f.ready_mb, f.listed_mb);
}

} // namespace

int run(int argc, char** argv) {
  const std::string shared = std::string(GRIDSMITH_SOURCE_DIR) + "/../shared/spaces/";
  std::vector<Definition> all = read_definitions(shared + "construction_spaces.json");
  for (Definition& definition : read_definitions(shared + "dev/spaces.json"))
    all.push_back(std::move(definition));
  fmt::print("ready: parse, build, exact count, one access by index, one sample; listed: parse, "
             "build, every row of value positions\n");
  fmt::print("{:<18}{:>14}{:>9}{:>6}{:>11}{:>9}{:>9}{:>11}{:>9}{:>9}{:>9}{:>8}{:>8}\n", "space",
             "product", "valid", "known", "ready ms", "rival", "faster", "listed ms", "K.Tuner",
             "ATF tree", "loops", "MB", "MB list");
  if (argc > 1)
    std::erase_if(all, [&](const Definition& definition) { return definition.name != argv[1]; });
  std::vector<Figures> figures(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    measure_memory(all[i], figures[i]);
  bool right = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    measure_times(all[i], figures[i]);
    right = right && figures[i].valid == all[i].valid;
    print(all[i], figures[i]);
  }
  return right ? 0 : 1;
}

const Bench entry("space", run);

} // namespace bench_space
