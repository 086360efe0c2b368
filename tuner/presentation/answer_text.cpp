#include "gridsmith/tuner/presentation/answer_text.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/tuner/presentation/answer_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

namespace gridsmith {
namespace {

constexpr std::size_t reasons_shown = 3;

/// What a kernel can be limited by, and how near it is to that.
struct Limit {
  Column rate;
  std::string_view rate_metric;
  Column percent;
  std::string_view percent_metric;
};

const Limit memory_limit{
    {"rate", "GB/s"}, "effective_gb_per_s", {"of copy", "%"}, "percent_of_copy"};
const Limit compute_limit{
    {"rate", "GFLOP/s"}, "gflop_per_s", {"of FP32 peak", "%"}, "percent_of_fp32_peak"};

/// The one that the winner is nearer to.
const Limit& limit_of(const Subject& subject, const Ranked& best) {
  const double memory = metric_of(subject, best, memory_limit.percent_metric).value_or(0);
  const double compute = metric_of(subject, best, compute_limit.percent_metric).value_or(0);
  return compute > memory ? compute_limit : memory_limit;
}

std::string metric_cell(const Subject& subject, const Ranked& one, std::string_view metric) {
  const auto value = metric_of(subject, one, metric);
  return value ? number_text(*value) : "";
}

/// Half the width of the middle half.
std::string spread_cell(const TimeSummary& time) {
  if (time.samples < 2)
    return "";
  return fmt::format("{:.1f}",
                     50 * (time.third_quartile_ms - time.first_quartile_ms) / time.median_ms);
}

/// With as many digits as tell those apart that differ, four to six.
std::vector<std::string> time_cells(const std::vector<Ranked>& ranking) {
  std::vector<std::string> cells;
  for (int digits = 4; digits <= 6; ++digits) {
    cells.clear();
    std::set<double> times;
    for (const Ranked& one : ranking) {
      cells.push_back(fmt::format("{:#.{}g}", one.time.median_ms, digits));
      times.insert(one.time.median_ms);
    }
    if (std::set<std::string>(cells.begin(), cells.end()).size() == times.size())
      break;
  }
  return cells;
}

const Value* value_of(const Configuration& configuration, const std::string& name) {
  for (const auto& [parameter, value] : configuration)
    if (parameter == name)
      return &value;
  return nullptr;
}

/// Names of the parameters that are not the same in all.
std::vector<std::string> differing(const std::vector<Ranked>& ranking) {
  std::vector<std::string> names;
  const Configuration& first = ranking.front().measurement.configuration;
  for (const auto& [name, value] : first)
    if (std::any_of(ranking.begin(), ranking.end(), [&](const Ranked& one) {
          const Value* other = value_of(one.measurement.configuration, name);
          return !other || *other != value;
        }))
      names.push_back(name);
  return names;
}

std::string parameter_cell(const Ranked& one, const std::string& name) {
  const Value* value = value_of(one.measurement.configuration, name);
  return value ? to_text(*value) : "";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// Rank, time, spread, how much slower than the best, and the rate that matters.
std::vector<std::vector<std::string>>
figures(const Subject& subject, const std::vector<Ranked>& ranking, const Limit& limit) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> times = time_cells(ranking);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    const Ranked& one = ranking[place];
    const std::string rank = place == 0 ? "best" : one.tied ? "tied" : std::to_string(place + 1);
    rows.push_back({rank, times[place], spread_cell(one.time),
                    fmt::format("{:.3f}", one.time.median_ms / ranking.front().time.median_ms),
                    metric_cell(subject, one, limit.rate_metric),
                    metric_cell(subject, one, limit.percent_metric)});
  }
  return rows;
}

/// The best below each other: figures, then the parameters in which they differ, a column each where
/// there is room.
std::string ranking_table(const Subject& subject, const std::vector<Ranked>& ranking,
                          std::size_t width) {
  const Limit& limit = limit_of(subject, ranking.front());
  const std::vector<Column> heads = {{"", "", true}, {"time", "ms"}, {"±", "%"},
                                     {"/ best", ""}, limit.rate,     limit.percent};
  const std::vector<std::string> names = differing(ranking);
  std::vector<Column> all = heads;
  for (const std::string& name : names)
    all.push_back({name, ""});
  Table wide(all), narrow(heads);
  auto rows = figures(subject, ranking, limit);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    narrow.add(rows[place]);
    for (const std::string& name : names)
      rows[place].push_back(parameter_cell(ranking[place], name));
    wide.add(rows[place]);
  }
  std::vector<std::string> lines = lines_of(wide.text());
  if (std::all_of(lines.begin(), lines.end(),
                  [&](const auto& line) { return width_of(line) <= width; }))
    return wide.text();
  lines = lines_of(narrow.text());
  std::string text;
  const std::size_t first_row = lines.size() - ranking.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + '\n';
    if (i < first_row)
      continue;
    std::string parameters = "   ";
    for (const std::string& name : names)
      parameters += " " + name + "=" + parameter_cell(ranking[i - first_row], name);
    text += wrapped(printable(parameters), width, 4) + '\n';
  }
  return text;
}

/// 32-byte sectors per request, the field's transactions per access, and in brackets what a
/// coalesced warp needs for accesses of this size.
std::string sectors_cell(const Subject& subject, const Ranked& one, std::string_view metric,
                         int AccessBytes::* bytes) {
  std::string cell = metric_cell(subject, one, metric);
  if (cell.empty() || !subject.access_bytes)
    return cell;
  const int access = subject.access_bytes(one.measurement.configuration).*bytes;
  return fmt::format("{} ({})", cell, number_text(ideal_sectors_per_request(access)));
}

/// A line of the comparison: what it is, its unit, and how a configuration fills it.
struct Aspect {
  std::string name, unit;
  std::function<std::string(const Ranked&)> cell;
};

std::vector<Aspect> aspects(const Subject& subject) {
  const auto metric = [&](std::string name, std::string unit, std::string_view which) {
    return Aspect{std::move(name), std::move(unit), [&subject, which](const Ranked& one) {
                    return metric_cell(subject, one, which);
                  }};
  };
  return {{"time", "ms", [](const Ranked& one) { return number_text(one.time.median_ms); }},
          metric("effective bandwidth", "GB/s", "effective_gb_per_s"),
          metric("compute rate", "GFLOP/s", "gflop_per_s"),
          metric("DRAM throughput, counted", "GB/s", "dram_gb_per_s"),
          metric("DRAM throughput, of peak", "%", "dram_percent_of_peak"),
          {"load sectors/request (ideal)", "",
           [&](const Ranked& one) {
             return sectors_cell(subject, one, "load_sectors_per_request", &AccessBytes::load);
           }},
          {"store sectors/request (ideal)", "",
           [&](const Ranked& one) {
             return sectors_cell(subject, one, "store_sectors_per_request", &AccessBytes::store);
           }},
          metric("achieved occupancy", "%", "achieved_occupancy"),
          {"predicted occupancy", "%",
           [&](const Ranked& one) {
             const auto found = predicted_occupancy(subject.device, one.measurement);
             return found ? number_text(100 * found->fraction) : "";
           }},
          {"registers per thread", "", [](const Ranked& one) {
             const auto& compiled = one.measurement.compile_facts;
             return compiled ? std::to_string(compiled->registers_per_thread) : "";
           }}};
}

std::optional<Ranked> ranked(const Measurement& measurement) {
  const auto time = measurement.correct() ? summarise(measurement.times_ms) : std::nullopt;
  return time ? std::optional(Ranked{measurement, *time, false}) : std::nullopt;
}

/// The definition's default, where it was tried and gave a right result.
std::optional<Ranked> default_of(const Outcome& outcome) {
  for (const Measurement& one : outcome.result.measurements)
    if (outcome.subject.default_configuration &&
        one.configuration == *outcome.subject.default_configuration)
      return ranked(one);
  return std::nullopt;
}

std::optional<Ranked> slowest_of(const Outcome& outcome) {
  std::optional<Ranked> slowest;
  for (const Measurement& one : outcome.result.measurements)
    if (auto now = ranked(one); now && (!slowest || now->time.median_ms > slowest->time.median_ms))
      slowest = std::move(now);
  return slowest;
}

struct Shown {
  std::string title;
  Ranked one;
};

/// By what separates them.
std::string comparison_table(const Subject& subject, const std::vector<Shown>& shown) {
  std::vector<Column> heads = {{"", "", true}, {"", "", true}};
  std::vector<Ranked> ones;
  for (const Shown& column : shown) {
    heads.push_back({column.title, ""});
    ones.push_back(column.one);
  }
  Table table(heads);
  const auto row = [&](const std::string& name, const std::string& unit, const auto& cell) {
    std::vector<std::string> cells = {name, unit};
    for (const Ranked& one : ones)
      cells.push_back(cell(one));
    if (std::any_of(cells.begin() + 2, cells.end(), [](const auto& text) { return !text.empty(); }))
      table.add(std::move(cells));
  };
  for (const Aspect& aspect : aspects(subject))
    row(aspect.name, aspect.unit, aspect.cell);
  for (const std::string& name : differing(ones))
    row(name, "", [&](const Ranked& one) { return parameter_cell(one, name); });
  return table.text();
}

/// The winner beside the second, the default and the slowest, as many of them as there is room for.
std::string comparison_text(const Outcome& outcome, std::size_t width) {
  std::vector<Shown> shown;
  const auto add = [&](const std::string& title, std::optional<Ranked> one) {
    if (one && std::none_of(shown.begin(), shown.end(), [&](const Shown& other) {
          return other.one.measurement.configuration == one->measurement.configuration;
        }))
      shown.push_back({title, std::move(*one)});
  };
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  add("best", ranking.front());
  if (ranking.size() > 1)
    add("second", ranking[1]);
  add("default", default_of(outcome));
  add("slowest", slowest_of(outcome));
  for (; shown.size() > 1; shown.pop_back()) {
    const std::string text = comparison_table(outcome.subject, shown);
    const std::vector<std::string> lines = lines_of(text);
    if (shown.size() == 2 || std::all_of(lines.begin(), lines.end(),
                                         [&](const auto& line) { return width_of(line) <= width; }))
      return text;
  }
  return "";
}

/// How the winner was told from those that time could not tell from the fastest.
std::string tie_text(const Outcome& outcome, std::size_t width) {
  const std::vector<std::string> steps = tie_break(outcome.answer.ranking);
  if (steps.empty())
    return "";
  std::string text = fmt::format("\n{} configurations cannot be told apart by time; chosen by\n",
                                 outcome.answer.ties() + 1);
  for (const std::string& step : steps)
    text += "  " + wrapped(step, width - 2, 4) + '\n';
  return text;
}

std::string winner_text(const Outcome& outcome, std::size_t width) {
  const Subject& subject = outcome.subject;
  const Ranked& best = outcome.answer.ranking.front();
  std::string how = fmt::format("  {} ms", number_text(best.time.median_ms));
  if (best.time.samples > 1)
    how += fmt::format(", middle half {} to {} of {} samples",
                       number_text(best.time.first_quartile_ms),
                       number_text(best.time.third_quartile_ms), best.time.samples);
  how += fmt::format("; {}; {}; {}", verification_text(outcome), subject.conditions,
                     date_text(subject));
  const std::string what = fmt::format(
      "Best on {}: {}", subject.device.name.empty() ? "an unknown device" : subject.device.name,
      short_text(best.measurement.configuration, subject.parameters));
  return wrapped(printable(what), width, 2) + '\n' + wrapped(printable(how), width, 2) + '\n';
}

/// The first line of each reason and how often it was given, the commonest first.
std::string failures_text(const Outcome& outcome, std::size_t width) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& one : outcome.result.measurements)
    if (!one.correct())
      ++counts[fmt::format("{}: {}", to_text(one.status),
                           one.reason.substr(0, one.reason.find('\n')))];
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons_shown, reasons.size()); ++i)
    text +=
        cut(printable(fmt::format("  {} × {}", reasons[i].second, reasons[i].first)), width) + '\n';
  if (reasons.size() > reasons_shown)
    text +=
        fmt::format("  and {} other reasons; the CSV has all\n", reasons.size() - reasons_shown);
  return text;
}

/// "1.09 times faster than the default (0.1436 ms), 7.6 times than the slowest (1.003 ms)".
std::string speedup_text(const Outcome& outcome) {
  if (outcome.answer.ranking.empty())
    return "";
  const double best = outcome.answer.ranking.front().time.median_ms;
  std::string text;
  const auto add = [&](const std::string& name, const std::optional<Ranked>& other) {
    if (other && other->time.median_ms > best)
      text += fmt::format("{}{:.3g} times {}than the {} ({} ms)", text.empty() ? "" : ", ",
                          other->time.median_ms / best, text.empty() ? "faster " : "", name,
                          number_text(other->time.median_ms));
  };
  add("default", default_of(outcome));
  add("slowest tried", slowest_of(outcome));
  return text.empty() ? "" : "The best is " + text + ".\n";
}

std::string time_spent_text(const TuningResult& result) {
  const EvaluatorState& state = result.evaluator;
  std::string text = fmt::format(
      "time: start {}, compile {} over all compilers, GPU busy {} ({:.0f} %), verify {}, time {}, "
      "count {}, worker waited {}, search {}",
      duration_text(state.start_ms / 1000), duration_text(state.spent.compile_ms / 1000),
      duration_text(state.spent.gpu_ms / 1000),
      result.seconds > 0 ? state.spent.gpu_ms / result.seconds / 10 : 0.0,
      duration_text(state.spent.verify_ms / 1000), duration_text(state.spent.time_ms / 1000),
      duration_text(state.spent.count_ms / 1000), duration_text(state.wait_ms / 1000),
      duration_text(result.search_ms / 1000));
  if (state.worker_restarts + state.compiler_restarts > 0)
    text += fmt::format("; replaced: {} workers, {} compilers", state.worker_restarts,
                        state.compiler_restarts);
  return text;
}

const char* no_finals_because(Ended ended) {
  switch (ended) {
  case Ended::stopped:
    return "interrupted";
  case Ended::out_of_time:
    return "the time was up";
  default:
    return "no finals were asked for";
  }
}

} // namespace

std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& one) { return one.name == name; });
    if (parameter == parameters.end() || parameter->values.size() > 1)
      text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  }
  return text.empty() ? to_text(configuration) : text;
}

std::string date_text(const Subject& subject) {
  std::string day = subject.date.substr(0, 10);
  if (!subject.recording)
    return day;
  return day.empty() ? "date unknown" : "recorded " + day;
}

std::string verification_text(const Outcome& outcome) {
  std::set<Verification> with;
  for (const Measurement& one : outcome.result.measurements)
    if (one.correct())
      with.insert(one.verification);
  std::string text;
  for (const Verification one : with) {
    const std::string_view word =
        one == Verification::host     ? "verified against the reference on the host"
        : one == Verification::kernel ? "verified against the reference kernel"
        : one == Verification::file   ? "verified against the expected output's file"
        : one == Verification::default_configuration
            ? "agrees with the default configuration (no reference given)"
        : outcome.subject.recording ? "what verified it is not recorded"
                                    : "not verified (no reference or no output given)";
    text += (text.empty() ? "" : ", some ") + std::string(word);
  }
  return text;
}

std::string answer_text(const Outcome& outcome, const Terminal& terminal) {
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  if (ranking.empty())
    return "No configuration gave a right result.\n";
  const Subject& subject = outcome.subject;
  std::string winner = winner_text(outcome, terminal.width);
  if (terminal.colour)
    winner = "\x1b[1m" + winner.substr(0, winner.find('\n')) + "\x1b[0m" +
             winner.substr(winner.find('\n'));
  std::string text = winner;
  if (outcome.result.finals.empty() && !outcome.answer.found_by.strategy.empty())
    text += std::string("  not measured again: ") + no_finals_because(outcome.result.ended) + '\n';
  if (const auto& why = ranking.front().measurement.uncounted_because;
      why && ranking.front().measurement.counters.empty())
    text += wrapped("  not counted: " + printable(*why), terminal.width, 4) + '\n';
  if (ranking.size() > 1)
    text += '\n' + ranking_table(subject, ranking, terminal.width);
  text += tie_text(outcome, terminal.width);
  if (const std::string comparison = comparison_text(outcome, terminal.width); !comparison.empty())
    text += '\n' + comparison;
  return text;
}

std::string summary_text(const Outcome& outcome, const Terminal& terminal) {
  const TuningResult& result = outcome.result;
  std::string tried = fmt::format("Tried {} of {} configurations{}:", result.measurements.size(),
                                  outcome.subject.configurations,
                                  result.seconds > 0 ? " in " + duration_text(result.seconds) : "");
  for (const auto& [status, count] : count_by_status(result.measurements))
    tried += fmt::format(" {} {},", count, status);
  const auto pruned = std::count_if(result.measurements.begin(), result.measurements.end(),
                                    [](const Measurement& one) { return one.pruned_early; });
  if (pruned > 0)
    tried += fmt::format(" {} pruned early,", pruned);
  if (result.reused > 0)
    tried += fmt::format(" {} from the store,", result.reused);
  tried.back() = '.';
  std::string text =
      wrapped(tried, terminal.width, 2) + '\n' + failures_text(outcome, terminal.width);
  if (const std::string faster = speedup_text(outcome); !faster.empty())
    text += wrapped(faster.substr(0, faster.size() - 1), terminal.width, 2) + '\n';
  if (!outcome.subject.recording && result.evaluator.start_ms > 0)
    text += wrapped(time_spent_text(result), terminal.width, 2) + '\n';
  return text;
}

} // namespace gridsmith
