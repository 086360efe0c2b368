// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/words.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/compiler/log/leading_headers.hpp"

namespace leading_headers_test {

using namespace gridsmith;

namespace {

/// The leading part itself.
std::string leading(const std::string& text, const std::set<std::string>& own = {}) {
  return text.substr(0, leading_includes(text, own));
}

} // namespace

TEST_CASE("a source's leading part is includes of the toolkit with comments between them") {
  const std::string head = "// what it is\n\n/* and\n why */ #include <cub/cub.cuh>\n"
                           "# include <cuda_fp16.h> // halves\r\n";
  CHECK(leading(head + "\n#define X 1\n#include <mma.h>\n") == head);
  CHECK(leading(head) == head);
  CHECK(leading("#include <a.h>") == "#include <a.h>");
  CHECK(leading("int x;\n#include <a.h>\n").empty());
  CHECK(leading("").empty());
}

TEST_CASE("it ends where a header is the source's own, or a directive is anything else") {
  const std::string first = "#include <a.h>\n";
  for (const char* then :
       {"#include \"b.h\"\n", "#include <own.h>\n", "#if 1\n#include <b.h>\n#endif\n",
        "#include NAME\n", "#include <b.h> /* goes\n on */\n", "#include <b.h> \\\n",
        "#include_next <b.h>\n", "/* never ended"}) {
    INFO(then);
    CHECK(leading(first + then, {"own.h"}) == first);
  }
}

TEST_CASE("macros are told from other options, and what is neither is not touched") {
  const auto split =
      split_options({"-DTILE=64", "-lineinfo", "-DFAST", "-DNAME=a b", "-std=c++17"});
  REQUIRE(split);
  REQUIRE(split->macros.size() == 3);
  CHECK(split->macros[0].name == "TILE");
  CHECK(split->macros[0].value == "64");
  CHECK(split->macros[1].value == "1");
  CHECK(split->macros[2].value == "a b");
  CHECK(split->others == std::vector<std::string>{"-lineinfo", "-std=c++17"});
  for (const char* option : {"-D", "-DF(x)=x", "-UX", "--pre-include=a.h", "-DX=1\n2", "-D=1"})
    CHECK_FALSE(split_options({option}));
}

TEST_CASE("the rest stays at its lines, behind the stop and the macros") {
  const std::string text = "// one\n#include <a.h>\nint x = TILE;\n";
  CHECK(
      with_stop(text, leading_includes(text, {}), "k.cu", {{"TILE", "64"}}) ==
      "// one\n#include <a.h>\n#pragma nv_hdrstop\n#define TILE 64\n#line 3 \"k.cu\"\nint x = TILE;\n");
}

TEST_CASE("words are whole and not parts of numbers") {
  std::set<std::string, std::less<>> words;
  add_words("template <int TILE_X> x1 = 0x1fULL + 2e5f; // ROWS", words);
  CHECK(words.contains("TILE_X"));
  CHECK(words.contains("ROWS"));
  CHECK_FALSE(words.contains("TILE"));
  CHECK_FALSE(words.contains("ULL"));
  CHECK_FALSE(words.contains("e5f"));
}

} // namespace leading_headers_test
