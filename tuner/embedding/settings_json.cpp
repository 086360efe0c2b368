// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/embedding/settings_json.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/reading/read_metrics.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/session/size_list.hpp"
#include "gridsmith/tuner/shipping/shipments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

using Ordered = nlohmann::ordered_json; // parameters keep their order

template <typename Visit>
void visit_helpers(HelperSettings& helpers, const Visit& visit) {
  visit("compilers", "compiler processes; null: one per core", helpers.compilers);
  visit("nvrtc", "the library to compile with", helpers.nvrtc);
  visit("nvcc", "the program to compile with, for definitions that ask for it", helpers.nvcc);
  visit("cache", "keep compiled kernels", helpers.cache);
  visit("confined", "run compilers and worker in a sandbox", helpers.confined);
  visit("share", "do not wait for another Gridsmith on this GPU", helpers.share);
}

/// What is shipped is read once all settings are known.
struct RetuneFile {
  RetuneSettings settings = {};
  fs::path shipped;
};

/// Calls visit(name, summary, member) for each setting: the one list of them.
template <typename Visit>
void visit_settings(SessionSettings& s, const Visit& visit) {
  Conditions& conditions = s.conditions;
  visit("kernel", "a name of the catalogue, or the file of a definition", s.kernel);
  visit(
      "sizes",
      "[[8192, 8192], \"1000x3000\"]; or a text as --sizes takes it, with \"across\"; default: the definition's first",
      s.problems);
  visit(
      "across",
      "one search over all sizes: \"each\" has its own best, or one for all by \"mean\" or \"worst\"; "
      "null: each size by itself",
      s.across);
  visit("weights", "of the sizes in a search over all", s.weights);
  visit("include", "folders that the definition may read besides its own", s.include);
  visit("devices", "numbers of GPUs, [0]; []: all", s.devices);
  visit("recording", "a file to replay instead of using a GPU", s.recording);
  visit("back_end", "\"gpu\": where there is none, no recording is replayed", s.back_end);
  visit(
      "objective",
      "what to optimise: \"time\", or a metric of which less or more is better; of two, \"time,energy_mj\", the "
      "front is looked for",
      s.objective);
  visit("definition",
        "the definition itself, an object; \"kernel\" is then the file that it would be in",
        s.definition);
  visit("metrics",
        "further metrics, also for \"objective\": [{\"Name\", \"Formula\", \"Unit\", \"Better\"}]",
        s.definition);
  visit("only", "a list of configurations to measure in place of a search", s.only);
  visit("evaluations", "stop after so many configurations", s.budget.evaluations);
  visit("seconds", "stop after so many seconds", s.budget.seconds);
  visit("strategy", "name of a search strategy", s.strategy);
  visit("seed", "of all randomness", s.seed);
  visit("repeatable", "ask the same on every run", s.repeatable);
  visit("finalists", "how many are measured again, interleaved", s.finals.most);
  visit("finalists_within", "… whose cost is at most so much above the lowest: 0.05",
        s.finals.within);
  visit("calibrate", "of a search over all sizes: sizes to draw, to see what a header loses there",
        s.calibrate);
  visit("add", "of a search over all sizes: at most so many more where the choice is least certain",
        s.add);
  visit("regime", "\"cold\", \"warm\", \"rotate\", \"back-to-back\" or \"graph\"",
        conditions.regime);
  visit("every_regime", "race the finalists under every other regime too", s.every_regime);
  visit("clocks", "measure the finalists at these SM clocks, in MHz, too; needs root", s.clocks);
  visit("counters",
        "\"none\", \"default\", \"shared\", \"full\", or names with commas between them",
        conditions.counter_set);
  visit("interval", "sample until the median is known to within this, relative: 0.01",
        conditions.sampling.interval);
  visit("samples", "at most so many of a configuration", conditions.sampling.max_samples);
  visit("prune", "end the sampling of configurations that cannot win", conditions.sampling.prune);
  visit("bitwise", "correct is only what gives the same result, to the bit, in every judged launch",
        conditions.bitwise);
  visit("timeout", "seconds until a launch counts as hanging", conditions.timeout_s);
  visit("locked_clock_mhz", "lock the SM clock meanwhile; needs root", conditions.locked_clock_mhz);
  visit("store", "SQLite file of all measurements; null: nothing is kept", s.store);
  visit("reuse", "what the store has serves in place of measuring", s.reuse);
  visit("compile_timeout",
        "seconds until a compilation is cancelled; null: by the time that others take",
        s.compile_timeout);
  visit_helpers(s.helpers, visit);
}

template <typename Visit>
void visit_settings(CheckSettings& s, const Visit& visit) {
  visit("baseline", "file of a baseline; or a store or a recording, of which the best counts",
        s.baseline);
  visit("against", "a git revision that takes the baseline's place; kernels are named then",
        s.against);
  visit("old_nvrtc", "the library that compiles the old side, in the baseline's place",
        s.old_nvrtc);
  visit("kernels", "names or files of definitions; default: all of the baseline", s.kernels);
  visit("sizes", "[[8192, 8192], \"1000x3000\"]; default: all of the baseline", s.session.problems);
  visit("include", "folders that a definition may read besides its own", s.session.include);
  visit("effect", "the least relative change that counts: 0.02", s.pairs.least_effect);
  visit("strict", "undecided and different fail too", s.failures.strict);
  visit("allow_missing", "what cannot be judged passes where anything else was",
        s.failures.allow_missing);
  visit("counters", "\"none\", \"explain\" or \"exact\"", s.counters);
  visit("identical_too", "run pairs of the same machine code too", s.identical_too);
  visit("device", "number of the GPU", s.session.devices.front());
  visit("locked_clock_mhz", "lock the SM clock meanwhile; needs root",
        s.session.conditions.locked_clock_mhz);
  visit("timeout", "seconds until a launch counts as hanging", s.session.conditions.timeout_s);
  visit("store", "SQLite file that keeps the result for 'gridsmith history'", s.session.store);
  visit("seed", "of the data", s.session.seed);
  visit_helpers(s.session.helpers, visit);
}

/// Of sessions for many kernels: what counts of them all.
template <typename Visit>
void visit_many(SessionSettings& s, const Visit& visit) {
  visit("include", "folders that definitions may read besides their own", s.include);
  visit("device", "number of the GPU", s.devices.front());
  visit("seconds", "stop after so many seconds in all", s.budget.seconds);
  visit("evaluations", "stop after so many configurations", s.budget.evaluations);
  visit("counters", "as of \"tune\"", s.conditions.counter_set);
  visit("regime", "as of \"tune\"", s.conditions.regime);
  visit("store", "SQLite file of all measurements; null: nothing is kept", s.store);
  visit_helpers(s.helpers, visit);
}

template <typename Visit>
void visit_settings(AllSettings& s, const Visit& visit) {
  visit("kernels", "definitions, and folders of them; default: the catalogue", s.where);
  visit("from", "stores, recordings and headers of other devices, to begin with", s.from);
  visit("sizes", "[[8192, 8192], \"1000x3000\"]; default: those of each definition",
        s.session.problems);
  visit("reuse", "what the store has serves in place of measuring", s.session.reuse);
  visit("calibrate", "sizes to draw, to see what a header loses there", s.session.calibrate);
  visit_many(s.session, visit);
}

template <typename Visit>
void visit_settings(RetuneFile& of, const Visit& visit) {
  RetuneSettings& s = of.settings;
  visit("shipped", "a header of one device, or a store", of.shipped);
  visit("definitions", "files and folders of kernels that are not in the catalogue", s.where);
  visit("tolerance", "ignore times that differ by less: 0.05", s.tolerance);
  visit("replay", "without a GPU replay recordings", s.replay);
  visit("reuse", "times in the store of the same code, board, driver and toolkit serve",
        s.session.reuse);
  visit_many(s.session, visit);
}

template <typename Visit>
void visit_settings(JudgeSettings& s, const Visit& visit) {
  visit("candidate", "a source with the definition's kernel", s.candidate);
  visit("definition", "arguments, sizes, data, reference: a file, or a name of the catalogue",
        s.definition);
  visit("against", "the source that it has to be faster than; null: the definition's own",
        s.incumbent);
  visit("sizes", "sizes to time it at; default: all of the definition", s.check.session.problems);
  visit("further", "so many further sizes are drawn and verified", s.further_sizes);
  visit("seed", "of data and further sizes; null: a secret one", s.seed);
  visit("include", "folders that the definition may read besides its own", s.check.session.include);
  visit("effect", "the least gain that counts, relative: 0.02", s.check.pairs.least_effect);
  visit("device", "number of the GPU", s.check.session.devices.front());
  visit("timeout", "seconds until a launch counts as hanging",
        s.check.session.conditions.timeout_s);
  visit("sanitizer", "run compute-sanitizer's tools, where they are", s.sanitizer);
  visit("store", "SQLite file with the incumbent's best, which keeps the verdict",
        s.check.session.store);
  visit("evidence", "a file that keeps the verdict as well", s.evidence);
  visit("recheck", "judge again what was judged, on other data", s.recheck);
  visit_helpers(s.check.session.helpers, visit);
}

template <typename T>
void read(const Ordered& json, T& value) {
  fields::read(nlohmann::json(json), value, Fields::changed);
}

void read(const Ordered& json, fs::path& path) {
  path = json.get<std::string>();
}

void read(const Ordered& json, std::optional<fs::path>& path) {
  path = json.is_null() ? std::nullopt : std::optional<fs::path>(json.get<std::string>());
}

void read(const Ordered& json, CompileTimeout& timeout) {
  timeout = {};
  timeout.adapts = json.is_null();
  if (!timeout.adapts)
    timeout.seconds = json.get<double>();
}

void read(const Ordered& json, Configuration& configuration) {
  if (!json.is_object())
    throw InputError("a configuration is an object such as {\"TILE\": 16}");
  for (const auto& [name, value] : json.items())
    configuration.emplace_back(name, value_of(value));
}

/// It and its metrics were taken before.
void read(const Ordered&, std::shared_ptr<const KernelDefinition>&) {
}

void read(const Ordered& json, ProblemSize& size) {
  if (json.is_string())
    size = problem_size_from_text(json.get<std::string>());
  else
    read(json.is_array() ? json : Ordered::array({json}), size.extents);
}

template <typename T>
  requires std::same_as<T, fs::path> || std::same_as<T, Configuration> ||
           std::same_as<T, ProblemSize>
void read(const Ordered& json, std::vector<T>& list) {
  if (!json.is_array())
    throw InputError("is no list");
  for (const Ordered& one : json)
    read(one, list.emplace_back());
}

Ordered parsed(std::string_view text, const char* what) {
  try {
    if (Ordered json = ordered_of_text(text); json.is_object())
      return json;
  } catch (const InputError& error) {
    throw InputError(std::string(what) + ": " + error.what());
  }
  throw InputError(std::string(what) + ": is no JSON object");
}

template <typename Settings>
Settings settings_of(Ordered json) {
  Settings settings;
  std::vector<std::string> names;
  visit_settings(settings, [&](const char* name, const char*, auto& member) {
    names.emplace_back(name);
    const auto found = json.find(name);
    if (found == json.end())
      return;
    try {
      read(*found, member);
    } catch (const std::exception& error) {
      throw InputError(std::string(name) + ": " + plain_text(error));
    }
    json.erase(found);
  });
  if (!json.empty())
    throw InputError(unknown_name("setting", json.begin().key(), names));
  return settings;
}

template <typename Settings>
Ordered described() {
  Ordered all = Ordered::object();
  Settings any;
  visit_settings(any, [&](const char* name, const char* summary, auto&) { all[name] = summary; });
  return all;
}

/// As --sizes: ranges, "all" and "auto" are of the definition.
void take_sizes(const std::string& text, const KernelDefinition& definition,
                SessionSettings& settings) {
  const SizeList list = size_list(text, definition);
  settings.problems = list.problems;
  if (settings.weights.empty() && settings.across)
    settings.weights = list.weights;
  settings.add = std::max(settings.add, list.adds);
}

void ask_for(const char* name, const std::string& value) {
  if (value.empty())
    throw InputError(std::string(name) + ": has to be named");
}

void refuse_below_0(const char* name, double value) {
  if (!(value >= 0))
    throw InputError(fmt::format("{}: {} is below 0", name, value));
}

/// @param written null: the kernel is a file
KernelDefinition definition_of(const Ordered& written, const SessionSettings& settings) {
  if (written.is_null())
    return read_definition(
        find_definition(settings.kernel, settings.helpers.installation.catalogue),
        settings.include);
  const fs::path file = settings.kernel;
  if (!written.is_object() || file.stem().empty())
    throw InputError("definition: is an object, and \"kernel\" the file that it would be in");
  return parse_definition(written.dump(), file, file.stem().string(), settings.include);
}

/// null where it is absent.
Ordered taken(Ordered& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end())
    return nullptr;
  Ordered value = std::move(*found);
  json.erase(found);
  return value;
}

} // namespace

SessionSettings session_settings(std::string_view text) {
  Ordered json = parsed(text, "settings");
  // What the definition is needed for, which the other settings name.
  const Ordered metrics = taken(json, "metrics");
  const Ordered written = taken(json, "definition");
  const Ordered sizes =
      json.contains("sizes") && json["sizes"].is_string() ? taken(json, "sizes") : Ordered();
  auto settings = settings_of<SessionSettings>(std::move(json));
  refuse_below_0("finalists_within", settings.finals.within);
  if (settings.store)
    check_is_store(*settings.store);
  if (metrics.is_null() && sizes.is_null() && written.is_null())
    return settings;
  auto definition = std::make_shared<KernelDefinition>(definition_of(written, settings));
  if (sizes.is_string())
    take_sizes(sizes.get<std::string>(), *definition, settings);
  if (!metrics.is_null())
    add_metrics(*definition, nlohmann::json(metrics));
  if (!metrics.is_null() || !written.is_null())
    settings.definition = std::move(definition);
  return settings;
}

CheckSettings check_settings(std::string_view text) {
  return settings_of<CheckSettings>(parsed(text, "settings"));
}

RetuneSettings retune_settings(std::string_view text) {
  RetuneFile file = settings_of<RetuneFile>(parsed(text, "settings"));
  ask_for("shipped", file.shipped.string());
  refuse_below_0("tolerance", file.settings.tolerance);
  file.settings.shipped =
      shipments_to_check(file.shipped, file.settings.session.helpers.installation);
  return file.settings;
}

AllSettings all_settings(std::string_view text) {
  return settings_of<AllSettings>(parsed(text, "settings"));
}

JudgeSettings judge_settings(std::string_view text) {
  JudgeSettings settings = settings_of<JudgeSettings>(parsed(text, "settings"));
  ask_for("candidate", settings.candidate.string());
  ask_for("definition", settings.definition);
  return settings;
}

Ordered described_settings() {
  return {{"tune", described<SessionSettings>()},
          {"check", described<CheckSettings>()},
          {"tune_all", described<AllSettings>()},
          {"retune", described<RetuneFile>()},
          {"judge", described<JudgeSettings>()}};
}

Device device_of_json(std::string_view text) {
  const nlohmann::json facts(parsed(text, "device"));
  const auto capability = facts.find("compute_capability");
  if (capability == facts.end() || !capability->is_number_integer())
    throw InputError("device: has no compute_capability, such as 90");
  Device device = device_of_capability(capability->get<int>());
  std::vector<std::string> names;
  const nlohmann::json known = to_fields(device, Fields::all);
  for (const auto& [name, value] : known.items())
    names.push_back(name);
  for (const auto& [name, value] : facts.items())
    if (!known.contains(name))
      throw InputError("device: " + unknown_name("fact", name, names));
  try {
    read_fields(facts, device);
  } catch (const std::exception& error) {
    throw InputError("device: " + plain_text(error));
  }
  return device;
}

Configuration configuration_of_json(std::string_view json) {
  Configuration configuration;
  read(parsed(json, "configuration"), configuration);
  return configuration;
}

} // namespace gridsmith
