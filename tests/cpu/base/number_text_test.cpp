// SPDX-License-Identifier: Apache-2.0
// Numbers as tables, sentences and charts show them.
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/tests/catch.hpp"

#include <limits>
#include <map>

namespace number_text_test {

using namespace gridsmith;

TEST_CASE("numbers have four significant digits, or as many as are asked for") {
  const std::map<double, std::string> texts = {{0, "0"},
                                               {4151.4, "4151"},
                                               {27.8399, "27.84"},
                                               {1.00049, "1.000"},
                                               {9.99961, "10.00"},
                                               {0.14226, "0.1423"},
                                               {0.0093121, "0.009312"},
                                               {-0.00012346, "-0.0001235"},
                                               {0.000012, "1.2e-05"},
                                               {512, "512"},
                                               {2.5e9, "2.5e+09"}};
  for (const auto& [value, text] : texts)
    CHECK(number_text(value) == text);
  CHECK(number_text(1.1, 3) == "1.10");
  CHECK(number_text(8, 3) == "8");
  CHECK(number_text(66908.4, 3) == "66908");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(number_cell(std::optional<double>()).empty());
  CHECK(number_cell(std::optional(0.5)) == "0.5000");
  CHECK(digits_text(50, 3) == "50.0"); // as wide as what is beside it
}

TEST_CASE("shares and ratios are percentages") {
  CHECK(percent_text(0.614) == "61 %");
  CHECK(percent_text(0.021, 1) == "2.1 %");
  CHECK(change_text(1.025) == "+2.5");
  CHECK(change_text(0.9) == "-10.0");
  CHECK(change_text(0).empty());
  CHECK(change_text(std::numeric_limits<double>::infinity()).empty());
}

TEST_CASE("bytes, times and rates have the unit that they read best in, once they are rounded") {
  CHECK(bytes_text(268435456) == "268.4 MB");
  CHECK(bytes_text(999999) == "1.000 MB");
  CHECK(bytes_text(0) == "0 B");
  CHECK(launch_time_text(13440) == "13.44 ms");
  CHECK(launch_time_text(812.5) == "812.5 us");
  CHECK(duration_text(0) == "0 ms");
  CHECK(duration_text(25e-9) == "25 ns");
  CHECK(duration_text(12e-6) == "12 us");
  CHECK(duration_text(0.48) == "480 ms");
  CHECK(duration_text(0.9996) == "1.0 s");
  CHECK(duration_text(59.97) == "1 min 00 s");
  CHECK(duration_text(125) == "2 min 05 s");
  CHECK(duration_text(3900) == "1 h 05 min");
  CHECK(duration_text(86400) == "1 day");
  CHECK(duration_text(129600) == "1.5 days");
  CHECK(duration_text(10 * 86400 - 60) == "10 days");
  CHECK(scale_of(4800, "GB/s") == std::pair(1.0, std::string("GB/s")));
  CHECK(scale_of(67000, "GFLOP/s") == std::pair(1e3, std::string("TFLOP/s")));
  CHECK(scale_of(9216, "B") == std::pair(1.0, std::string("B")));
  CHECK(scale_of(6.2e8, "B") == std::pair(1e6, std::string("MB")));
  CHECK(scale_of(36200, "") == std::pair(1e3, std::string("thousand")));
}

TEST_CASE("charts have three significant digits") {
  const std::map<double, std::string> texts = {
      {0, "0"},       {0.13216, "0.132"},     {1.1, "1.10"},    {4.096, "4.10"},
      {99.96, "100"}, {27.84, "27.8"},        {12.25, "12.3"},  {999.6, "1000"},
      {4062, "4060"}, {66908, "66\u202f900"}, {-0.5, "-0.500"}, {0.0012345, "0.00123"}};
  for (const auto& [value, text] : texts)
    CHECK(three_digits(value) == text);
  CHECK(time_text(0.13216) == "132 µs");
  CHECK(time_text(0.9999) == "1.00 ms");
  CHECK(time_text(2300) == "2.30 s");
  CHECK(time_text(1e-5) == "0.0100 µs");
  CHECK(rate_text(4062, "B/s") == "4.06 TB/s");
}

} // namespace number_text_test
