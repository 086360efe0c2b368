// SPDX-License-Identifier: Apache-2.0
// merge: several stores into one.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/results/store/import.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace gridsmith {
namespace {

/// For reading; of an older version a copy of today's.
Store open_source(const std::string& file, const std::string& into) {
  std::error_code error;
  if (std::filesystem::equivalent(file, into, error))
    throw InputError(file + ": is the store to merge into");
  if (std::filesystem::is_regular_file(file, error) && !is_store(file))
    throw InputError(file + ": is no store; 'gridsmith import' takes recordings and profiles");
  return Store::open(file, Store::Mode::read_only);
}

/// An answer that was given.
struct Said {
  std::string when, conditions, best;
};

/// By kernel, problem and device, as exports ask for them.
using AllSaid = std::map<std::string, std::vector<Said>>;

void listen(const Store& store, AllSaid& all) {
  for (const Scope& scope : store.scopes())
    if (const auto answer = store.answer(scope.id); answer && answer->winner())
      all[fmt::format("{} {} on {}", scope.key.kernel, scope.key.problem, scope.key.device_name)]
          .push_back({answer->when, answer->found_by.conditions,
                      to_text(answer->winner()->measurement.configuration)});
}

/// Where stores disagree about the best, whose word counts and whose does not, a line each.
std::vector<std::string> conflicts_in(AllSaid& all) {
  std::vector<std::string> lines;
  for (auto& [what, said] : all) {
    std::stable_sort(said.begin(), said.end(),
                     [](const Said& a, const Said& b) { return a.when > b.when; });
    for (const Said& older : said)
      if (const Said& newest = said.front(); older.best != newest.best)
        lines.push_back(fmt::format("{}: {} of {} ({}) counts as the newest, before {} of {} ({})",
                                    what, newest.best, newest.when, newest.conditions, older.best,
                                    older.when, older.conditions));
  }
  return lines;
}

class MergeCommand final : public Command {
public:
  MergeCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  nlohmann::ordered_json json_of(const std::vector<Taken>& taken,
                                 const std::vector<std::string>& conflicts) const;

  std::vector<std::string> stores_;
  std::string into_;
  bool json_ = false;
};

MergeCommand::MergeCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "merge", "Combine several stores into one") {
  line_.footer(
      "Example:\n"
      "  gridsmith merge h100.db h200.db --into all.db\n"
      "\n"
      "Copies records, answers and measured peaks, each record once. If stores disagree on the "
      "best of a kernel, size and device, the newest answer wins, and the others are listed. The "
      "STORE arguments are not changed. Either all are merged, or none.");
  line_.add_option("STORE", stores_, "Stores to read")->type_name("STORE…")->required();
  line_.add_option("--into", into_, "The store to write; created if missing, otherwise extended")
      ->type_name("STORE")
      ->required();
  add_json_option(line_, json_);
}

nlohmann::ordered_json MergeCommand::json_of(const std::vector<Taken>& taken,
                                             const std::vector<std::string>& conflicts) const {
  nlohmann::ordered_json json = {
      {"into", into_}, {"stores", nlohmann::ordered_json::array()}, {"conflicts", conflicts}};
  for (std::size_t i = 0; i < taken.size(); ++i)
    json["stores"].push_back(
        {{"file", stores_[i]}, {"taken", taken[i].added}, {"there_already", taken[i].held}});
  return json;
}

void MergeCommand::run() {
  const Interrupts interrupts;
  std::vector<Store> sources;
  for (const std::string& file : stores_)
    sources.push_back(open_source(file, into_));
  std::vector<Taken> taken;
  AllSaid said;
  change_store(into_, [&](Store& store) {
    listen(store, said);
    for (const Store& source : sources) {
      listen(source, said);
      taken.push_back(store.take(source));
      if (interrupts.token().stop_requested())
        throw CommandFailed(exit_interrupted, "interrupted; nothing was added");
    }
  });
  const std::vector<std::string> conflicts = conflicts_in(said);
  if (json_)
    return print(json_text(json_of(taken, conflicts), 2) + "\n");
  for (std::size_t i = 0; i < taken.size(); ++i)
    print_line(fmt::format("{}: {} records added, {} already there", printable(stores_[i]),
                           taken[i].added, taken[i].held));
  for (const std::string& line : conflicts)
    print_line(printable(line));
}

} // namespace

extern const AddCommand add_merge_command = add_command<MergeCommand>;

} // namespace gridsmith
