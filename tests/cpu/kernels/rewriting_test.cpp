// SPDX-License-Identifier: Apache-2.0
// Numbers of a source that are tuned: where they are found, what is put in their place, what is refused.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>

namespace rewriting_test {

using namespace gridsmith;

namespace {

std::string rewritten_text(const std::string& text, const std::set<std::string>& names) {
  return rewritten(make_bundle({"k.cu", text}), names)->main.text;
}

std::string refusal(const std::string& text, const std::string& header = "") {
  try {
    rewritten(make_bundle({"k.cu", text}, {{"common/dims.h", header}}), {"TILE"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("the one place that gives a name a value takes the macro's") {
  const std::pair<const char*, const char*> cases[] = {
      {"#define TILE 16\n", "#define TILE GRIDSMITH_TILE\n"},
      {"#  define\tTILE   (4 * 8) // wide\n", "#  define\tTILE   GRIDSMITH_TILE // wide\n"},
      {"#define TILE 16 /* a */\n", "#define TILE GRIDSMITH_TILE /* a */\n"},
      {"constexpr int TILE = 1 << 4;", "constexpr int TILE = GRIDSMITH_TILE;"},
      {"static const unsigned TILE{ 16 };", "static const unsigned TILE{ GRIDSMITH_TILE };"},
      {"const int A = f(1, 2), TILE = 2 * A;", "const int A = f(1, 2), TILE = 2 * A;"},
      {"const int A = 1, TILE = 2 * A, B = 3;", "const int A = 1, TILE = GRIDSMITH_TILE, B = 3;"},
      {"namespace a { struct P { static constexpr int TILE = max(1, 2); }; }",
       "namespace a { struct P { static constexpr int TILE = GRIDSMITH_TILE; }; }"},
      {"__global__ void k() { const int TILE = 16; }",
       "__global__ void k() { const int TILE = GRIDSMITH_TILE; }"},
      {"#ifndef TILE\n#define TILE 16\n#endif\n",
       "#ifndef TILE\n#define TILE GRIDSMITH_TILE\n#endif\n"},
      {"#if 0\n#define TILE 1\n#endif\n#define TILE 2\n",
       "#if 0\n#define TILE 1\n#endif\n#define TILE GRIDSMITH_TILE\n"},
      {"int main() { int a = 1; int TILE = 2 * a; }",
       "int main() { int a = 1; int TILE = GRIDSMITH_TILE; }"},
      {"// #define TILE 1\n#define TILE 2", "// #define TILE 1\n#define TILE GRIDSMITH_TILE"},
      {"#define TILE 2\nvoid host() { const int TILE_X = 1; if (TILE == 2) { const int TILE = 3; } }",
       "#define TILE GRIDSMITH_TILE\nvoid host() { const int TILE_X = 1; if (TILE == 2) { const int TILE = 3; } }"},
  };
  for (const auto& [before, after] : cases) {
    INFO(before);
    if (std::string(before) == after)
      CHECK_THROWS_AS(rewritten_text(before, {"TILE"}), InputError);
    else
      CHECK(rewritten_text(before, {"TILE"}) == after);
  }
}

TEST_CASE("lines stay, headers of its own are looked at, and the change is a diff") {
  const auto source = make_bundle({"k.cu", "#define A \\\n 4\n#include \"h.h\"\nint x = A;\n"},
                                  {{"h.h", "int y;\nconstexpr int B = 2;\n"}}, {"inc"}, {"h.h"});
  const auto changed = rewritten(source, {"A", "B"});
  CHECK(std::count(changed->main.text.begin(), changed->main.text.end(), '\n') == 4);
  CHECK(changed->headers[0].text == "int y;\nconstexpr int B = GRIDSMITH_B;\n");
  CHECK(changed->folders == source->folders);
  CHECK(changed->before == source->before);
  CHECK(changed->hash != source->hash);
  const std::string diff = rewriting_diff(*source, *changed);
  CHECK(diff.find("-constexpr int B = 2;\n+constexpr int B = GRIDSMITH_B;") != std::string::npos);
  CHECK(diff.find("h.h") != std::string::npos);
  CHECK(rewritten(source, {}) == source);
  CHECK(rewriting_diff(*source, *source).empty());
}

TEST_CASE("what is not plain is refused with its places") {
  CHECK_THAT(refusal("int x;"), contains_text("gives TILE a value that can be replaced"));
  CHECK_THAT(refusal("#define TILE 1\n#define TILE 2\n"),
             contains_text("TILE is defined at 2 places: k.cu(1), k.cu(2)"));
  CHECK_THAT(refusal("#define TILE 1\n", "\n\nconst int TILE = 2;"),
             contains_text("k.cu(1), common/dims.h(3)"));
  for (const char* none :
       {"#define TILE(x) x\n", "#define TILE\n", "int TILE = 4;", "__constant__ int TILE = 4;",
        "void f(int TILE = 4);", "int main() { TILE = 4; }", "const int* TILE = 0;", "TILE = 4;",
        "const int TILE", "constexpr int TILE =", "const int TILE{4", "#define TILE2 4"})
    CHECK_THAT(refusal(none), contains_text("gives TILE a value that can be replaced"));
}

} // namespace rewriting_test
