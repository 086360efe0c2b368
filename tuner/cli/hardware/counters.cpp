// SPDX-License-Identifier: Apache-2.0
// gridsmith counters: the sets, counters and metrics that there are, and what they are on a chip.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/gpu/counter_passes.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr const char* newest_chip = "GB110"; // of data centres: Blackwell Ultra

/// The chip, and why it is this one.
struct Chip {
  std::string name, because;
};

/// Names in one list as wanted_counters() takes them.
std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

/// What one set, or all names asked for, cost on the chip.
struct Plan {
  WantedCounters wanted;
  std::optional<CounterPasses> planned;
};

std::string cost_text(const Plan& plan) {
  if (plan.wanted.names.empty() && plan.wanted.missing.empty())
    return "counts nothing";
  std::string text = counted(plan.wanted.names.size(), "counter");
  if (!plan.wanted.missing.empty())
    text += fmt::format(" ({} more are not counted on this chip)", plan.wanted.missing.size());
  if (!plan.planned)
    return text;
  text += plan.planned->passes == 1 ? ", 1 pass" : fmt::format(", {} passes", plan.planned->passes);
  text += fmt::format(", about {:.1f} ms per configuration in addition to its own time",
                      counting_ms(plan.planned->passes));
  if (!plan.planned->rejected.empty())
    text += fmt::format("; CUPTI does not accept {}", fmt::join(plan.planned->rejected, ", "));
  return text;
}

Ordered cost_json(const Plan& plan) {
  Ordered json{{"counters", plan.wanted.names},
               {"missing", plan.wanted.missing},
               {"passes", nullptr},
               {"ms_per_configuration", nullptr},
               {"rejected", nullptr}};
  if (plan.planned) {
    json["passes"] = plan.planned->passes;
    json["ms_per_configuration"] = counting_ms(plan.planned->passes);
    json["rejected"] = plan.planned->rejected;
  }
  return json;
}

std::string direction_text(Better better) {
  return better == Better::neither ? "" : fmt::format("{} is better", to_text(better));
}

/// "%, lower is better: formula. Source: …"
std::string metric_text(const Metric& metric) {
  std::vector<std::string> head;
  for (const std::string& one : {metric.unit, direction_text(metric.better)})
    if (!one.empty())
      head.push_back(one);
  std::string text = fmt::format("{}", fmt::join(metric.formulas, ", else "));
  if (!head.empty())
    text += fmt::format(" ({})", fmt::join(head, ", "));
  if (!metric.source.empty())
    text += "; " + metric.source;
  if (!metric.bypasses.empty())
    text += fmt::format("; not applicable where there are {}", fmt::join(metric.bypasses, " or "));
  return text;
}

class CountersCommand final : public Command {
public:
  CountersCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  Chip chosen_chip() const;
  Plan plan_of(const std::string& words, const Chip& chip) const;
  bool listed(std::string_view name) const;
  // Each in text and as a list in JSON.
  Cell sets(const Chip& chip, std::size_t width) const;
  Cell counters(const Chip& chip, std::size_t width) const;
  Cell metrics(std::size_t width) const;

  std::vector<std::string> names_;
  std::string chip_;
  bool json_ = false;
};

CountersCommand::CountersCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "counters",
              "List counters and metrics, and what reading them costs") {
  line_.footer("Example:\n"
               "  gridsmith counters full --chip GH100\n"
               "  gridsmith counters achieved_occupancy dram_bytes\n"
               "\n"
               "'tune --counters' takes all these names, and CUPTI's own with their rollup. "
               "CUPTI's host library plans the passes, without a GPU.");
  line_.add_option("NAMES", names_, "Only these: sets, counters, metrics, or CUPTI's own names")
      ->type_name("NAME…");
  line_
      .add_option("--chip", chip_,
                  "CUPTI's name of the chip; default: that of the first device, else the newest "
                  "known one")
      ->type_name("CHIP");
  add_json_option(line_, json_);
}

Chip CountersCommand::chosen_chip() const {
  if (!chip_.empty())
    return {chip_, "as asked"};
  for (const Device& device : query_devices(installation_.programs).devices)
    if (!device.chip.empty())
      return {device.chip, "of device " + std::to_string(device.ordinal)};
  return {newest_chip, "the newest data centre chip known, as there is no device here"};
}

Plan CountersCommand::plan_of(const std::string& words, const Chip& chip) const {
  Plan plan{wanted_counters(words, chip.name), std::nullopt};
  std::vector<std::string> profiled = plan.wanted.names;
  std::erase_if(profiled, [](const std::string& name) {
    return counter_kind(name) != CounterKind::profiler;
  });
  if (!profiled.empty())
    plan.planned = plan_passes(installation_.programs, chip.name, profiled);
  return plan;
}

bool CountersCommand::listed(std::string_view name) const {
  return names_.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
}

Cell CountersCommand::sets(const Chip& chip, std::size_t width) const {
  Cell all("", Ordered::array());
  for (const CounterSet& set : counter_sets())
    if (listed(set.name)) {
      const Plan plan = plan_of(std::string(set.name), chip);
      all.text +=
          two_columns("  " + std::string(set.name),
                      set.counters.empty() ? std::string(set.summary)
                                           : fmt::format("{}. {}", set.summary, cost_text(plan)),
                      12, width);
      all.json.push_back({{"name", set.name}, {"summary", set.summary}});
      all.json.back().update(cost_json(plan));
    }
  return all;
}

Cell CountersCommand::counters(const Chip& chip, std::size_t width) const {
  Cell all("", Ordered::array());
  for (const Counter& one : counter_catalogue())
    if (listed(one.name)) {
      const std::string_view unit = counter_unit(one.cupti);
      const auto name = name_on(one, chip.name);
      const std::string_view missing = why_missing(one, chip.name);
      all.text += fmt::format("  {}{}\n", one.name, unit.empty() ? "" : fmt::format(" ({})", unit));
      all.text += two_columns("",
                              name ? fmt::format("{}; {}", one.says, *name)
                                   : fmt::format("{}; not counted: {}", one.says, missing),
                              6, width);
      all.json.push_back({{"name", one.name},
                          {"unit", unit},
                          {"cupti", or_null(name)},
                          {"missing", or_null(missing)},
                          {"says", one.says}});
    }
  return all;
}

Cell CountersCommand::metrics(std::size_t width) const {
  Cell all("", Ordered::array());
  for (const Metric& one : metric_catalogue())
    if (listed(one.name)) {
      all.text += "  " + one.name + '\n' + two_columns("", metric_text(one), 6, width);
      all.json.push_back({{"name", one.name},
                          {"unit", one.unit},
                          {"better", to_text(one.better)},
                          {"formulas", one.formulas},
                          {"source", one.source},
                          {"not_applicable_with", one.bypasses},
                          {"counters", counters_of(one)}});
    }
  return all;
}

void CountersCommand::run() {
  wanted_counters(names_.empty() ? "none" : list_of(names_), ""); // unknown ones
  const Chip chip = chosen_chip();
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  std::string text =
      wrapped(fmt::format("Chip {}, {}", chip.name, chip.because), width, 2) + "\n\n";
  Ordered json{{"chip", chip.name}, {"chip_because", chip.because}};
  const auto add = [&](const char* key, const std::string& title, const Cell& part) {
    text += part.text.empty() ? "" : title + ":\n" + part.text + '\n';
    json[key] = part.json;
  };
  add("sets", "Sets, for --counters", sets(chip, width));
  add("counters", "Counters, with the names of CUPTI (nvml__ and result__: ours) on " + chip.name,
      counters(chip, width));
  add("metrics", "Metrics, computed of them", metrics(width));
  const std::optional<Plan> together =
      names_.empty() ? std::nullopt : std::optional(plan_of(list_of(names_), chip));
  if (together) {
    text += wrapped("Together: " + cost_text(*together), width, 2) + '\n';
    json["together"] = cost_json(*together);
  }
  print(json_ ? json_text(json, 2) + "\n" : text);
  if (together && together->planned && !together->planned->rejected.empty()) // which was said
    throw CommandFailed(exit_failed, "");
}

} // namespace

extern const AddCommand add_counters_command = add_command<CountersCommand>;

} // namespace gridsmith
