// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include <filesystem>

namespace ncu_report_test {

using namespace gridsmith;

namespace {

std::filesystem::path script(const test::Folder& folder, const std::string& body) {
  const auto file = folder.path() / "ncu";
  test::write(file, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

std::string said(const std::filesystem::path& file, const std::filesystem::path& program) {
  try {
    read_ncu_report(file, program);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

} // namespace

TEST_CASE("ncu is asked for the raw page in base units, and told the file alone") {
  const test::Folder folder;
  const auto file = folder.path() / "a b;c.ncu-rep";
  test::write(file, "report");
  CHECK(is_ncu_report(file));
  CHECK_FALSE(is_ncu_report(folder.path() / "a.csv"));
  const auto ncu =
      script(folder, "test \"$*\" = '--import " + file.string() +
                         " --csv --page raw --print-units base' && test -f \"$2\" && "
                         "cat '" GRIDSMITH_SOURCE_DIR "/tests/data/profiles/ncu_raw.csv'");
  const Profile found = read_ncu_report(file, ncu);
  CHECK(found.tool == "ncu");
  CHECK(found.file == file.string());
  CHECK(found.launches.size() == 5);
  CHECK(find_program({"absent", "ncu"}, {"/nowhere", folder.path()}) == ncu);
}

TEST_CASE("a report that ncu does not read is refused with what it said") {
  const test::Folder folder;
  const auto file = folder.path() / "a.ncu-rep";
  CHECK_THAT(said(file, "/bin/true"), contains_text("a.ncu-rep: there is no such report"));
  test::write(file, "report");
  const auto failing = script(folder, "echo '==ERROR== Failed to open the report'; exit 1");
  CHECK_THAT(said(file, failing),
             contains_text("ended with exit code 1: ==ERROR== Failed to open"));
  CHECK_THAT(said(file, script(folder, "echo '==WARNING== No kernels were profiled.'")),
             contains_text("found no kernels: ==WARNING== No kernels were profiled."));
}

} // namespace ncu_report_test
