// SPDX-License-Identifier: Apache-2.0
// Peaks measured on a real GPU by the whole program: near what data sheets promise, in the order that
// the hardware must have, in time, and the same again.
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace peaks_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

struct Found {
  double value = 0;
  std::optional<double> sheet;
  std::string conditions;
};

using Table = std::map<std::string, Found>;

std::string run(const std::vector<std::string>& words) {
  const ProgramOutput output = run_program(GRIDSMITH_PROGRAM, words, 2min);
  INFO(output.text);
  INFO(output.ended);
  REQUIRE(output.good);
  return output.text;
}

/// A store of its own, removed at the end.
class Measured {
public:
  Measured() { std::filesystem::remove(store_); }

  ~Measured() { std::filesystem::remove(store_); }

  /// Of the first device.
  Table measure() const {
    const auto json = nlohmann::json::parse(
        run({"devices", "--gpu", "0", "--measure", "--store", store_, "--json"}));
    Table table;
    for (const auto& peak : json.at(0).at("peaks")) {
      Found& found = table[peak.at("name")];
      found.value = peak.at("value");
      found.conditions = peak.at("conditions");
      if (!peak.at("data_sheet").is_null())
        found.sheet = peak.at("data_sheet").get<double>();
    }
    return table;
  }

  void print(const Table& table) const {
    fmt::print("{}\n", run({"devices", "--gpu", "0", "--store", store_}));
    for (const auto& [name, found] : table)
      fmt::print("{:<27} {:>10.5g} {:<8} {:>6}  {}\n", name, found.value,
                 find_peak_word(name)->unit,
                 found.sheet ? fmt::format("{:.0f} %", 100 * found.value / *found.sheet) : "",
                 found.conditions);
  }

private:
  std::string store_ =
      (std::filesystem::temp_directory_path() / fmt::format("gridsmith_peaks_{}.db", ::getpid()))
          .string();
};

/// Between what any chip from 7.5 on has.
struct Bound {
  const char* name;
  double least, most;
};

constexpr Bound bounds[] = {
    {"shared_latency_cycles", 15, 60}, {"l1_latency_cycles", 20, 90},
    {"l2_latency_cycles", 100, 600},   {"dram_latency_cycles", 250, 2500},
    {"barrier_cycles", 5, 200},        {"launch_overhead", 0.5, 30},
    {"launch_interval", 0.5, 30},      {"atomic_same_address", 0.5, 1e5},
    {"atomic_spread", 1, 1e5},         {"shared_atomic_same_address", 1, 1e5},
};

} // namespace

TEST_CASE("peaks are measured in time, near the data sheet, and the same again") {
  const Measured gridsmith;
  const auto begun = std::chrono::steady_clock::now();
  const Table table = gridsmith.measure();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
  gridsmith.print(table);
  fmt::print("all of it in {:.1f} s\n", spent.count());
  CHECK(spent < 20s);
  for (const PeakWord& word : peak_words) {
    INFO(word.name);
    CHECK(table.contains(std::string(word.name)));
  }
  const auto value = [&](const char* name) { return table.at(name).value; };

  for (const auto& [name, found] : table)
    if (found.sheet) {
      INFO(name << ": " << found.value << " of " << *found.sheet);
      CHECK(found.value > 0.5 * *found.sheet);
      CHECK(found.value <= 1.05 * *found.sheet);
    }
  for (const Bound& bound : bounds) {
    INFO(bound.name << ": " << value(bound.name));
    CHECK(value(bound.name) >= bound.least);
    CHECK(value(bound.name) <= bound.most);
  }
  CHECK(value("l2_read") > value("dram_read"));
  CHECK(value("l1_read") > value("l2_read"));
  CHECK(value("shared_latency") < value("l2_latency"));
  CHECK(value("l1_latency") < value("l2_latency"));
  CHECK(value("l2_latency") < value("dram_latency"));
  CHECK(value("atomic_same_address") < value("atomic_spread"));
  CHECK(value("tensor_fp16") > value("fp16_fma"));

  for (const auto& [name, again] : gridsmith.measure()) {
    INFO(name << ": " << table.at(name).value << ", then " << again.value);
    const bool coarse = find_peak_word(name)->unit == "us"; // near the resolution of events
    CHECK(again.value == Approx(table.at(name).value).epsilon(coarse ? 0.4 : 0.15));
  }
}

} // namespace peaks_test
