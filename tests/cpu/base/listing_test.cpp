// SPDX-License-Identifier: Apache-2.0
// What is said once is in the text, in Markdown and in JSON.
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/tests/catch.hpp"

#include <array>
#include <ranges>

namespace listing_test {

using namespace gridsmith;

namespace {

struct Kernel {
  std::string name, file;
  std::size_t sizes = 0;
  std::optional<double> best_ms = {};
  Configuration best = {};
  bool replayed = false;
};

const std::array<Kernel, 2> kernels{
    {{.name = "copy", .file = "a.cu", .sizes = 2, .best_ms = 0.5, .best = {{"X", std::int64_t{4}}}},
     {.name = "a|b", .file = "b.cu", .sizes = 1, .replayed = true}}};

Listing<Kernel> listing() {
  return {{"kernel", {"kernel", "", true}, &Kernel::name},
          {"file", &Kernel::file},
          {Column{"sizes"}, &Kernel::sizes},
          {"best_ms", {"best", "ms"}, &Kernel::best_ms},
          {"best", {"configuration", "", true}, &Kernel::best},
          {"replayed", &Kernel::replayed},
          {"how", {"how", "", true}, [](const Kernel& one) {
             return one.replayed ? Cell("again", "replayed") : Cell("", nullptr);
           }}};
}

} // namespace

TEST_CASE("a field is a column, a member or both, in the order of the list") {
  CHECK(listing().table(kernels).text() == "kernel  sizes    best  configuration  how\n"
                                           "                   ms\n"
                                           "copy        2  0.5000  X=4\n"
                                           "a|b         1                         again\n");
  CHECK(
      listing().json(kernels).dump() ==
      R"([{"kernel":"copy","file":"a.cu","best_ms":0.5,"best":{"X":4},"replayed":false,"how":null},)"
      R"({"kernel":"a|b","file":"b.cu","best_ms":null,"best":{},"replayed":true,"how":"replayed"}])");
}

TEST_CASE("Markdown has all columns, and no cell ends a cell") {
  CHECK(listing().table(kernels).markdown() ==
        "| kernel | sizes | best, ms | configuration | how |\n"
        "| --- | ---: | ---: | --- | --- |\n"
        "| copy | 2 | 0.5000 | X=4 |  |\n"
        "| a\\|b | 1 |  |  | again |\n");
}

TEST_CASE("a table may have fewer rows than JSON, and more columns than the list began with") {
  Listing<Kernel> more = listing();
  more.add({"third", {"third"}, [](const Kernel& one) { return one.sizes + 1; }});
  auto measured =
      kernels | std::views::filter([](const Kernel& one) { return one.best_ms.has_value(); });
  CHECK(more.table(measured).text() == "kernel  sizes    best  configuration  third\n"
                                       "                   ms\n"
                                       "copy        2  0.5000  X=4                3\n");
  CHECK(more.object(kernels[1]).at("third") == 2);
  CHECK(more.json(std::array<Kernel, 0>{}) == Cell::Json::array());
  CHECK(more.table(std::array<Kernel, 0>{}).markdown().starts_with("| kernel | sizes |"));
}

TEST_CASE("what is not known is null, and long lists of values are cut") {
  CHECK(or_null("").is_null());
  CHECK(or_null("why") == "why");
  CHECK(or_null(std::optional<int>()).is_null());
  CHECK(or_null(std::optional(2)) == 2);
  const std::array<Value, 3> values{std::int64_t{1}, true, std::string("x")};
  CHECK(values_text(values) == "1, True, x");
  CHECK(values_text(values, 2) == "1, True, … 1 more");
}

} // namespace listing_test
