// SPDX-License-Identifier: Apache-2.0
// Peaks measured by a fake worker: as a library and as the program, kept, shown, and handed on.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/session/device_peaks.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json.hpp>

namespace device_peaks_test {

using namespace gridsmith;

namespace {

struct House {
  House() { test::install_fakes(folder.path()); }

  HelperSettings helpers() const {
    return {.cache = false, .installation = {.programs = folder.path(), .catalogue = {}}};
  }

  MeasuredPeaks measured(const std::stop_token& stop = {},
                         const PeakListener& listener = {}) const {
    return measure_peaks(0, folder.path() / "store.db", helpers(), stop, listener);
  }

  test::Folder folder;
};

Peaks kept(const std::filesystem::path& file, const Device& device) {
  return Store::open(file, Store::Mode::read_only).kept_peaks(device);
}

} // namespace

TEST_CASE("all peaks are measured in order and kept") {
  const House house;
  std::vector<std::string> begun;
  PeakListener listener;
  listener.progress = [&](std::string_view name, std::size_t done, std::size_t count) {
    CHECK(done == begun.size());
    CHECK(count == peak_words.size());
    begun.emplace_back(name);
  };
  const MeasuredPeaks found = house.measured({}, listener);
  CHECK(found.missing.empty());
  REQUIRE(found.peaks.size() == peak_words.size());
  REQUIRE(begun.size() == peak_words.size());
  for (std::size_t i = 0; i < peak_words.size(); ++i) {
    CHECK(found.peaks[i].name == peak_words[i].name);
    CHECK(begun[i] == peak_words[i].name);
  }
  Device device;
  device.name = "Fake GPU";
  device.uuid = found.peaks.front().device_uuid;
  CHECK(kept(house.folder.path() / "store.db", device).size() == peak_words.size());
}

TEST_CASE("a peak that is missing or kills the worker costs no other") {
  const House house;
  test::script(house.folder.path(),
               {{"peaks", {{"fp64_fma", "none"}, {"l2_read", "crash"}, {"barrier", "lost"}}}});
  const MeasuredPeaks found = house.measured();
  REQUIRE(found.missing.size() == 3);
  CHECK(found.missing[0].name == "l2_read");
  CHECK_THAT(found.missing[0].reason, contains_text("killed by signal 9"));
  CHECK(found.missing[1].name == "fp64_fma");
  CHECK(found.missing[1].reason == "not on this fake");
  CHECK(found.missing[2].name == "barrier");
  CHECK(found.missing[2].reason == "an illegal memory access");
  CHECK(found.peaks.size() == peak_words.size() - 3);
  CHECK_FALSE(peak_of(found.peaks, "l2_read"));
  CHECK(peak_of(found.peaks, "l1_read"));
}

TEST_CASE("a peak that hangs is given up, and a worker that always dies ends the measuring") {
  const House house;
  test::script(house.folder.path(), {{"peaks", {{"barrier", "hang"}}}});
  const Device device = device_of_capability(90);
  constexpr std::chrono::milliseconds limit{700};
  const HelperSettings helpers = house.helpers();
  const MeasuredPeaks found = run_peaks(device, helpers, {}, {}, limit);
  REQUIRE(found.missing.size() == 1);
  CHECK(found.missing[0].name == "barrier");
  CHECK(found.missing[0].reason == "no answer from the GPU for 0.7 s");
  CHECK(peak_of(found.peaks, "barrier_cycles"));
  test::script(house.folder.path(), {{"peaks", {{"every", "crash"}}}});
  CHECK_THROWS_AS(run_peaks(device, helpers, {}, {}, limit), HelperError);
}

TEST_CASE("who else used the GPU is part of the conditions") {
  const House house;
  test::script(house.folder.path(),
               R"({"processes": {"processes": [{"pid": 1, "mib": 300}], "reason": ""}})"_json);
  const MeasuredPeaks found = house.measured();
  REQUIRE_FALSE(found.peaks.empty());
  CHECK_THAT(found.peaks.front().conditions, contains_text("as the test says, with pid 1"));
}

TEST_CASE("a stop ends the measuring, and a device that is not there is said") {
  const House house;
  std::stop_source stop;
  PeakListener listener;
  listener.progress = [&](std::string_view name, std::size_t, std::size_t) {
    if (name == "l2_read")
      stop.request_stop();
  };
  const MeasuredPeaks found = house.measured(stop.get_token(), listener);
  CHECK(found.peaks.size() == 3);
  CHECK(found.missing.empty());
  CHECK_THROWS_AS(measure_peaks(1, std::nullopt, house.helpers()), NoSuchDevice);
}

TEST_CASE("a tuning hands on what was kept of its board; what it measured itself wins") {
  const House house;
  house.measured();
  SessionSettings settings{.kernel = test::write_kernel(house.folder.path(), "good", 4).string()};
  settings.store = house.folder.path() / "store.db";
  settings.helpers.compilers = 1;
  settings.helpers.cache = false;
  settings.helpers.installation.programs = house.folder.path();
  const auto outcomes = Session(settings).run();
  REQUIRE(outcomes.size() == 1);
  const Peaks& peaks = outcomes[0].exported().recording.peaks;
  CHECK(peaks.size() == peak_words.size());
  CHECK(peak_of(peaks, "copy") == 4000); // of the tuning's worker
  CHECK(peak_of(peaks, "dram_read") == 2);
  const Store store = Store::open(*settings.store, Store::Mode::read_only);
  CHECK(store.scope(1).peaks.size() == peak_words.size());
}

TEST_CASE("devices --measure shows and keeps what devices shows from then on") {
  const test::Program gridsmith;
  const std::string store = (gridsmith.folder() / "peaks.db").string();
  CHECK(gridsmith.run({"devices", "--store", store}) == 2); // there is no such store
  CHECK(gridsmith.run({"devices", "--measure", "--store", store}) == 0);
  CHECK(gridsmith.err().empty()); // piped: no progress
  CHECK_THAT(gridsmith.out(), contains_text("Peaks of device 0 (Fake GPU), measured 2026-11-22"));
  CHECK_THAT(gridsmith.out(), contains_text("shared_atomic_same_address"));
  CHECK(gridsmith.run({"devices", "--store", store}) == 0);
  CHECK_THAT(gridsmith.out(), contains_text("l2_read"));
  CHECK(gridsmith.run({"devices", "--store", store, "--json"}) == 0);
  const auto json = nlohmann::json::parse(gridsmith.out());
  REQUIRE(json.at(0).at("peaks").size() == peak_words.size());
  const auto& peak = json.at(0).at("peaks").at(0);
  CHECK(peak.at("name") == "copy");
  CHECK(peak.at("unit") == "GB/s");
  CHECK(peak.at("value") == 1);
  CHECK(peak.at("date") == "2026-11-22T08:00:00Z");
  CHECK(peak.at("data_sheet").is_null()); // a fake has no clocks
  CHECK(gridsmith.run({"devices", "--no-store"}) == 0);
  CHECK(gridsmith.out().find("l2_read") == std::string::npos);
}

TEST_CASE("devices says which peaks are left out, and which devices there are") {
  const test::Program gridsmith;
  test::script(gridsmith.folder(), {{"peaks", {{"tensor_fp16", "none"}}}});
  CHECK(gridsmith.run({"devices", "--measure", "--no-store", "--json"}) == 0);
  CHECK_THAT(gridsmith.err(), contains_text("peak tensor_fp16 is left out: not on this fake"));
  const auto json = nlohmann::json::parse(gridsmith.out());
  CHECK(json.at(0).at("peaks").size() == peak_words.size() - 1);
  CHECK(gridsmith.run({"devices", "--gpu", "3"}) == 3);
  CHECK_THAT(gridsmith.err(), contains_text("no device 3; there are devices 0 to 0"));
  CHECK(gridsmith.run({"devices", "--share"}) == 2);
}

} // namespace device_peaks_test
