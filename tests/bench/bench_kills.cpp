// SPDX-License-Identifier: Apache-2.0
// Kills the tuner, its workers and its compilers at random moments while it tunes, goes on with the
// same command, and compares with a run that nobody disturbed: nothing that was committed is lost or
// changed, the store is whole, the end is the same. With fake helpers, or with --gridsmith on a GPU.
#include "gridsmith/results/database/database.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

namespace bench_kills {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int kills = 500;
  std::uint64_t seed = 1;
  std::string gridsmith, kernel, size, strategy = "exhaustive";
};

enum Victim { tuner, worker, compiler, victims };

constexpr std::array<const char*, victims> victim_names = {"gridsmith", "gridsmith-worker",
                                                           "gridsmith-compiler"};

struct Counts {
  int kills = 0, lost = 0, not_whole = 0;
};

/// Processes whose parent is this one, by the start of their name (the system keeps 15 letters).
std::vector<pid_t> children(pid_t parent, const std::string& name) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    if (std::atoi(entry.path().filename().c_str()) == 0)
      continue; // no process
    const std::string text = test::read_file(entry.path() / "stat");
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (open == text.npos || close == text.npos || close + 4 > text.size())
      continue;
    if (text.substr(open + 1, close - open - 1) == name.substr(0, 15) &&
        std::atoi(text.c_str() + close + 4) == parent)
      found.push_back(static_cast<pid_t>(std::atoi(text.c_str())));
  }
  return found;
}

/// Every raced record as one line, in the order committed. `costs`: with its time.
std::vector<std::string> records(const fs::path& store, bool costs) {
  std::vector<std::string> lines;
  if (!fs::exists(store) || fs::file_size(store) == 0)
    return lines;
  const Database database = Database::open(store, Database::Mode::read_write);
  if (database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'records'") == 0)
    return lines;
  Statement rows = database.prepare("SELECT configuration, status, ifnull(cost_ms, 0) FROM records "
                                    "WHERE mode = 'race' ORDER BY id");
  while (rows.step())
    lines.push_back(rows.text(0) + " " + rows.text(1) + (costs ? " " + rows.text(2) : ""));
  return lines;
}

bool whole(const fs::path& store) {
  if (!fs::exists(store))
    return true;
  Database database = Database::open(store, Database::Mode::read_write);
  Statement check = database.prepare("PRAGMA integrity_check(1)");
  return check.step() && check.text(0) == "ok";
}

class Series {
public:
  explicit Series(const Options& options)
      : options_(options), random_(options.seed), fake_(options.gridsmith.empty()) {
    if (fake_)
      program_.emplace();
    else
      program_.emplace(fs::absolute(options.gridsmith));
    kernel_ =
        fake_ ? test::write_kernel(program_->folder(), "killed", 240).string() : options.kernel;
    store_ = program_->folder() / "killed.db";
  }

  int run() {
    calm();
    while (total() < options_.kills)
      disturb();
    finish();
    table();
    for (const Counts& one : counts_)
      if (one.lost + one.not_whole > 0)
        return 1;
    return different_ > 0 ? 1 : 0;
  }

private:
  int total() const {
    int sum = 0;
    for (const Counts& one : counts_)
      sum += one.kills;
    return sum;
  }

  std::vector<std::string> command(const fs::path& store) const {
    std::vector<std::string> words = {"tune",   kernel_,     "--store",    store.string(),
                                      "--seed", "3",         "--strategy", options_.strategy,
                                      "--json", "--no-cache"};
    if (!options_.size.empty())
      words.insert(words.end(), {"--size", options_.size});
    if (fake_)
      words.insert(words.end(), {"--compilers", "2"});
    return words;
  }

  /// What an undisturbed run gives, and how long it takes.
  void calm() {
    const auto begun = Clock::now();
    const fs::path store = program_->folder() / "calm.db";
    if (program_->run(command(store), "calm") != 0)
      throw Error("the undisturbed run failed: " + program_->err("calm"));
    calm_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    calm_answer_ = nlohmann::json::parse(program_->out("calm"));
    const auto rows = records(store, fake_);
    calm_records_ = {rows.begin(), rows.end()};
    fmt::print("undisturbed: {:.0f} ms, {} records, best {}\n", calm_ms_, rows.size(),
               calm_answer_["best"]["configuration"].dump());
  }

  void pause(double most_ms) {
    const double ms = std::uniform_real_distribution<>(0, most_ms)(random_);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  }

  /// One start of the command, with kills until the tuner is the victim or has ended.
  void disturb() {
    const pid_t pid = program_->start(command(store_), "killed");
    while (true) {
      pause(0.7 * calm_ms_);
      const auto victim = static_cast<Victim>(random_() % victims);
      if (int status = 0; ::waitpid(pid, &status, WNOHANG) != 0)
        return status == 0 ? compare() : give_up();
      if (victim == tuner) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        ++counts_[tuner].kills;
        return check_store();
      }
      const auto found = children(pid, victim_names[victim]);
      if (!found.empty() && ::kill(found[random_() % found.size()], SIGKILL) == 0)
        ++counts_[victim].kills;
    }
  }

  /// The tuner ended with a reason, as when its only compiler was killed before its first word.
  void give_up() {
    ++gave_up_;
    fmt::print("ended: {}", program_->err("killed"));
    check_store();
  }

  void check_store() {
    Counts& count = counts_[tuner];
    count.not_whole += !whole(store_);
    const auto now = records(store_, true);
    const bool kept = now.size() >= committed_.size() &&
                      std::equal(committed_.begin(), committed_.end(), now.begin());
    count.lost += !kept;
    committed_ = now;
  }

  void finish() {
    if (program_->run(command(store_), "killed") != 0)
      fmt::print("the last run failed: {}\n", program_->err("killed"));
    compare();
  }

  /// The end of a disturbed run with that of the undisturbed one; then from the beginning.
  void compare() {
    ++ends_;
    const auto rows = records(store_, true);
    counts_[tuner].lost += rows.size() < committed_.size() ||
                           !std::equal(committed_.begin(), committed_.end(), rows.begin());
    const auto again = records(store_, fake_);
    const std::set<std::string> distinct(again.begin(), again.end());
    for (const std::string& row : distinct)
      if (!calm_records_.contains(row)) {
        ++blamed_;
        fmt::print("other than undisturbed: {}\n", row);
      }
    auto answer = nlohmann::json::parse(program_->out("killed"), nullptr, false);
    if (answer.is_discarded())
      answer = nlohmann::json::object();
    const bool answered = answer.contains("best") && answer["best"].is_object();
    const bool same = answered && same_winner(answer);
    if (!same)
      fmt::print("another end: {}{}\n", program_->err("killed"),
                 answered ? answer["best"]["configuration"].dump() : "no best");
    different_ += !same;
    for (const char* ending : {"", "-wal", "-shm"})
      fs::remove(store_.string() + ending);
    committed_.clear();
  }

  /// The same best; with real times, one that the other run cannot tell apart from its own.
  bool same_winner(const nlohmann::json& answer) const {
    if (answer["best"]["configuration"] == calm_answer_["best"]["configuration"])
      return true;
    const auto tied = [](const nlohmann::json& of, const nlohmann::json& with) {
      const auto& ranking = of["ranking"];
      return std::any_of(ranking.begin(), ranking.end(), [&](const nlohmann::json& one) {
        return one["tied"] == true && one["configuration"] == with["ranking"][0]["configuration"];
      });
    };
    return !fake_ && (tied(answer, calm_answer_) || tied(calm_answer_, answer));
  }

  void table() const {
    fmt::print("\n| killed | kills | committed records lost or changed | store not whole |\n"
               "|---|---|---|---|\n");
    for (int victim = 0; victim < victims; ++victim) {
      const Counts& one = counts_[static_cast<std::size_t>(victim)];
      if (victim == tuner)
        fmt::print("| tuner | {} | {} | {} |\n", one.kills, one.lost, one.not_whole);
      else
        fmt::print("| {} | {} | as the tuner's | as the tuner's |\n",
                   victim == worker ? "worker" : "compiler", one.kills);
    }
    fmt::print(
        "\n{} kills; {} runs came to their end, {} with another winner; {} records other than "
        "undisturbed; {} runs ended with a reason and went on at the next start\n",
        total(), ends_, different_, blamed_, gave_up_);
  }

  const Options& options_;
  std::mt19937_64 random_;
  bool fake_;
  std::optional<test::Program> program_;
  std::string kernel_;
  fs::path store_;
  double calm_ms_ = 0;
  nlohmann::json calm_answer_;
  std::set<std::string> calm_records_;
  std::vector<std::string> committed_;
  std::array<Counts, victims> counts_;
  int ends_ = 0, different_ = 0, blamed_ = 0, gave_up_ = 0;
};

} // namespace

int run(int count, char** words) {
  Options options;
  CLI::App app("Kills of tuner, worker and compiler at random moments");
  app.add_option("--kills", options.kills, "In all")->capture_default_str();
  app.add_option("--seed", options.seed, "Of the moments and victims")->capture_default_str();
  app.add_option("--strategy", options.strategy, "Search strategy")->capture_default_str();
  app.add_option("--gridsmith", options.gridsmith, "A real program, on a GPU; else fake helpers");
  app.add_option("--kernel", options.kernel, "With --gridsmith: what is tuned");
  app.add_option("--size", options.size, "With --gridsmith: of what size");
  CLI11_PARSE(app, count, words);
  return Series(options).run();
}

const Bench entry("kills", run);

} // namespace bench_kills
