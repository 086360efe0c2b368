// SPDX-License-Identifier: Apache-2.0
// Tables that are no wider than they may be.
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tests/catch.hpp"

namespace text_table_test {

using namespace gridsmith;

TEST_CASE("columns that do not fit follow below, each with the first column again") {
  Table table({{"", "", true}, {"time", "ms"}, {"rate", "GB/s"}, {"configuration", "", true}});
  table.add({"best", "0.1306", "4110", "TILE=16, ROWS=4"});
  table.add({"second", "0.1307", "4107", "TILE=8, ROWS=2"});
  CHECK(table.text(44) == "          time  rate  configuration\n"
                          "            ms  GB/s\n"
                          "best    0.1306  4110  TILE=16, ROWS=4\n"
                          "second  0.1307  4107  TILE=8, ROWS=2\n");
  CHECK(table.text(36) == "          time  rate  configuration\n"
                          "            ms  GB/s\n"
                          "best    0.1306  4110  TILE=16,\n"
                          "                      ROWS=4\n"
                          "second  0.1307  4107  TILE=8, ROWS=2\n");
  CHECK(table.text(24) == "          time  rate\n"
                          "            ms  GB/s\n"
                          "best    0.1306  4110\n"
                          "second  0.1307  4107\n"
                          "\n"
                          "        configuration\n"
                          "best    TILE=16, ROWS=4\n"
                          "second  TILE=8, ROWS=2\n");
  for (const std::size_t width : {21, 22, 30, 40, 60})
    CHECK(widest_line(table.text(width)) <= width);
}

TEST_CASE(
    "a name too wide for its columns, and a word too wide for its column, have lines of their own") {
  Table table({{"kernel", "", true}, {"parameters", ""}});
  table.add({"histogram_replicated_constant", "4"});
  table.add({"copy", "5"});
  CHECK(table.text(40) == "kernel                        parameters\n"
                          "histogram_replicated_constant\n"
                          "                                       4\n"
                          "copy                                   5\n");
  CHECK(two_columns("constraints", "a <= max_threads_per_block", 24, 40) ==
        "constraints        a <=\n"
        "                   max_threads_per_block\n");
}

TEST_CASE("text below a row is broken to the width") {
  Table table({{"", "", true}, {"time", "ms"}});
  table.add({"best", "0.1306"});
  table.add({"second", "0.1307"});
  table.add_below(0, "    TILE=16 ROWS=4");
  CHECK(table.text(16) == "          time\n"
                          "            ms\n"
                          "best    0.1306\n"
                          "    TILE=16\n"
                          "    ROWS=4\n"
                          "second  0.1307\n");
}

} // namespace text_table_test
