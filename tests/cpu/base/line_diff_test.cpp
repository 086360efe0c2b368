// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/line_diff.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/tests/catch.hpp"

#include <sstream>
#include <vector>

namespace line_diff_test {

using namespace gridsmith;

namespace {

std::string numbered(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i)
    text += std::to_string(i) + "\n";
  return text;
}

/// What patch(1) makes of the text: lines of hunks, at the places that they name.
std::string patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  std::istringstream in(before), hunks(diff);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  std::string after;
  std::size_t next = 0; // of before
  for (std::string line; std::getline(hunks, line);) {
    if (line.starts_with("---") || line.starts_with("+++"))
      continue;
    if (line.starts_with("@@")) {
      const std::size_t first = std::stoul(line.substr(4));
      const bool none = line.substr(line.find(',') + 1, 2) == "0 ";
      for (; next + 1 < first + (none ? 1 : 0); ++next)
        after += lines[next] + "\n";
      continue;
    }
    if (line.front() != '+')
      CHECK(lines.at(next++) == line.substr(1));
    if (line.front() != '-')
      after += line.substr(1) + "\n";
  }
  for (; next < lines.size(); ++next)
    after += lines[next] + "\n";
  return after;
}

} // namespace

TEST_CASE("a diff has what changed with three lines around it") {
  CHECK(line_diff("a\nb\n", "a\nb\n", "f").empty());
  std::string after = numbered(20);
  after.replace(after.find("10\n"), 3, "ten\n");
  CHECK(line_diff(numbered(20), after, "f") ==
        "--- a/f\n+++ b/f\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
  CHECK(line_diff("", "a\n", "f") == "--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n");
}

TEST_CASE("a diff makes one text of the other, with the fewest lines") {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::string before, after;
    for (int i = 0; i < 60; ++i) {
      const std::string line = std::to_string(below(random, 9)) + "\n";
      before += below(random, 5) ? line : "";
      after += below(random, 5) ? line : "";
    }
    const std::string diff = line_diff(before, after, "f");
    CHECK(patched(before, diff) == after);
    if (before == after)
      CHECK(diff.empty());
  }
}

} // namespace line_diff_test
