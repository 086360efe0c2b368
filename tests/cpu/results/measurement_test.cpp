// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/problem_distance.hpp"
#include "gridsmith/results/measurement/quantities.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <random>

namespace measurement_test {

using namespace gridsmith;

TEST_CASE("the summary of samples is their median with order statistics around it") {
  CHECK_FALSE(summarise({}));
  const TimeSummary one = *summarise({2});
  CHECK(one.median_ms == 2);
  CHECK(one.low_ms == 2);
  CHECK(one.high_ms == 2);
  CHECK(one.third_quartile_ms == one.first_quartile_ms);

  // n = 10: P(X <= 1) = 11/1024 = 1.07 %, P(X <= 2) = 56/1024 = 5.5 %: the 2nd and the 9th value
  const TimeSummary ten = *summarise({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(ten.median_ms == 5.5);
  CHECK(ten.low_ms == 2);
  CHECK(ten.high_ms == 9);
  CHECK(ten.min_ms == 1);
  CHECK(ten.third_quartile_ms - ten.first_quartile_ms == Approx(4.5));
  CHECK(ten.samples == 10);

  // n = 5: even minimum to maximum is only 93.75 % sure
  const TimeSummary five = *summarise({1, 2, 3, 4, 5});
  CHECK(five.low_ms == 1);
  CHECK(five.high_ms == 5);
  // n = 6: P(X = 0) = 1.6 %
  CHECK(summarise({1, 2, 3, 4, 5, 6})->low_ms == 1);
}

TEST_CASE("the interval holds the true median as often as it says") {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed(0, 1); // median 1
  for (const int samples : {7, 20, 101, 1500}) {
    int held = 0;
    constexpr int trials = 1000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> times(static_cast<std::size_t>(samples));
      for (double& time : times)
        time = skewed(random);
      const TimeSummary summary = *summarise(times);
      held += summary.low_ms <= 1 && 1 <= summary.high_ms;
    }
    CHECK(held >= 935);
    CHECK(held <= 995); // not needlessly wide either (n = 7 gives 98.4 %)
  }
}

TEST_CASE("the time is the median, else what a file states, and only of correct measurements") {
  Measurement row = sample_measurement(16, false, 1);
  CHECK(cost_ms(row) == 1);
  CHECK(time_words(time_of(row).value()) == "median of 3 samples");
  row.reported_ms = 1.25;
  CHECK(cost_ms(row) == 1);
  Measurement stated = row;
  stated.times_ms.clear();
  CHECK(cost_ms(stated) == 1.25);
  CHECK(time_words(time_of(stated).value()) == "as the file states");
  stated.times_ms = {1.25};
  CHECK(time_of(stated).value().samples == 0);
  stated.reported_ms.reset();
  CHECK(time_words(time_of(stated).value()) == "one sample");
  CHECK_FALSE(time_of(Measurement{}));
  row.status = Status::correctness;
  CHECK_FALSE(cost_ms(row));
  CHECK(facts_of(row).at("spill_bytes") == 20);
  CHECK(facts_of(row).at("registers") == 32);
  CHECK(facts_of(row).at("dram__bytes_read.sum") == 268435456.0);
}

TEST_CASE("facts that are counted have whole numbers") {
  CHECK(measured_fact("registers").is_whole());
  CHECK(measured_fact("static_shared_bytes").is_whole());
  CHECK_FALSE(measured_fact("sm_clock_mhz").is_whole());
  CHECK_FALSE(metric_quantity(*find_metric("dram_bytes")).is_whole());
}

TEST_CASE("the words of a status") {
  CHECK(from_text<Status>("timeout") == Status::timeout);
  CHECK(to_text(Status::constraints) == "constraints");
  CHECK(contains(message_of([] { from_text<Status>("corect"); }), "did you mean 'correct'"));
}

TEST_CASE("a measurement survives JSON whole") {
  Measurement row = sample_measurement(32, true, 0.1);
  row.reported_ms = 0.11;
  row.pruned_early = true;
  row.conditions.regime = Regime::warm;
  row.uncounted_because = "not permitted";
  const Measurement back = measurement_of(nlohmann::json::parse(json_of(row).dump()));
  CHECK(json_of(back) == json_of(row));
  CHECK(back.configuration == row.configuration); // types and order too
  CHECK(back.geometry == row.geometry);
  CHECK(back.compile_facts == row.compile_facts);
  CHECK(back.times_ms == row.times_ms);
  CHECK(back.counters == row.counters);
  CHECK(back.reported_ms == row.reported_ms);
  CHECK(back.conditions == row.conditions);
  CHECK(back.pruned_early);
  CHECK(back.spent.count_ms == row.spent.count_ms);
  CHECK_THROWS_AS(measurement_of(nlohmann::json::parse(R"({"status":"correct"})")), InputError);

  const Device device = sample_device();
  Device same;
  read_fields(to_fields(device), same);
  CHECK(same == device);
}

TEST_CASE("a cancelled compilation is one in records of earlier versions too") {
  Measurement row = sample_measurement(32, false, 0.1);
  row.status = Status::timeout;
  row.reason = std::string(given_up) + " after 8.1 s";
  CHECK(compile_given_up(row));
  row.reason = "compilation given up after 8.1 s";
  CHECK(compile_given_up(row));
  row.reason = "the compiler did not answer within 60.0 s";
  CHECK_FALSE(compile_given_up(row));
}

TEST_CASE("keys of content and distance of problems") {
  // FIPS 180-4's example
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(problem_distance("1024x1024", "2048x512") == Approx(2));
  CHECK(problem_distance("a", "a") == 0);
  CHECK(std::isinf(problem_distance("1024", "1024x1")));
}

} // namespace measurement_test
