// SPDX-License-Identifier: Apache-2.0
// How long the model of a report takes and how large its file becomes, of measurements made up in the sizes
// that a report has to bear. Writes the page, or its model, for the browser's bench beside it.
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/influence/influence.hpp"
#include "gridsmith/results/report/columns.hpp"
#include "gridsmith/results/report/model.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tests/bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ctime>

namespace bench_report {

using namespace gridsmith;

namespace {

/// Of this process on the CPU: what else the machine does is not in it.
double seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double between(double low, double high, Random& random) {
  return low + (high - low) * unit(random);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> all;
  for (const char* name :
       {"block_x", "block_y", "tile_x", "tile_y", "tile_k", "vector", "unroll", "stages"})
    all.push_back(
        {name,
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16}}});
  return all;
}

/// The row's configuration in the full product, in an order that has nothing to do with it.
Configuration configuration_of(const std::vector<Parameter>& all, std::size_t row) {
  std::size_t left = row * 2654435761U % 390625; // 5^8, by a number without a common divisor
  Configuration one;
  for (const Parameter& parameter : all) {
    one.emplace_back(parameter.name, parameter.values[left % 5]);
    left /= 5;
  }
  return one;
}

Measurement measured(const std::vector<Parameter>& all, std::size_t row, Random& random) {
  Measurement one;
  one.configuration = configuration_of(all, row);
  one.geometry.block[0] = 32 << (row % 5);
  one.geometry.grid[0] = 1 << 16;
  one.at_s = 0.01 * static_cast<double>(row);
  if (row % 29 == 0) {
    one.status = Status::compile;
    one.reason = fmt::format("too much shared memory: {} bytes", 1024 * (row % 97));
    return one;
  }
  double log_time = between(-0.05, 0.05, random);
  for (std::size_t i = 0; i < one.configuration.size(); ++i)
    log_time +=
        0.1 * static_cast<double>(i) * std::log2(to_number(one.configuration[i].second)) / 4;
  const double time = std::exp(log_time);
  one.status = Status::correct;
  for (int sample = 0; sample < 5; ++sample)
    one.times_ms.push_back(time * between(1, 1.02, random));
  one.compile_facts.emplace().registers_per_thread = 24 + static_cast<int>(row % 200);
  for (const Counter& counter : counter_catalogue())
    if (one.counters.size() < 8)
      one.counters[std::string(counter.cupti)] = std::floor(1e6 * time * between(0.5, 1.5, random));
  return one;
}

ReportSource made_up(std::size_t rows) {
  ReportSource source;
  Recording& recording = source.exported.recording;
  recording.format = "gridsmith";
  recording.kernel = "made_up";
  recording.problem = "4096x4096";
  recording.device = device_of_capability(90);
  recording.device.name = "a device";
  recording.parameters = parameters();
  recording.workload = {.model_bytes = 1e8, .model_flops = 1e9};
  Random random(1);
  for (std::size_t row = 0; row < rows; ++row)
    recording.measurements.push_back(measured(recording.parameters, row, random));
  source.sentences = {"made up"};
  return source;
}

} // namespace

int run(int count, char** words) {
  CLI::App app("Time and size of reports");
  std::vector<std::size_t> sizes = {150, 1000, 10'000, 100'000};
  std::string out;
  app.add_option("rows", sizes, "Configurations");
  app.add_option("--out", out, "Folder for report_ROWS.html, or .json where there is no page");
  CLI11_PARSE(app, count, words);
  fmt::print("{:>8} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "rows", "columns", "columns s",
             "influence s", "model s", "file MB");
  for (const std::size_t rows : sizes) {
    const ReportSource source = made_up(rows);
    const double begun = seconds();
    const std::size_t columns = report_columns(source.exported.recording).size();
    const double listed = seconds();
    influence(source.exported.recording);
    const double influenced = seconds();
    const auto model = report_model({&source, 1});
    const double made = seconds();
    const std::string text = has_report_page() ? report_page(model) : json_text(model);
    fmt::print("{:>8} {:>8} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}\n", rows, columns,
               listed - begun, influenced - listed, made - influenced,
               static_cast<double>(has_report_page() ? text.size() : packed_model(model).size()) /
                   1e6);
    if (!out.empty())
      write_packed(fmt::format("{}/report_{}.{}", out, rows, has_report_page() ? "html" : "json"),
                   text);
  }
  return 0;
}

const Bench entry("report", run);

} // namespace bench_report
