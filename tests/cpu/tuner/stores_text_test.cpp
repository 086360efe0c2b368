// SPDX-License-Identifier: Apache-2.0
// Results that are written many times over: found where they are, and in no kernel that is shipped.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/presentation/stores_text.hpp"

namespace stores_text_test {

using namespace gridsmith;

namespace {

const std::filesystem::path catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";

/// The one that stores most often, of all that are correct.
double most_stored(const std::filesystem::path& file, const KernelDefinition& definition) {
  const Recording recording = read_recording(file);
  const WritableSize size = writable_size(
      instantiate(definition, problem_size_from_text(recording.problem), recording.device));
  double most = 0;
  for (const Measurement& one : recording.measurements)
    if (const auto times = stores_per_element(one.counters, size); one.correct() && times)
      most = std::max(most, *times);
  return most;
}

/// The product of two matrices of 1024 rows and columns, with blocks of 32x8 and these along z.
Outcome product_of_matrices(double blocks_along_z) {
  Outcome outcome;
  outcome.definition = std::make_shared<KernelDefinition>(
      read_definition(catalogue / "matmul_textbook" / "matmul_textbook.json"));
  outcome.subject.problem = "1024x1024x1024";
  outcome.subject.device = device_of_capability(90);
  Measurement best;
  best.status = Status::correct;
  best.times_ms = {1};
  const double warps = 1024.0 * 1024 / 32 * blocks_along_z;
  best.counters = {{std::string(find_counter("store_sectors")->cupti), 4 * warps}};
  outcome.answer.ranking = {{best, *summarise(best.times_ms), false}};
  return outcome;
}

} // namespace

TEST_CASE("an axis too many is seen in the stores") {
  CHECK(
      stores_text(product_of_matrices(1024)).find("stores each element of its outputs 128 times") !=
      std::string::npos);
  CHECK(stores_text(product_of_matrices(1)) == "");
  Outcome exact = product_of_matrices(1);
  auto& counters = exact.answer.ranking.front().measurement.counters;
  counters[std::string(find_counter("store_data_bytes")->cupti)] = 1024.0 * 1024 * 4 * 40;
  CHECK(stores_text(exact).find("outputs 40 times on average") != std::string::npos);
  exact.definition = nullptr;
  CHECK(stores_text(exact) == "");
}

TEST_CASE("no shipped kernel is taken for one that writes many times over") {
  std::size_t recordings = 0;
  for (const auto& folder : std::filesystem::directory_iterator(catalogue)) {
    const std::filesystem::path json =
        folder.path() / (folder.path().filename().string() + ".json");
    const std::filesystem::path all = folder.path() / "recordings";
    if (!std::filesystem::exists(json) || !std::filesystem::exists(all) ||
        folder.path().filename() == "merge_sort") // which merges in passes, each of all keys
      continue;
    const KernelDefinition definition = read_definition(json);
    for (const auto& file : std::filesystem::directory_iterator(all)) {
      const double most = most_stored(file.path(), definition);
      INFO(file.path().filename().string()
           << " of " << folder.path().filename().string() << ": " << most);
      CHECK(most < many_stores);
      ++recordings;
    }
  }
  CHECK(recordings > 40);
}

} // namespace stores_text_test
