// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/printed_value.hpp"
#include "gridsmith/tests/catch.hpp"

namespace printed_value_test {

using namespace gridsmith;

namespace {

std::optional<double> point(std::string_view text) {
  return printed_number(text, DecimalMark::point);
}

std::optional<double> comma(std::string_view text) {
  return printed_number(text, DecimalMark::comma);
}

std::optional<double> value(std::string_view text, std::string_view unit = "",
                            Prefixes prefixes = Prefixes::decimal) {
  return printed_value(text, unit, DecimalMark::point, prefixes).value;
}

} // namespace

TEST_CASE("numbers are read in the locale of their file") {
  CHECK(point("2,000,000,000") == 2e9);
  CHECK(point("1,342.25") == 1342.25);
  CHECK(point("1.5e+07") == 1.5e7);
  CHECK(point("-0.5") == -0.5);
  CHECK(point("1,234") == 1234);
  CHECK(comma("1,234") == 1.234);
  CHECK(comma("27.595.520") == 27595520);
  CHECK(comma("65,77") == 65.77);
  CHECK(point("27 595 520.5") == 27595520.5);
  CHECK(comma("27\xE2\x80\xAF"
              "595\xC2\xA0"
              "520,5") == 27595520.5);
  CHECK(point("12'345") == 12345);
  for (const char* text : {"65,77", "27.595.520", "", "n/a", "nan", "inf", "-", "1,23,4", ",5",
                           "1,,000", "0x10", "1e400", "1.0.0", "1.5,000", "Low"}) {
    INFO(text);
    CHECK_FALSE(point(text));
  }
}

TEST_CASE("a number tells the mark of its file where it can") {
  CHECK(comma_evidence("65,77") > 0);
  CHECK(comma_evidence("27.595.520") > 0);
  CHECK(comma_evidence("1.024,5") > 0);
  CHECK(comma_evidence("0,125") > 0);
  CHECK(comma_evidence("65.77") < 0);
  CHECK(comma_evidence("27,595,520") < 0);
  CHECK(comma_evidence("12345.678") < 0);
  for (const char* text : {"1,234", "1.234", "42", "", "n/a", "(128, 1, 1)", "1.5e7"}) {
    INFO(text);
    CHECK(comma_evidence(text) == 0);
  }
}

TEST_CASE("units are scaled, whatever the version spells") {
  const auto decimal = [](std::string_view unit) { return unit_factor(unit, Prefixes::decimal); };
  for (const char* plain : {"", "%", "byte", "bytes", "B", "nsecond", "ns", "hz", "inst", "sector",
                            "register/thread", "byte/block", "byte/second", "inst/cycle", "cycle",
                            "threads", "warp/cycle", "sector/request"}) {
    INFO(plain);
    CHECK(decimal(plain) == 1.0);
  }
  for (const char* thousand :
       {"Kbyte", "KB", "usecond", "us", "Kbyte/block", "Kbyte/second", "Khz"}) {
    INFO(thousand);
    CHECK(decimal(thousand) == 1e3);
  }
  for (const char* million :
       {"Mbyte", "MB", "msecond", "ms", "MBps", "MB/s", "Mbyte/second", "cycle/msecond", "Minst"}) {
    INFO(million);
    CHECK(decimal(million) == (std::string_view(million) == "cycle/msecond" ? 1e3 : 1e6));
  }
  for (const char* billion :
       {"Gbyte/second", "Gbyte/s", "cycle/nsecond", "GHz", "Ghz", "second", "s", "byte/nsecond"}) {
    INFO(billion);
    CHECK(decimal(billion) == 1e9);
  }
  CHECK(decimal("Tbyte/second") == 1e12);
  CHECK(unit_factor("KB", Prefixes::binary) == 1024.0);
  CHECK(unit_factor("GB/s", Prefixes::binary) == 1073741824.0);
  CHECK(decimal("MiB") == 1048576.0);
  for (const char* unknown : {"furlong", "K", "Q", "byte/furlong", "Kfurlong", "/", "//", "ki"}) {
    INFO(unknown);
    CHECK_FALSE(decimal(unknown));
  }
}

TEST_CASE("values carry units, levels and instances") {
  CHECK(value("100.000000%") == 100.0);
  CHECK(value("157.162440GB/s", "", Prefixes::binary) == Approx(157.16244 * 1073741824.0));
  CHECK(value("0.000000B/s") == 0.0);
  CHECK(value("Low (1)") == 1.0);
  CHECK(value("Idle (0)") == 0.0);
  CHECK(value("1,234 (1,000; 234)", "inst") == 1234.0);
  CHECK(value("2.5", "Kbyte") == 2500.0);
  CHECK(value("1.5e+07", "sector") == 1.5e7);
  CHECK(printed_value("n/a", "byte", DecimalMark::point, Prefixes::decimal).missing_because ==
        "value that is no number");
  CHECK(printed_value("3", "furlong", DecimalMark::point, Prefixes::decimal).missing_because ==
        "value in an unknown unit");
  for (const char* text : {"<OVERFLOW>", "", "()", " (", "(1)x", "No (data)", "1e308"})
    CHECK_FALSE(value(text, "GB/s").value_or(-1) >= 0);
}

} // namespace printed_value_test
