// SPDX-License-Identifier: Apache-2.0
// Many sizes in one campaign against each size on its own: how many evaluations until the chosen
// ones are as good. Figures, no assertions. Both arms get the fewest evaluations at which the
// geometric mean over sizes and seeds of chosen / exhaustive best is within the bound.
// benchmarks campaign FOLDER… --runs 10 --within 0.5   (folders of exhaustive recordings, one kernel each)
// With --header-of N: what a header loses that a campaign of N of the sizes leaves, drawn anew in each run,
// at all the others, and what it says of itself; --tuned SIZE,… names the sizes instead.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"
#include "gridsmith/tuner/session/header_gaps.hpp"
#include "gridsmith/tuner/session/launch_load.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

namespace bench_campaign {

using namespace gridsmith;

namespace {

struct Options {
  std::vector<std::filesystem::path> folders;
  std::size_t runs = 10;
  double within_percent = 0.5;
  double worth = CampaignSettings{}.worth;
  std::uint64_t seed = 1;
  std::size_t header_of = 0;      ///< sizes of a run; 0: no headers
  std::vector<std::string> tuned; ///< these; empty: drawn
};

/// One recording with the definition's view of its problem.
struct Size {
  explicit Size(const std::filesystem::path& file)
      : recording(read_recording(file)), recorded(recording), judge(recorded),
        instance(instantiate(
            read_definition(
                find_definition(recording.kernel,
                                std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue"),
                {}),
            {extents_of(recording.problem)}, recording.device)) {}

  LaunchLoad load(ConfigurationId id) const { return launch_load(instance, judge.space().at(id)); }

  Recording recording;
  RecordedSpace recorded;
  Judge judge;
  KernelInstance instance;
};

using Sizes = std::vector<std::unique_ptr<Size>>;

/// Seconds of the recording: compiling not counted, as with a warm cache.
double seconds_of(const Measurement& measurement) {
  return measurement.spent.gpu_ms / 1e3;
}

/// What a strategy asks of sizes is answered from their recordings, batch by batch, by the loop that tunes.
class Replay {
public:
  using Hear = std::function<void(std::size_t size, const Measurement& measurement)>;

  Replay(const std::vector<const Size*>& sizes, const Hear& hear) {
    std::vector<Job> jobs;
    for (const Size* size : sizes) {
      evaluators_.push_back(std::make_unique<RecordedEvaluator>(size->recording, size->recorded));
      jobs.push_back({size->judge.space(), [this, &hear, i = jobs.size()] {
                        return OpenJob{*evaluators_[i],
                                       {.find = [](const Configuration&) { return std::nullopt; },
                                        .add =
                                            [&hear, i](std::span<const Measurement> some) {
                                              for (const Measurement& one : some)
                                                hear(i, one);
                                            }}};
                      }});
    }
    tuning_.emplace(std::move(jobs), settings_, ProgressSink{}, std::stop_token{});
  }

  void search(Strategy& strategy) {
    tuning_->search(strategy, std::numeric_limits<std::uint64_t>::max(), std::nullopt);
  }

  /// Round by round, with no finals.
  void search(CampaignPlan& plan) {
    for (int search = 0; search < 2; ++search, plan.finals_over())
      this->search(static_cast<Strategy&>(plan));
  }

  /// The strategy's own.
  double search_s() const { return tuning_->result(0).search_ms / 1000; }

private:
  const TuningSettings settings_{.repeatable = true};
  std::vector<std::unique_ptr<RecordedEvaluator>> evaluators_;
  std::optional<Tuning> tuning_;
};

std::vector<const Size*> all_of(const Sizes& sizes) {
  std::vector<const Size*> all;
  for (const auto& size : sizes)
    all.push_back(size.get());
  return all;
}

/// What one arm came to, over sizes and runs.
struct Arm {
  double evaluations = 0; ///< of all sizes, mean over the runs
  double seconds = 0;     ///< of the GPU, likewise
  double mean_log = 0, worst = 1;
  double search_s = 0; ///< planning, of one run

  double ratio() const { return std::exp(mean_log); }
};

Sizes read(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".json.gz"))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Sizes sizes;
  for (const auto& file : files)
    sizes.push_back(std::make_unique<Size>(file));
  if (sizes.empty())
    throw InputError(folder.string() + ": no recordings (*.json.gz)");
  return sizes;
}

std::vector<ConfigurationId> seeds_of(const Size& size, std::size_t count) {
  return first_guesses(size.instance, size.judge.space(), count);
}

/// The default strategy on each size alone, each with the same number of evaluations.
class Separate {
public:
  Separate(const Sizes& sizes, const Options& options) {
    for (const auto& size : sizes)
      for (std::size_t run = 0; run < options.runs; ++run)
        follow(*size, options.seed + run, options);
    sizes_ = sizes.size();
  }

  Arm after(std::size_t evaluations) const {
    Arm arm;
    for (const Curve& curve : curves_) {
      const std::size_t last = std::min(evaluations, curve.ratios.size()) - 1;
      const double share = 1.0 / static_cast<double>(curves_.size());
      arm.mean_log += share * std::log(curve.ratios[last]);
      arm.worst = std::max(arm.worst, curve.ratios[last]);
      arm.seconds += share * static_cast<double>(sizes_) * curve.seconds[last];
      arm.evaluations += share * static_cast<double>(sizes_ * (last + 1));
    }
    return arm;
  }

  Arm within(double ratio) const {
    std::size_t evaluations = 1;
    while (after(evaluations).ratio() > ratio)
      ++evaluations;
    return after(evaluations);
  }

private:
  struct Curve {
    std::vector<double> ratios, seconds; ///< after 1, 2, … evaluations
  };

  void follow(const Size& size, std::uint64_t seed, const Options&) {
    const SearchSpace& space = size.judge.space();
    constexpr std::size_t guesses = 4; // as a session asks first
    const auto strategy =
        make_strategy("default", {.space = space, .seed = seed, .seeds = seeds_of(size, guesses)});
    Curve curve;
    double best = std::numeric_limits<double>::infinity(), seconds = 0;
    const Replay::Hear hear = [&](std::size_t, const Measurement& one) {
      best = std::min(best, size.judge.ratio(one));
      seconds += seconds_of(one);
      curve.ratios.push_back(best);
      curve.seconds.push_back(seconds);
    };
    Replay({&size}, hear).search(*strategy);
    curves_.push_back(std::move(curve));
  }

  std::vector<Curve> curves_;
  std::size_t sizes_ = 0;
};

CampaignProblem problem_of(const Size& size) {
  return {.space = &size.judge.space(),
          .extents = size.instance.problem.extents,
          .seeds = seeds_of(size, 1),
          .load = [&size](ConfigurationId id) { return size.load(id); }};
}

Arm campaign(const Sizes& sizes, const Options& options, std::optional<std::uint64_t> evaluations) {
  Arm arm;
  const double share = 1.0 / static_cast<double>(options.runs);
  for (std::size_t run = 0; run < options.runs; ++run) {
    std::vector<CampaignProblem> problems;
    for (const auto& size : sizes)
      problems.push_back(problem_of(*size));
    CampaignPlan plan(
        problems, {.seed = options.seed + run, .evaluations = evaluations, .worth = options.worth});
    std::vector<double> best(sizes.size(), std::numeric_limits<double>::infinity());
    const Replay::Hear hear = [&](std::size_t size, const Measurement& one) {
      best[size] = std::min(best[size], sizes[size]->judge.ratio(one));
      arm.seconds += share * seconds_of(one);
    };
    Replay replay(all_of(sizes), hear);
    replay.search(plan);
    arm.search_s += share * replay.search_s();
    arm.evaluations += share * static_cast<double>(plan.asked());
    for (const double ratio : best) {
      arm.mean_log += share * std::log(ratio) / static_cast<double>(sizes.size());
      arm.worst = std::max(arm.worst, ratio);
    }
  }
  return arm;
}

void print(const std::string& name, const Arm& arm, std::size_t sizes) {
  fmt::print("  {:<34}{:>8.0f}{:>9.1f}{:>9.3f}{:>9.2f}{:>10.4f}{:>8.3f}\n", name, arm.evaluations,
             arm.evaluations / static_cast<double>(sizes), arm.seconds, arm.search_s, arm.ratio(),
             arm.worst);
}

void compare(const std::filesystem::path& folder, const Options& options) {
  const Sizes sizes = read(folder);
  const double bound = 1 + options.within_percent / 100;
  fmt::print("\n{}: {} sizes, {} runs\n  {:<34}{:>8}{:>9}{:>9}{:>9}{:>10}{:>8}\n",
             sizes.front()->recording.kernel, sizes.size(), options.runs, "", "evals", "per size",
             "GPU s", "plan s", "geo.mean", "worst");
  const Separate separate(sizes, options);
  const Arm alone = separate.within(bound);
  print("each size alone", alone, sizes.size());
  Arm fixed;
  Options without_end = options;
  without_end.worth = 0;
  for (std::size_t per_size = 4; per_size < 100; per_size += per_size < 20 ? 1 : 2) {
    fixed = campaign(sizes, without_end, per_size * sizes.size());
    if (fixed.ratio() <= bound)
      break;
  }
  print("campaign, fewest evaluations", fixed, sizes.size());
  fmt::print("    of each size alone: {:.2f} of the evaluations, {:.2f} of the GPU's seconds\n",
             fixed.evaluations / alone.evaluations, fixed.seconds / alone.seconds);
  const Arm own = campaign(sizes, options, std::nullopt);
  print("campaign, until not worth while", own, sizes.size());
  fmt::print("    of each size alone: {:.2f} of the evaluations, {:.2f} of the GPU's seconds\n",
             own.evaluations / alone.evaluations, own.seconds / alone.seconds);
  const Arm third = campaign(sizes, options, static_cast<std::uint64_t>(alone.evaluations / 3));
  print("campaign, a third of the evaluations", third, sizes.size());
}

/// A campaign of some sizes, as it leaves a header.
class HeaderOf {
public:
  HeaderOf(std::vector<const Size*> tuned, std::uint64_t seed, bool fill)
      : tuned_(std::move(tuned)) {
    std::vector<CampaignProblem> problems;
    for (const Size* size : tuned_) {
      problems.push_back(problem_of(*size));
      spaces_.push_back(&size->judge.space());
      measured_.push_back(size->recording);
      measured_.back().measurements.clear();
    }
    CampaignSettings settings{.seed = seed};
    if (fill)
      settings.missing = [this] {
        return header_gaps(measured_, spaces_, definition(), objectives().front());
      };
    CampaignPlan plan(std::move(problems), std::move(settings));
    const Replay::Hear hear = [&](std::size_t size, const Measurement& one) {
      measured_[size].measurements.push_back(one);
    };
    Replay(tuned_, hear).search(plan);
    evaluations = plan.asked();
  }

  const KernelDefinition& definition() const { return tuned_.front()->instance.definition; }

  Selection selection(const SelectionRules& rules) const {
    return select(size_table(measured_, &definition()), rules);
  }

  std::uint64_t evaluations = 0;

private:
  std::vector<const Size*> tuned_;
  std::vector<const SearchSpace*> spaces_;
  std::vector<Recording> measured_;
};

/// Of what a selection chooses at a size.
Loss loss_at(const Size& size, const Selection& selection) {
  std::vector<SizedConfiguration> set;
  set.reserve(selection.configurations.size());
  for (const SelectedConfiguration& one : selection.configurations)
    set.push_back(one.of);
  const auto choice = choose(
      selection, size.instance.problem,
      quantities_at(size.instance.definition, size.instance.device, size.instance.problem, set),
      size.instance.device.sm_count);
  const auto id =
      choice ? size.judge.space().find(set[choice->configuration].configuration) : std::nullopt;
  return id ? size.judge.ratio(*id) : cannot_run;
}

/// Headers of one kind, over all runs.
struct HeaderFigures {
  std::vector<Loss> others, tuned; ///< losses at sizes that were not tuned, and that were
  std::vector<double> said;        ///< by itself of sizes left out, where it knows
  double evaluations = 0, shipped = 0;
};

void print(const std::string& name, const HeaderFigures& all, std::size_t runs) {
  const auto text = [](const std::vector<Loss>& losses) {
    const LossFigures figures = loss_figures(losses, std::vector<double>(losses.size(), 1));
    return fmt::format("{:.3f} / {:.3f} / {:.0f} %{}", figures.geometric_mean, figures.worst,
                       100 * figures.within_5_percent,
                       figures.invalid ? fmt::format(", {} invalid", figures.invalid) : "");
  };
  const double share = 1.0 / static_cast<double>(runs);
  fmt::print("  {:<44}{:>6.0f}{:>6.1f}  {:<24}{:<32}", name, share * all.evaluations,
             share * all.shipped, text(all.tuned), text(all.others));
  if (all.said.empty())
    fmt::print("not known\n");
  else
    fmt::print("{:.3f} in {} of {}\n",
               std::accumulate(all.said.begin(), all.said.end(), 0.0) /
                   static_cast<double>(all.said.size()),
               all.said.size(), runs);
}

/// Which sizes a run tunes.
std::vector<bool> drawn(const Sizes& sizes, const Options& options, std::uint64_t seed) {
  std::vector<bool> tuned(sizes.size(), false);
  Random random(seed);
  LazyShuffle shuffle(sizes.size());
  for (std::size_t i = 0; options.tuned.empty() && i < options.header_of && shuffle.left() > 0; ++i)
    tuned[static_cast<std::size_t>(shuffle.draw(random))] = true;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (const std::string& one : options.tuned)
      tuned[i] = tuned[i] || sizes[i]->recording.problem == one;
  return tuned;
}

void judge_headers(const std::filesystem::path& folder, const Options& options) {
  const Sizes sizes = read(folder);

  struct Kind {
    const char* name;
    bool fill;
    std::optional<ChoiceRule> rule;
    HeaderFigures figures = {};
  };

  std::vector<Kind> kinds = {
      {"as the search leaves it", false, {}},
      {"with what was missing", true, {}},
      {"with what was missing, the nearest size's best", true, ChoiceRule{RuleKind::nearest, 0}}};
  for (std::size_t run = 0; run < options.runs; ++run) {
    const std::vector<bool> is_tuned = drawn(sizes, options, options.seed + run);
    std::vector<const Size*> tuned;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (is_tuned[i])
        tuned.push_back(sizes[i].get());
    if (tuned.empty())
      throw InputError(folder.string() + ": none of its sizes is tuned");
    for (Kind& kind : kinds) {
      const HeaderOf header(tuned, options.seed + run, kind.fill);
      SelectionRules rules;
      rules.rule = kind.rule;
      const Selection selection = header.selection(rules);
      kind.figures.evaluations += static_cast<double>(header.evaluations);
      kind.figures.shipped += static_cast<double>(selection.configurations.size());
      if (selection.left_out.complete())
        kind.figures.said.push_back(selection.left_out.geometric_mean);
      for (std::size_t i = 0; i < sizes.size(); ++i)
        (is_tuned[i] ? kind.figures.tuned : kind.figures.others)
            .push_back(loss_at(*sizes[i], selection));
    }
  }
  fmt::print("\n{}: {} sizes, {} runs\n  {:<44}{:>6}{:>6}  {:<24}{:<32}{}\n",
             sizes.front()->recording.kernel, sizes.size(), options.runs, "header", "evals", "set",
             "tuned sizes", "all others", "says of sizes left out");
  for (const Kind& kind : kinds)
    print(kind.name, kind.figures, options.runs);
}

} // namespace

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Many sizes in one campaign against each size on its own");
  app.add_option("folders", options.folders, "of exhaustive recordings, one kernel each")
      ->required();
  app.add_option("--runs", options.runs, "seeds");
  app.add_option("--seed", options.seed, "the first");
  app.add_option("--within", options.within_percent, "percent of the exhaustive best, in the mean");
  app.add_option("--worth", options.worth, "expected improvement that ends the campaign");
  app.add_option("--header-of", options.header_of, "judge headers of so many sizes instead");
  app.add_option("--tuned", options.tuned, "… of these")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  const bool headers = options.header_of > 0 || !options.tuned.empty();
  for (const auto& folder : options.folders)
    (headers ? judge_headers : compare)(folder, options);
  return 0;
}

const Bench entry("campaign", run);

} // namespace bench_campaign
