// SPDX-License-Identifier: Apache-2.0
// Recordings of many sizes as one table, and launches at sizes that were never measured.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/selection/size_table.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <filesystem>

namespace size_table_test {

using namespace gridsmith;

namespace {

const std::filesystem::path folder =
    std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue/matmul";

std::vector<Recording> recordings() {
  std::vector<Recording> all;
  for (const char* size : {"1024x1024x1024", "4096x4096x4096", "513x257x1025"})
    all.push_back(read_recording(folder / "recordings" / (std::string(size) + "__h200.json.gz")));
  return all;
}

KernelDefinition definition() {
  return read_definition(folder / "matmul.json");
}

std::int64_t number(const SizedConfiguration& one, const char* name) {
  return static_cast<std::int64_t>(to_number(*find_value(one.configuration, name)));
}

} // namespace

TEST_CASE("What is chosen from: finals instead of races, and of what was pruned what is slow") {
  const auto row = [](std::int64_t tile, double ms, bool pruned) {
    Measurement one;
    one.configuration = {{"tile", tile}};
    one.status = Status::correct;
    one.times_ms = {ms};
    one.pruned_early = pruned;
    return one;
  };
  Measurement wrong = row(2, 1, false); // in the finals
  wrong.status = Status::correctness;
  const std::vector<Measurement> again = {row(1, 1.1, false), wrong};
  const auto rows = rows_to_choose_from(
      {row(1, 1, false), row(2, 1.05, false), row(3, 2, true), row(4, 1.06, true)}, again);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].times_ms == std::vector<double>{1.1});
  CHECK(rows[1].status == Status::correctness);
  CHECK(rows[2].times_ms == std::vector<double>{2}); // known to be slow
  CHECK(rows_to_choose_from({row(1, 1, true)}, {}).size() == 1);
}

TEST_CASE("What seems a little faster than the best of the finals counts as fast as that") {
  Recording recording;
  recording.problem = "64";
  recording.parameters = {{"tile", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}}};
  const double times[] = {1.1, 1.07, 0.9};
  for (std::int64_t tile = 1; tile <= 3; ++tile) {
    Measurement& row = recording.measurements.emplace_back();
    row.configuration = {{"tile", tile}};
    row.status = Status::correct;
    row.times_ms = {times[tile - 1]};
  }
  CHECK(size_table({&recording, 1}, nullptr).cell(0, 1).cost == Approx(1.07)); // no finals
  recording.measurements.front().mode = Mode::final;
  const SizeTable table = size_table({&recording, 1}, nullptr);
  CHECK(table.cell(0, 1).cost == Approx(1.1));        // luck
  CHECK(table.cell(0, 1).plain_cost == Approx(1.07)); // what was measured is what people read
  CHECK(table.cell(0, 2).cost == Approx(0.9));        // measured after them
}

TEST_CASE("A table of recordings knows what is valid, and what each launches") {
  const KernelDefinition matmul = definition();
  const SizeTable table = size_table(recordings(), &matmul);
  REQUIRE(table.problems.size() == 3);
  CHECK(table.kernel == "matmul");
  CHECK(table.device.sm_count == 132);
  REQUIRE(table.default_configuration);
  CHECK(number(table.configurations[*table.default_configuration], "BM") == 128);
  std::size_t measured = 0;
  for (std::size_t c = 0; c < table.configurations.size(); ++c) {
    const SizedConfiguration& one = table.configurations[c];
    const auto bm = number(one, "BM"), bn = number(one, "BN");
    CHECK(one.tile == std::vector<std::int64_t>{bm, bn, 1});
    CHECK(one.resident_blocks >= 1);
    const SizeCell& odd = table.cell(2, c);
    CHECK((number(one, "VECTOR") == 4) ==
          (odd.state == CellState::invalid && !odd.launch.valid && number(one, "VECTOR") == 4));
    if (odd.state != CellState::measured)
      continue;
    ++measured;
    CHECK(odd.cost > 0);
    CHECK(odd.launch.blocks == static_cast<double>(((513 + bm - 1) / bm) * ((257 + bn - 1) / bn)));
    CHECK(odd.launch.block_work == Approx(2.0 * static_cast<double>(bm * bn) * 1025));
    CHECK(odd.launch.bytes == 4.0 * (513 * 1025 + 1025 * 257 + 513 * 257));
  }
  CHECK(measured > 20);
}

TEST_CASE("Launches at a size that nobody measured are those of its recording") {
  const KernelDefinition matmul = definition();
  const auto all = recordings();
  const SizeTable two = size_table(std::span(all).first(2), &matmul);
  const SizeTable three = size_table(all, &matmul);
  const auto launches = quantities_at(matmul, two.device, {{513, 257, 1025}}, three.configurations);
  for (std::size_t c = 0; c < launches.size(); ++c)
    CHECK(launches[c] == three.cell(2, c).launch);
  CHECK_THROWS_WITH(quantities_at(matmul, two.device, {{0, 1, 1}}, three.configurations),
                    contains_text("extents are at least 1"));
  const auto huge =
      quantities_at(matmul, two.device, {{std::int64_t{1} << 20, 64, 64}}, three.configurations);
  CHECK(std::any_of(huge.begin(), huge.end(), [](const auto& one) { return one.valid; }));
}

TEST_CASE("Without a definition a table knows what was measured") {
  const SizeTable table = size_table(recordings(), nullptr);
  CHECK_FALSE(table.default_configuration);
  for (const SizeCell& cell : table.cells) {
    CHECK((cell.state == CellState::measured) == cell.launch.valid);
    if (cell.launch.valid)
      CHECK(cell.launch.block_work > 0);
  }
}

TEST_CASE("Failures are kept with their reasons") {
  auto all = recordings();
  all[0].measurements[0].status = Status::runtime;
  all[0].measurements[0].reason = "illegal address";
  all[0].measurements[1].status = Status::correctness;
  all[0].measurements.resize(2);
  const SizeTable table = size_table(all, nullptr);
  CHECK(table.cell(0, 0).state == CellState::failed);
  CHECK(table.cell(0, 0).reason == "illegal address");
  CHECK(table.cell(0, 1).state == CellState::wrong);
  CHECK(table.cell(0, 2).state == CellState::not_measured);
}

TEST_CASE("Recordings that do not belong together are refused in one line") {
  const auto message = [](std::vector<Recording> all) {
    try {
      size_table(all, nullptr);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto changed = [&](auto change) {
    auto all = recordings();
    change(all[1]);
    return message(all);
  };
  CHECK(message({}) == "no recording to choose from; expected one for each problem size");
  CHECK(changed([](Recording& one) { one.kernel = "transpose"; }) ==
        "recordings of one kernel are chosen from; found 'matmul' and 'transpose'");
  CHECK(changed([](Recording& one) { one.device.name = "NVIDIA H100"; }) ==
        "recordings of one device are chosen from; found 'NVIDIA H200' and 'NVIDIA H100'");
  CHECK(changed([](Recording& one) {
          one.source_hash = "0";
        }).starts_with("recordings of one source (hash) are chosen from"));
  CHECK(changed([](Recording& one) { one.parameters.pop_back(); }) ==
        "recordings of 'matmul' at 1024x1024x1024 and 4096x4096x4096 have different parameters");
  CHECK(changed([](Recording& one) { one.problem = "64x64"; }) ==
        "recording of 'matmul': problem '64x64' has not the extents of '1024x1024x1024'");
  CHECK(changed([](Recording& one) { one.problem = "1024x1024x1024"; }) ==
        "two recordings of 'matmul' at problem 1024x1024x1024; expected one");
}

TEST_CASE("a table by another objective holds its costs; what was not counted is not measured") {
  Recording recording;
  recording.kernel = "k";
  recording.problem = "64";
  recording.parameters = {{"tile", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}}};
  for (std::int64_t tile = 1; tile <= 3; ++tile) {
    Measurement& row = recording.measurements.emplace_back();
    row.configuration = {{"tile", tile}};
    row.status = Status::correct;
    row.times_ms = {static_cast<double>(tile)};
    if (tile < 3)
      row.counters = {{"dram__bytes_read.sum", 100.0 / static_cast<double>(tile)},
                      {"dram__bytes_write.sum", 0}};
  }
  const SizeTable table = size_table({&recording, 1}, nullptr, objective("dram_traffic"));
  CHECK(table.objective.name == "dram_traffic");
  CHECK(table.cell(0, 0).cost == 100);
  CHECK(table.cell(0, 1).cost == 50);
  CHECK(table.cell(0, 1).plain_cost == 50);
  CHECK(table.cell(0, 2).state == CellState::not_measured);
  // What time decides is told by its samples.
  const Objective bandwidth = objective("effective_bandwidth");
  recording.workload.model_bytes = 1000;
  CHECK(size_table({&recording, 1}, nullptr, bandwidth).cell(0, 1).cost == 2);
  // One that was pruned early has all its bytes, and yet stays out while it seems best.
  std::vector<Measurement> rows = recording.measurements;
  rows[1].pruned_early = true;
  CHECK(rows_to_choose_from(rows, {}, objective("dram_traffic")).size() == 2);
  CHECK(rows_to_choose_from(rows, {}).size() == 3);
}

} // namespace size_table_test
