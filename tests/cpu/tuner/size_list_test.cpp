// SPDX-License-Identifier: Apache-2.0
// Lists of problem sizes, from words and files.
#include "gridsmith/base/error.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/session/size_list.hpp"

#include <fstream>

using namespace gridsmith;

namespace {

KernelDefinition of_two_extents() {
  KernelDefinition definition;
  definition.name = "transpose";
  definition.problem_sizes = {{{64, 64}}, {{128, 32}}};
  return definition;
}

/// A file with this content, as the argument of --sizes.
struct File {
  explicit File(const std::string& content) { std::ofstream(path) << content; }

  test::Folder folder;
  std::filesystem::path path = folder.path() / "sizes.txt";
};

std::string refusal(const std::string& text) {
  try {
    size_list(text, of_two_extents());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("sizes come from the definition, from the command line and from files") {
  CHECK(size_list("all", of_two_extents()).problems == of_two_extents().problem_sizes);
  const SizeList words = size_list("8x8, 16x4,8x8", of_two_extents());
  CHECK(words.problems == std::vector<ProblemSize>{{{8, 8}}, {{16, 4}}});
  CHECK(words.weights == std::vector<double>{2, 1});
  const File file("# by hand\n8x8 2.5\n\n16x4\t# once\r\n{\"problem\": [8, 8], \"weight\": 3, "
                  "\"aligned\": true}\n{\"problem\":[7,9]}\n");
  const SizeList read = size_list(file.path.string(), of_two_extents());
  CHECK(read.problems == std::vector<ProblemSize>{{{8, 8}}, {{16, 4}}, {{7, 9}}});
  CHECK(read.weights == std::vector<double>{5.5, 1, 1});
}

TEST_CASE("a broken line is one line with file and number") {
  const char* bad[] = {"8x8x8",
                       "8x",
                       "8x8 0",
                       "8x8 -1",
                       "8x8 nan",
                       "8x8 1 2",
                       "8x8 two",
                       "0x8",
                       "{\"problem\": 8}",
                       "{\"problem\": [8, \"8\"]}",
                       "{\"problem\": [8, 8], \"weight\": \"2\"}",
                       "{\"problem\": [8, 8]",
                       "{\"problem\": [8, 0]}",
                       "{\"problem\": [8, 18446744073709551615]}",
                       "99999999999999999999x8"};
  for (const char* line : bad) {
    const File file(std::string("8x8\n") + line + "\n8x8\n");
    const std::string said = refusal(file.path.string());
    INFO(line);
    CHECK(said.starts_with(file.path.string() + ":2: '"));
    CHECK(said.find('\n') == std::string::npos);
  }
  CHECK(refusal("8x8x8").find("3 of the 2 extents of transpose") != std::string::npos);
  CHECK(refusal("nowhere.txt").find("there is none of that name") != std::string::npos);
  CHECK(refusal(File("# nothing\n").path.string()).find("holds no size") != std::string::npos);
}
