// SPDX-License-Identifier: Apache-2.0
// Numbers as tables and sentences show them.
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tests/catch.hpp"

using namespace gridsmith;

TEST_CASE("numbers have four significant digits") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(4151.4) == "4151");
  CHECK(number_text(27.8399) == "27.84");
  CHECK(number_text(1.00049) == "1.000");
  CHECK(number_text(0.14226) == "0.1423");
  CHECK(number_text(0.0093121) == "0.009312");
  CHECK(number_text(-0.00012346) == "-0.0001235");
  CHECK(number_text(0.000012) == "1.2e-05");
  CHECK(number_text(512) == "512");
  CHECK(number_text(2.5e9) == "2.5e+09");
}
