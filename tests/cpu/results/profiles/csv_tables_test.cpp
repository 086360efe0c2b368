// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/csv_tables.hpp"
#include "gridsmith/tests/catch.hpp"

namespace csv_tables_test {

using namespace gridsmith;

namespace {

struct Read {
  std::vector<std::string> rows; ///< "name=value unit"
  SetAside set_aside;
  std::size_t tables = 0;
};

Read read(std::string_view text) {
  Read found;
  const std::vector<CsvForm> forms = {{{"Name", "Value"}, "Name", [&](const CsvRow& row) {
                                         found.rows.push_back(row["Name"] + "=" + row["Value"] +
                                                              " " + row.unit("Value") +
                                                              row["Absent"]);
                                       }}};
  found.tables = read_tables(text, forms, found.set_aside);
  return found;
}

using Rows = std::vector<std::string>;

} // namespace

TEST_CASE("tables are found among other lines") {
  const Read found = read("==1== hello\nsome \"quoted, program output\nValue,Name\r\n1,a\r\n"
                          "==1== in between\r\n2,b\r\n\r\n3,c\nName,\"Value (ms)\"\nd,4\n");
  CHECK(found.rows == Rows{"a=1 ", "b=2 ", "d=4 ms"});
  CHECK(found.tables == 2);
  CHECK(found.set_aside.empty());
}

TEST_CASE("a row of units, quotes, commas and lines in fields") {
  const Read found =
      read("\"Value\",\"Name\"\n\"ms\",\"\"\n\"1,5\",\"k<a, \"\"b\"\">\"\n\"2\",\"two\n"
           "\nlines\"\n,c\n7,d<e, f>(int, int)\n,\n");
  CHECK(found.rows ==
        Rows{"k<a, \"b\">=1,5 ms", "two\n\nlines=2 ms", "c= ms", "d<e, f>(int, int)=7 ms"});
  CHECK(found.set_aside == SetAside{{"row without a name", 1}});
}

TEST_CASE("rows that are cut off or too long are counted") {
  CHECK(read("Name,Value\na,1\nb").set_aside == SetAside{{"row that is cut off", 1}});
  CHECK(read("Name,Value\na,1\n\"b,2\nc,3\n").rows == Rows{"a=1 ", "c=3 "});
  CHECK(read("Name,Value\na,1,2\nb,2,,\n").rows == Rows{"b=2 "});
  CHECK(read("Name,Value\na,1,2\nb,2,,\n").set_aside == SetAside{{"row of another length", 1}});
  CHECK(read("").tables == 0);
  CHECK(read("Name;Value\na;1\n").tables == 0);
}

TEST_CASE("hostile tables are read in time that grows with their size") {
  std::string text = "Name,Value\n";
  for (int i = 0; i < 200000; ++i)
    text += "\"a,1\n";
  CHECK(read(text).rows.size() <= 200000);
  CHECK(read("Value,Name\n" + std::string(500000, ',')).rows.size() <= 1);
}

} // namespace csv_tables_test
