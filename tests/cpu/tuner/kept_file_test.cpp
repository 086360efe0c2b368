// SPDX-License-Identifier: Apache-2.0
// Which texts an output replaces: those of its own format.
#include "gridsmith/results/check/reports.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"
#include "gridsmith/tuner/presentation/kept_file.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kept_file_test {

using namespace gridsmith;

TEST_CASE("what a check reported is replaced by the next report of its kind, and notes are not") {
  const test::Folder folder;
  CheckResult result;
  result.cases.push_back({.kernel = "scale", .problem = "8", .verdict = CheckVerdict::slower});
  result.cases.back().time = PairedTime{.old_ms = 1, .new_ms = 2, .ratio = 2};
  for (const char* const format : {"json", "junit", "sarif", "gitlab", "markdown", "github"}) {
    INFO(format);
    const auto file = folder / (std::string(format) + ".txt");
    test::write(file, report_format(format).text(result, folder.path()));
    CHECK(why_kept(file, format) == "");
  }
  test::write(folder / "notes.txt", "my notes\n");
  for (const char* const format :
       {"json", "junit", "sarif", "gitlab", "summary", "ptx", "sass", "unheard-of"})
    CHECK(why_kept(folder / "notes.txt", format) ==
          "is a text of another kind, which is not replaced");
}

TEST_CASE("code and summaries are replaced by their own kind") {
  const test::Folder folder;
  const std::vector<std::pair<std::string, std::string>> texts{
      {"ptx", "//\n.version 9.0\n.target sm_90\n"},
      {"sass", ".text.k:\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"},
      {"summary", "# NVIDIA H200: 0 of 3 shipped configurations moved\n\nChecked again.\n"}};
  for (const auto& [format, text] : texts)
    for (const auto& [other, unused] : texts) {
      INFO(format << " by " << other);
      test::write(folder / "file.txt", text);
      CHECK(why_kept(folder / "file.txt", other).empty() == (format == other));
    }
}

TEST_CASE("an export is replaced by its own format alone") {
  const test::Folder folder;
  const std::filesystem::path golden =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "golden";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden))
    for (const FormatEntry& format : export_formats()) {
      if (entry.path().stem() != format.name)
        continue;
      ++files;
      test::write(folder / "out", test::read_file(entry.path()));
      for (const FormatEntry& other : export_formats()) {
        INFO(format.name << " by " << other.name);
        CHECK(why_kept(folder / "out", other.name).empty() == (format.name == other.name));
      }
      INFO(format.name << " by a baseline");
      CHECK(why_kept(folder / "out", "baseline") != "");
    }
  CHECK(files == export_formats().size());
}

TEST_CASE("a header that was changed after it was written is kept") {
  const test::Folder folder;
  const auto file = folder / "tuned.hpp";
  const std::string header =
      test::read_file(std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests/golden/header.hpp");
  test::write(file, header);
  CHECK(why_kept(file, "header") == "");
  for (const std::string& changed :
       {header + "// mine\n", header.substr(0, header.size() / 2), header.substr(0, 40)}) {
    test::write(file, changed);
    CHECK(why_kept(file, "header") ==
          "is a header that was changed after Gridsmith wrote it, which is not replaced");
  }
  test::write(file, "// gridsmith header 1, sha256 0\n"); // of a version that is not read
  CHECK(why_kept(file, "header") == "");
}

} // namespace kept_file_test
