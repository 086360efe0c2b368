// SPDX-License-Identifier: Apache-2.0
// From the command to an answer that is good enough: programs beside each other on the same kernels and
// seeds, with cold caches. Figures, no assertions; on a GPU.
//   bench_time_to_answer [KERNEL…] --program old=PATH --program new=PATH --seeds 5
// Without kernels those of tests/bench/compile_heavy. How good a configuration is says a recording of the
// whole space where one is given (--known FILE), else the median over all runs that measured it.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/files.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace bench_time_to_answer {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Options {
  std::vector<std::string> kernels;
  std::vector<std::string> programs; ///< LABEL=PATH
  std::vector<fs::path> known;
  fs::path rival; ///< CSV
  std::size_t seeds = 3;
  std::uint64_t first_seed = 1, evaluations = 60;
  std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  int limit_s = 900;
  std::vector<std::string> more; ///< options of tune, for all programs
};

/// One measurement of a run.
struct Row {
  std::string configuration;
  double at_s = 0;          ///< since the command began
  std::optional<double> ms; ///< none: it failed
};

/// What one command did.
struct Run {
  std::string kernel, program;
  std::uint64_t seed = 0;
  std::vector<Row> rows;
  std::string device, date;
  double seconds = 0; ///< of the whole command
  std::optional<double> first_ask_s, first_launch_s;
  double compile_s = 0, measured_compile_s = 0, gpu_s = 0; ///< sums; of all, of what was measured
  std::size_t shared = 0, given_up = 0;                    ///< of the configurations
};

std::pair<std::string, fs::path> program_of(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == text.npos)
    return {fs::path(text).filename().string(), text};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// When each configuration's timing ended, and what else the trace tells of the run.
std::map<std::string, double> read_trace(const fs::path& file, Run& run) {
  const nlohmann::json trace = json_of_text(read_unpacked(file));
  std::map<int, std::string> rows;
  std::map<std::string, double> timed;
  for (const auto& event : trace.at("traceEvents")) {
    const int row = event.at("tid").get<int>();
    if (event.at("ph") == "M") {
      rows[row] = event.at("args").at("name").get<std::string>();
      continue;
    }
    const auto name = event.at("name").get<std::string>();
    const double begin = event.at("ts").get<double>() / 1e6;
    const double end = begin + event.at("dur").get<double>() / 1e6;
    if (rows[row].starts_with("compiler"))
      run.compile_s += end - begin;
    else if (rows[row] == "strategy" && name == "ask" && !run.first_ask_s)
      run.first_ask_s = begin;
    else if (rows[row] == "GPU" && !run.first_launch_s)
      run.first_launch_s = begin;
    else if (rows[row] == "worker" && name == "time")
      timed.emplace(event.at("args").at("of").get<std::string>(), end);
  }
  return timed;
}

/// Measurements say when they were heard of since the processes were started, the trace when their timing
/// ended since the command began: nothing is heard of before it ended.
void add_rows(const Recording& recording, const std::map<std::string, double>& timed, Run& run) {
  double later_s = 0;
  for (const Measurement& one : recording.measurements)
    if (const auto end = timed.find(to_text(one.configuration)); end != timed.end() && one.at_s)
      later_s = std::max(later_s, end->second - *one.at_s);
  for (const Measurement& one : recording.measurements) {
    if (compile_given_up(one)) {
      ++run.given_up;
      continue;
    }
    run.rows.push_back({to_text(one.configuration), one.at_s.value_or(0) + later_s, cost_ms(one)});
    run.gpu_s += one.spent.gpu_ms / 1000;
    run.measured_compile_s += one.spent.compile_ms / 1000;
  }
  std::stable_sort(run.rows.begin(), run.rows.end(),
                   [](const Row& a, const Row& b) { return a.at_s < b.at_s; });
  run.device = recording.device.name;
  run.date = recording.date.substr(0, 10);
}

/// The program's own count, which older ones do not give.
std::size_t shared_of(const std::string& answer) {
  const nlohmann::json json = nlohmann::json::parse(answer, nullptr, false);
  return json.is_object() ? json.value("shared_measurements", std::size_t{0}) : 0;
}

Run run_once(const Options& options, const std::string& kernel, const std::string& program,
             std::uint64_t seed, const fs::path& folder) {
  const auto [label, path] = program_of(program);
  Run run;
  run.kernel = kernel;
  run.program = label;
  run.seed = seed;
  const fs::path trace = folder / "trace.json", recording = folder / "recording.json";
  fs::remove(recording);
  std::vector<std::string> words{"tune",       kernel,         "--seed",   std::to_string(seed),
                                 "--no-store", "--no-cache",   "--quiet",  "--json",
                                 "--trace",    trace.string(), "--record", recording.string()};
  if (options.evaluations > 0)
    words.insert(words.end(), {"--evaluations", std::to_string(options.evaluations)});
  words.insert(words.end(), options.more.begin(), options.more.end());
  const auto begun = std::chrono::steady_clock::now();
  const ProgramOutput output = run_program(path, words, std::chrono::seconds(options.limit_s));
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (!output.good || !fs::exists(recording))
    throw InputError(fmt::format("{} {}: {}\n{}", path.string(), fmt::join(words, " "),
                                 output.ended, output.text.substr(0, 2000)));
  const auto timed = read_trace(trace, run);
  if (!run.first_launch_s)
    throw InputError(path.string() + " launched nothing: this is for a machine with a GPU");
  add_rows(read_recording(recording), timed, run);
  run.shared = shared_of(output.text);
  return run;
}

/// By kernel and configuration, ms.
using Known = std::map<std::string, std::map<std::string, double>>;

Known known_times(const Options& options, const std::vector<Run>& runs) {
  std::map<std::string, std::map<std::string, std::vector<double>>> all;
  for (const Run& run : runs)
    for (const Row& row : run.rows)
      if (row.ms)
        all[fs::path(run.kernel).stem().string()][row.configuration].push_back(*row.ms);
  Known known;
  for (auto& [kernel, configurations] : all)
    for (auto& [configuration, times] : configurations) {
      std::sort(times.begin(), times.end());
      known[kernel][configuration] = median(times);
    }
  for (const fs::path& file : options.known) {
    const Recording recording = read_recording(file);
    for (const Measurement& one : recording.measurements)
      if (const auto ms = cost_ms(one); ms && !one.pruned_early)
        known[recording.kernel][to_text(one.configuration)] = *ms;
  }
  return known;
}

double best_of(const std::map<std::string, double>& known) {
  double best = never;
  for (const auto& [configuration, ms] : known)
    best = std::min(best, ms);
  return best;
}

/// Since the command began; infinite where it was never so good.
double seconds_to(double within, const Run& run, const std::map<std::string, double>& known) {
  const double enough = best_of(known) * (1 + within);
  for (const Row& row : run.rows)
    if (const auto ms = known.find(row.configuration);
        row.ms && ms != known.end() && ms->second <= enough)
      return row.at_s;
  return never;
}

double loss_percent(const Run& run, const std::map<std::string, double>& known) {
  double best = never;
  for (const Row& row : run.rows)
    if (const auto ms = known.find(row.configuration); row.ms && ms != known.end())
      best = std::min(best, ms->second);
  return 100 * (best / best_of(known) - 1);
}

std::string shown(double value, const char* form = "{:.2f}") {
  return std::isfinite(value) ? fmt::format(fmt::runtime(form), value) : "never";
}

/// Median over the runs; of an even number the greater of the middle two, so that "never" stays.
template <typename Figure>
double middle(const std::vector<const Run*>& runs, const Figure& figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run* run : runs)
    values.push_back(figure(*run));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What compiling and launching of the measured ones takes at best, half more for what is not so even.
double target_s(const Run& run, std::size_t cores) {
  return 1.5 * run.measured_compile_s / static_cast<double>(cores) + run.gpu_s;
}

/// Whole seconds of a rival by kernel: lines "kernel,seed,seconds[,…]" after one line of titles.
std::map<std::string, std::vector<double>> rival_times(const fs::path& file) {
  std::map<std::string, std::vector<double>> times;
  std::ifstream in(file);
  if (!in)
    throw InputError(file.string() + ": cannot be read");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string kernel, seed, seconds;
    std::getline(std::getline(std::getline(fields, kernel, ','), seed, ','), seconds, ',');
    times[kernel].push_back(std::stod(seconds));
  }
  return times;
}

void print(const Options& options, const std::vector<Run>& runs) {
  const Known known = known_times(options, runs);
  std::map<std::string, std::vector<double>> rival;
  if (!options.rival.empty())
    rival = rival_times(options.rival);
  Table table({{"kernel", "", true},
               {"program", "", true},
               {"first ask", "s"},
               {"first launch", "s"},
               {"to 5 %", "s"},
               {"to 1 %", "s"},
               {"to the stop", "s"},
               {"evaluations", ""},
               {"shared", ""},
               {"given up", ""},
               {"best found", "+%"},
               {"compiled", "s"},
               {"compilers", "%"},
               {"GPU", "s"},
               {"GPU", "%"},
               {"target", "s"},
               {"stop/target", ""},
               {"Kernel Tuner", "s"},
               {"ratio", ""}});
  std::map<std::pair<std::string, std::string>, std::vector<const Run*>> groups;
  for (const Run& run : runs)
    groups[{run.kernel, run.program}].push_back(&run);
  for (auto& [key, group] : groups) {
    const std::string name = fs::path(key.first).stem().string();
    const auto times = known.find(name);
    const std::map<std::string, double> none;
    const auto& of = times == known.end() ? none : times->second;
    const auto figure = [&](const auto& get) { return middle(group, get); };
    const double stop_s = figure([](const Run& run) { return run.seconds; });
    const double goal_s = figure([&](const Run& run) { return target_s(run, options.cores); });
    auto& theirs = rival[name];
    std::sort(theirs.begin(), theirs.end());
    const auto cores = static_cast<double>(options.cores);
    table.add(
        {name, key.second,
         shown(figure([](const Run& run) { return run.first_ask_s.value_or(never); })),
         shown(figure([](const Run& run) { return run.first_launch_s.value_or(never); })),
         shown(figure([&](const Run& run) { return seconds_to(0.05, run, of); })),
         shown(figure([&](const Run& run) { return seconds_to(0.01, run, of); })), shown(stop_s),
         shown(figure([](const Run& run) { return double(run.rows.size()); }), "{:.0f}"),
         shown(figure([](const Run& run) { return double(run.shared); }), "{:.0f}"),
         shown(figure([](const Run& run) { return double(run.given_up); }), "{:.0f}"),
         shown(figure([&](const Run& run) { return loss_percent(run, of); }), "{:.1f}"),
         shown(figure([](const Run& run) { return run.compile_s; }), "{:.1f}"),
         shown(figure([&](const Run& run) { return 100 * run.compile_s / run.seconds / cores; }),
               "{:.0f}"),
         shown(figure([](const Run& run) { return run.gpu_s; })),
         shown(figure([](const Run& run) { return 100 * run.gpu_s / run.seconds; }), "{:.1f}"),
         shown(goal_s), shown(stop_s / goal_s), theirs.empty() ? "" : shown(median(theirs)),
         theirs.empty() ? "" : shown(median(theirs) / stop_s, "{:.1f}")});
  }
  fmt::print(
      "{}, {}, {} cores, medians over {} seeds, L2 flushed before every sample, cold caches\n"
      "target: 1.5 x compiler seconds of what was measured / cores + GPU seconds\n{}",
      runs.front().device, runs.front().date, options.cores, options.seeds, table.text());
}

Options parse(int count, char** words) {
  Options options;
  CLI::App app{"From the command to an answer that is good enough"};
  app.add_option("kernels", options.kernels, "Names or definitions");
  app.add_option("--program", options.programs, "LABEL=PATH of a gridsmith")->required();
  app.add_option("--known", options.known, "Recordings of whole spaces");
  app.add_option("--kernel-tuner", options.rival, "CSV: kernel,seed,seconds");
  app.add_option("--seeds", options.seeds, "Runs of each")->check(CLI::PositiveNumber);
  app.add_option("--first-seed", options.first_seed, "Seed of the first run");
  app.add_option("--evaluations", options.evaluations,
                 "Of each run; 0: as the program ends by itself");
  app.add_option("--cores", options.cores, "Of this machine")->check(CLI::PositiveNumber);
  app.add_option("--limit", options.limit_s, "Seconds of one run");
  app.add_option("--option", options.more,
                 "One more word of 'tune', as in --option=--counters=none")
      ->take_all();
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  if (options.kernels.empty())
    for (const char* name : {"unrolled_convolution", "small_cholesky", "segment_sort"})
      options.kernels.push_back(
          fmt::format("{}/tests/bench/compile_heavy/{}/{}.json", GRIDSMITH_SOURCE_DIR, name, name));
  return options;
}

} // namespace

int run(int count, char** words) {
  const Options options = parse(count, words);
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);
  const test::Folder folder;
  std::vector<Run> runs;
  for (const std::string& kernel : options.kernels)
    for (std::uint64_t seed = 0; seed < options.seeds; ++seed)
      for (const std::string& program : options.programs) { // side by side, so that drift meets all
        runs.push_back(
            run_once(options, kernel, program, options.first_seed + seed, folder.path()));
        fmt::print(stderr, "{} {} seed {}: {:.2f} s\n", fs::path(kernel).stem().string(),
                   runs.back().program, runs.back().seed, runs.back().seconds);
      }
  print(options, runs);
  return 0;
}

const Bench entry("time_to_answer", run);

} // namespace bench_time_to_answer
