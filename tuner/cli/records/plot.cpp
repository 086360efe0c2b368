// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/drawing/draw.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/plots/convergence.hpp"
#include "gridsmith/results/plots/heading.hpp"
#include "gridsmith/results/plots/importance.hpp"
#include "gridsmith/results/plots/roofline_plot.hpp"
#include "gridsmith/results/plots/tiling.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace gridsmith {
namespace {

// ---- convergence

/// What tells each of several tunings from the others, in as few words as do.
std::vector<std::string> names_of(const std::vector<Holding>& held) {
  const auto stem = [](const Holding& one) {
    return std::filesystem::path(one.file).stem().string();
  };
  const std::vector<std::function<std::string(const Holding&)>> words{
      [](const Holding& one) { return one.kernel; }, [](const Holding& one) { return one.problem; },
      [](const Holding& one) { return one.device; }, stem,
      [](const Holding& one) { return one.date; }};
  std::vector<std::string> names(held.size());
  for (const auto& word : words) {
    std::set<std::string> different, told(names.begin(), names.end());
    for (const Holding& one : held)
      different.insert(word(one));
    if (different.size() > 1 && told.size() < held.size())
      for (std::size_t i = 0; i < held.size(); ++i)
        names[i] += (names[i].empty() ? "" : " ") + word(held[i]);
  }
  return names;
}

/// The lowest time of each kernel, problem and device.
std::map<std::string, double> optima_of(const std::vector<Holding>& held) {
  std::map<std::string, double> optima;
  for (const Holding& one : held) {
    if (!one.best_ms)
      throw InputError(title_of(one) + ": no configuration is correct and has a time");
    const auto [place, is_new] = optima.emplace(title_of(one), *one.best_ms);
    place->second = std::min(place->second, *one.best_ms);
  }
  return optima;
}

Course course_of(const SimulationResult& result, const std::string& of) {
  Course course{result.strategy + (of.empty() ? "" : ", " + of), {}};
  for (const RatioSpread& point : result.curve) {
    course.ratio.push_back(point.median);
    course.low.push_back(point.low);
    course.high.push_back(point.high);
  }
  return course;
}

/// What is drawn, with its heading.
struct Convergence {
  std::vector<Course> courses;
  Heading heading;
};

// ---- of one tuning

/// The answer's best and the default, where they are among the rows.
PointedOut pointed_out(const Export& exported) {
  const Recording& rows = exported.recording;
  return {has_best(exported) ? row_of(rows, best_of(exported).configuration) : nullptr,
          row_of(rows, default_of(exported))};
}

// ---- the command

struct Kind {
  const char *name, *summary;
};

constexpr std::array<Kind, 4> kinds{{
    {"convergence", "best so far against evaluations, of tunings or of strategies on a recording"},
    {"roofline", "every configuration below the device's ceilings, from the default to the best"},
    {"tiling", "the time as a heat map over two parameters"},
    {"importance", "how much of the time's variation each parameter and pair explains"},
}};

bool is_png(const std::string& name) {
  return std::filesystem::path(name).extension() == ".png";
}

void check_picture_name(const std::string& name) {
  if (name.empty())
    throw InputError("plot needs -o FILE.svg, -o FILE.png or --json");
  if (name != "-" && !is_png(name) && std::filesystem::path(name).extension() != ".svg")
    throw InputError(fmt::format(
        "-o {}: pictures are SVG or PNG; give a name that ends in .svg or .png", printable(name)));
}

/// Options of one kind are refused for the others.
void check_kind(const CLI::App& command, const std::string& kind) {
  const std::map<std::string, std::string> kind_of{
      {"--x", "tiling"},         {"--y", "tiling"},
      {"--value", "tiling"},     {"--strategy", "convergence"},
      {"--runs", "convergence"}, {"--evaluations", "convergence"},
      {"--seed", "convergence"}, {"--all", "convergence"}};
  for (const auto& [option, of] : kind_of)
    if (of != kind && command.count(option) > 0)
      throw InputError(fmt::format("{} is for {}, not for {}", option, of, kind));
  for (const std::string option : {"--runs", "--evaluations", "--seed"})
    if (command.count(option) > 0 && command.count("--strategy") == 0)
      throw InputError(option + " needs simulated runs; add --strategy");
}

class PlotCommand final : public Command {
public:
  PlotCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_tiling_options();
  void add_convergence_options();
  void simulate_on(const Recording& recording, const std::string& name, const std::stop_token& stop,
                   std::vector<Course>& courses) const;
  Heading convergence_heading(const std::vector<Holding>& held,
                              const std::map<std::string, double>& optima) const;
  Convergence convergence(const std::vector<Holding>& held) const;
  Scene scene_of(const std::vector<Holding>& held, const TextWidth& width_of) const;
  std::string json_of(const std::vector<Holding>& held) const;

  std::string kind_, out_, value_{to_text(CellValue::best)};
  SourceOptions sources_;
  Tiling tiling_;
  std::vector<std::string> strategies_;
  std::size_t runs_ = 20, evaluations_ = 100;
  std::uint64_t seed_ = 1;
  bool all_ = false, json_ = false;
};

PlotCommand::PlotCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "plot",
              "Draw stores and recordings: convergence, roofline, tiling, importance") {
  std::string list;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    names.emplace_back(kind.name);
    list += fmt::format("  {:<13}{}\n", kind.name, kind.summary);
  }
  line_.footer(
      "Example:\n  gridsmith plot roofline gridsmith.db -o roofline.svg\n\nKinds:\n" + list +
      "\n"
      "The same data gives the same SVG. If there are several tunings of one kernel, problem and "
      "device, the newest is drawn.");
  line_.add_option("KIND", kind_, fmt::format("What to draw: {}", fmt::join(names, ", ")))
      ->type_name("KIND")
      ->required()
      ->check(one_of("kind", names));
  add_source_options(line_, sources_);
  CLI::Option* out = line_.add_option("-o,--out", out_,
                                      "File to write, .svg or .png; - is SVG on standard output");
  out->type_name("FILE");
  add_json_option(line_, json_, "Print the plot's numbers as JSON")->excludes(out);
  add_tiling_options();
  add_convergence_options();
}

void PlotCommand::add_tiling_options() {
  line_
      .add_option("--x", tiling_.across,
                  "For tiling: the parameter of the horizontal axis; default: the one with the "
                  "largest effect")
      ->type_name("PARAMETER");
  line_.add_option("--y", tiling_.up, "For tiling: the parameter of the vertical axis")
      ->type_name("PARAMETER");
  line_.add_option("--value", value_, "For tiling: the best or the median of each square")
      ->type_name("best|median")
      ->capture_default_str()
      ->check(one_of("value", {"best", "median"}));
}

void PlotCommand::add_convergence_options() {
  constexpr std::uint64_t most_runs = 100'000;
  line_
      .add_option("--strategy", strategies_,
                  "For convergence: replay these strategies, separated by commas, instead")
      ->delimiter(',')
      ->type_name("STRATEGY,…")
      ->allow_extra_args(false)
      ->check(one_of("strategy", names_in(strategies())));
  line_.add_option("--runs", runs_, "Runs of each strategy, each with its own seed")
      ->capture_default_str()
      ->check(count_from(1, most_runs));
  line_.add_option("--evaluations", evaluations_, "Evaluations of each run")
      ->capture_default_str()
      ->check(count_from(1, most_simulated_evaluations));
  add_seed_option(line_, seed_, "Seed of the first run")->capture_default_str();
  line_.add_flag(
      "--all", all_,
      "For convergence: every tuning, not only the newest of each kernel, problem and device");
}

/// The strategies on one recording, and random search as computed.
void PlotCommand::simulate_on(const Recording& recording, const std::string& name,
                              const std::stop_token& stop, std::vector<Course>& courses) const {
  const RecordedSpace recorded(recording);
  const Judge judge(recorded);
  SimulationSettings settings;
  settings.runs = runs_;
  settings.seed = seed_;
  settings.evaluations = {std::min<std::size_t>(evaluations_, recorded.space().size())};
  settings.stop = stop;
  ProgressLine line(stderr_is_terminal());
  for (const std::string& strategy : strategies_) {
    settings.progress = [&](std::size_t done) {
      line.show(fmt::format("{}, {} of {} runs", strategy, done, settings.runs));
    };
    courses.push_back(course_of(simulate(judge, name, strategy_entry(strategy), settings), name));
  }
  courses.push_back(course_of(random_exact(judge, name, settings), name));
}

Heading PlotCommand::convergence_heading(const std::vector<Holding>& held,
                                         const std::map<std::string, double>& optima) const {
  const std::string runs =
      strategies_.empty() ? "Configurations in the order in which they were measured"
                          : fmt::format("Replayed: median of {} runs, bands are quartiles", runs_);
  if (optima.size() > 1) {
    const bool one_kernel = std::all_of(held.begin(), held.end(), [&](const Holding& one) {
      return one.kernel == held.front().kernel;
    });
    return {fmt::format("{}{} tunings", one_kernel ? held.front().kernel + ", " : "", held.size()),
            runs + ".", "Excess is over the lowest time known of each kernel, problem and device."};
  }
  const Recording first = held.front().load().recording;
  return {title_of(first),
          fmt::format("{}; the optimum is {}.", runs, time_text(optima.begin()->second)),
          caption_of(first)};
}

Convergence PlotCommand::convergence(const std::vector<Holding>& held) const {
  const std::size_t each = strategies_.empty() ? 1 : strategies_.size() + 1;
  if (held.size() * each > most_courses)
    throw InputError(
        fmt::format("{} lines are more than a reader can distinguish, {}; choose with --kernel, "
                    "--problem and --device, or fewer strategies: {}",
                    held.size() * each, most_courses, list_of(held)));
  const Interrupts interrupts; // before any thread
  const std::map<std::string, double> optima = optima_of(held);
  const std::vector<std::string> names = names_of(held);
  std::vector<Course> courses;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Recording recording = held[i].load().recording;
    if (strategies_.empty())
      courses.push_back(course_of(names[i].empty() ? "best so far" : names[i], recording,
                                  optima.at(title_of(held[i]))));
    else
      simulate_on(recording, names[i], interrupts.token(), courses);
  }
  return {std::move(courses), convergence_heading(held, optima)};
}

Scene PlotCommand::scene_of(const std::vector<Holding>& held, const TextWidth& width_of) const {
  if (kind_ == "convergence") {
    const Convergence shown = convergence(held);
    return convergence_plot(shown.courses, shown.heading, width_of);
  }
  const Export exported = defined(held.front(), installation_);
  if (kind_ == "roofline")
    return roofline_plot(exported.recording, pointed_out(exported), width_of);
  if (kind_ == "importance")
    return importance_plot(exported.recording, width_of);
  return tiling_plot(exported.recording, tiling_, pointed_out(exported).best, width_of);
}

/// The same as numbers.
std::string PlotCommand::json_of(const std::vector<Holding>& held) const {
  if (kind_ == "convergence")
    return convergence_json(convergence(held).courses);
  const Export exported = defined(held.front(), installation_);
  if (kind_ == "roofline")
    return roofline_json(exported.recording, pointed_out(exported));
  if (kind_ == "importance")
    return importance_json(exported.recording);
  return tiling_json(exported.recording, tiling_, pointed_out(exported).best);
}

void PlotCommand::run() {
  check_kind(line_, kind_);
  if (!json_) {
    check_picture_name(out_);
    check_outputs(line_, {{"--out", out_, "plot"}}, false);
  }
  std::optional<Drawing> drawing; // numbers need no library
  if (!json_)
    drawing.emplace();
  tiling_.value = from_text<CellValue>(value_);
  std::vector<Holding> held = chosen_of(sources_);
  if (!all_)
    held = newest(held);
  if (kind_ != "convergence" && held.size() > 1)
    throw InputError(fmt::format("{} is of one kernel, problem and device; choose with --kernel, "
                                 "--problem and --device: {}",
                                 kind_, list_of(held)));
  try {
    if (!drawing)
      return print(json_of(held) + "\n");
    const Scene scene = scene_of(held, drawing->width_of());
    write_output(out_, is_png(out_) ? drawing->png(scene) : drawing->svg(scene));
  } catch (const SimulationStopped&) {
    throw CommandFailed(exit_interrupted, "interrupted; nothing was drawn");
  }
}

} // namespace

extern const AddCommand add_plot_command = add_command<PlotCommand>;

} // namespace gridsmith
