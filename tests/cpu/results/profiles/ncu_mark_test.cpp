// SPDX-License-Identifier: Apache-2.0
// In whose locale ncu printed its numbers: by how they are written, by what they can be, or refused.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

namespace ncu_mark_test {

using namespace gridsmith;

namespace {

struct Row {
  std::string metric, unit, value;
};

/// As `ncu --csv --metrics …` writes them.
Profile read(const std::vector<Row>& rows) {
  std::string text =
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric "
      "Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (const Row& row : rows)
    text += "\"4\",\"k\",\"(32, 1, 1)\",\"(8, 1, 1)\",\"Command line profiler metrics\",\"" +
            row.metric + "\",\"" + row.unit + "\",\"" + row.value + "\"\n";
  return read_profile(text, "f.csv");
}

double time_of(const std::string& unit, const std::string& value) {
  return read({{"gpu__time_duration.sum", unit, value}}).launches.at(0).time_ms.value_or(-1);
}

} // namespace

TEST_CASE("whole units tell the mark that groups thousands") {
  CHECK(time_of("ns", "117.344") ==
        Approx(0.117344)); // no kernel takes 117.344 ns of a whole count
  CHECK(time_of("ns", "117,344") == Approx(0.117344));
  CHECK(time_of("nsecond", "9.114.752") == Approx(9.114752));
  CHECK(time_of("us", "0.512") == Approx(0.000512));
  const Profile bytes = read({{"dram__bytes_read.sum", "byte", "117.344"}});
  CHECK(bytes.launches[0].counters.at("dram__bytes_read.sum") == 117344);
}

TEST_CASE("what no GPU reaches tells the mark of the fraction") {
  CHECK(read({{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "65,125"},
              {"gpu__time_duration.sum", "us", "1.234"}})
            .launches[0]
            .time_ms == Approx(1.234)); // a comma in front of the fraction: 1234 us
  CHECK(read({{"sm__cycles_elapsed.avg.per_second", "Ghz", "1.755"},
              {"gpu__time_duration.sum", "us", "1.234"}})
            .launches[0]
            .time_ms == Approx(0.001234));
  CHECK(read({{"dram__bytes.sum.per_second", "Tbyte/s", "3.352"},
              {"gpu__time_duration.sum", "us", "1.234"}})
            .launches[0]
            .time_ms == Approx(0.001234));
}

TEST_CASE("a number that may be two is refused with both") {
  const std::string said = message_of([] { time_of("us", "117.344"); });
  CHECK(said == "f.csv: '117.344' (gpu__time_duration.sum of launch 4) is 117.344 or 117344 us, by "
                "the locale that ncu ran in, and nothing in the file tells which; write it again "
                "with LC_ALL=C");
  // Anything in the file that tells is enough.
  CHECK(read({{"gpu__time_duration.sum", "us", "117.344"}, {"a__b.avg", "", "0.25"}})
            .launches[0]
            .time_ms == Approx(0.117344));
}

TEST_CASE("a kernel of a hundred picoseconds has no time") {
  const Profile found =
      read({{"gpu__time_duration.sum", "ns", "0.12"}, {"gpu__time_duration.sum", "ns", "0.11"}});
  CHECK_FALSE(found.launches[0].time_ms);
  CHECK(to_text(found.set_aside) == "2 durations that are below 0.1 us");
}

} // namespace ncu_mark_test
