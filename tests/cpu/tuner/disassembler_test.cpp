// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <filesystem>

namespace disassembler_test {

using namespace gridsmith;

namespace {

std::filesystem::path script(const test::Folder& folder, const std::string& name,
                             const std::string& body) {
  const auto file = folder.path() / name;
  test::write(file, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

const Bytes cubin{0x7f, 'E', 'L', 'F'};

} // namespace

TEST_CASE("the text of a program that stands in") {
  const test::Folder folder;
  script(folder, "nvdisasm", "echo \"/*0000*/ MOV R1; of $(tail -c 3 $1)\"");
  const Disassembler found(std::nullopt, {"/nowhere", folder.path()});
  REQUIRE(found.program());
  const Disassembly text = found.disassemble(cubin);
  REQUIRE(text.sass);
  CHECK(*text.sass == "/*0000*/ MOV R1; of ELF\n");
  CHECK_FALSE(text.missing_because);
}

TEST_CASE("cuobjdump is asked in its own way") {
  const test::Folder folder;
  const Disassembler given(script(folder, "cuobjdump", "echo $1; test -f $2"));
  CHECK(given.disassemble(cubin).sass == std::optional<std::string>("--dump-sass\n"));
}

TEST_CASE("without a disassembler, or with one that fails, there is a reason of one line") {
  const test::Folder folder;
  const auto reason = [](const Disassembler& disassembler) {
    const Disassembly text = disassembler.disassemble(cubin);
    CHECK_FALSE(text.sass);
    return text.missing_because.value_or("");
  };
  CHECK_THAT(reason(Disassembler(folder.path() / "absent")), contains_text("cannot start"));
  CHECK_THAT(reason(Disassembler(script(folder, "nvdisasm", "echo half; exit 1"))),
             contains_text("ended with exit code 1"));
}

} // namespace disassembler_test
