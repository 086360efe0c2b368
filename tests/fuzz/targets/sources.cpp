// SPDX-License-Identifier: Apache-2.0
// A source and one header of it, each with whatever includes: a name is where it is said to be, and
// resolving includes changes nothing but names and no line.
#include "gridsmith/kernels/source/includes.hpp"
#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace gridsmith::fuzz::sources {

namespace {

void check_places(const std::string& text) {
  std::size_t done = 0;
  for (const Include& include : includes_of(text)) {
    require(include.first >= done && include.last <= text.size(), "a name is nowhere");
    done = include.last;
    if (include.kind != Include::Kind::computed)
      require(text.substr(include.first + 1, include.name.size()) == include.name,
              "a name is not where it is said to be");
  }
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  const std::string text(text_of(bytes, count));
  check_places(text);
  const auto bundle = make_bundle({"k.cu", text}, {{"sub/a.h", text}, {"inc/b.h", ""}}, {"inc"});
  const auto files = with_resolved_includes(*bundle);
  const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
  require(lines(files[0].text) == lines(text), "resolving includes moved lines");
}

} // namespace gridsmith::fuzz::sources
