// SPDX-License-Identifier: Apache-2.0
// Lists of problem sizes, from words and files.
#include "gridsmith/base/error.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/session/size_list.hpp"

#include <fstream>

namespace size_list_test {

using namespace gridsmith;

namespace {

KernelDefinition of_extents(std::size_t count) {
  KernelDefinition definition;
  definition.name = "transpose";
  definition.problem_sizes = {{std::vector<std::int64_t>(count, 64)}};
  return definition;
}

KernelDefinition of_two_extents() {
  KernelDefinition definition = of_extents(2);
  definition.problem_sizes.push_back({{128, 32}});
  return definition;
}

/// "8x8,16x4": the sizes of a text.
std::string sizes_in(const std::string& text, const KernelDefinition& definition) {
  const SizeList list = size_list(text, definition);
  std::string all;
  for (const ProblemSize& problem : list.problems)
    all += (all.empty() ? "" : ",") + to_text(problem);
  return all;
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
  CHECK(read.adds == 0);
  CHECK(read.weights == std::vector<double>{5.5, 1, 1});
}

TEST_CASE("auto lets the search add sizes, alone to those of the definition") {
  const SizeList list = size_list("8x8,auto", of_two_extents());
  CHECK(list.adds > 0);
  CHECK(list.problems == std::vector<ProblemSize>{{{8, 8}}});
  const SizeList alone = size_list("auto", of_two_extents());
  CHECK(alone.adds > 0);
  CHECK(alone.problems == of_two_extents().problem_sizes);
  CHECK_THROWS_WITH(sizes_for_all("8,auto"), "sizes '8,auto': auto is for one kernel");
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

TEST_CASE("ranges give each extent its values, or all extents the same") {
  CHECK(sizes_in("1024..8192:x2", of_extents(1)) == "1024,2048,4096,8192");
  CHECK(sizes_in("1000..2600:+500", of_extents(1)) == "1000,1500,2000,2500");
  CHECK(sizes_in("2..55:x3", of_extents(1)) == "2,6,18,54");
  CHECK(sizes_in("2..54:x3", of_extents(1)) == "2,6,18,54");
  CHECK(sizes_in("2..53:x3", of_extents(1)) == "2,6,18");
  CHECK(sizes_in("7..7:+1", of_extents(3)) == "7x7x7");
  CHECK(sizes_in("1024..4096:x2", of_extents(3)) == "1024x1024x1024,2048x2048x2048,4096x4096x4096");
  CHECK(sizes_in("256..1024:x2x64", of_two_extents()) == "256x64,512x64,1024x64");
  CHECK(sizes_in("64x1..3:+1", of_two_extents()) == "64x1,64x2,64x3");
  CHECK(sizes_in("1..2:x2x10..20:+10", of_two_extents()) == "1x10,1x20,2x10,2x20");
  CHECK(sizes_in("9223372036854775806..9223372036854775807:+1", of_extents(1)) ==
        "9223372036854775806,9223372036854775807");
  CHECK(sizes_in("1..9223372036854775807:x4611686018427387904", of_extents(1)) ==
        "1,4611686018427387904");
}

TEST_CASE("around a size are its halves, doubles and odd neighbours, each once") {
  CHECK(sizes_in("around:4096", of_extents(1)) == "4096,2048,8192,4097,4095,6144,4129");
  CHECK(
      sizes_in("around:64x100", of_two_extents()) ==
      "64x100,32x100,128x100,65x100,64x50,64x200,64x101,32x50,128x200,65x101,63x99,96x150,97x129");
  CHECK(size_list("around:4096x4096x4096", of_extents(3)).problems.size() == 16);
  CHECK(sizes_in("around:1", of_extents(1)) == "1,2,33");
  const SizeList list = size_list("around:1x1", of_two_extents());
  CHECK(list.weights == std::vector<double>(list.problems.size(), 1));
}

TEST_CASE("a list mixes all forms, and counts a size that comes again") {
  const SizeList list = size_list("all, 32..128:x2,128x32,around:1x1", of_two_extents());
  CHECK(list.problems == std::vector<ProblemSize>{{{64, 64}},
                                                  {{128, 32}},
                                                  {{32, 32}},
                                                  {{128, 128}},
                                                  {{1, 1}},
                                                  {{2, 1}},
                                                  {{1, 2}},
                                                  {{2, 2}},
                                                  {{33, 33}}});
  CHECK(list.weights == std::vector<double>{2, 2, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("a list that is wrong or too long is one line with the item") {
  const std::pair<const char*, const char*> bad[] = {
      {"8x8,1024..8192", "sizes '8x8,1024..8192': '1024..8192': expected all, auto, sizes such as"},
      {"1024..8192:2", "'1024..8192:2': expected all"},
      {"1024..8192:x", "'1024..8192:x': expected all"},
      {"1024..8192:x-2", "'1024..8192:x-2': expected all"},
      {"0..8:+1", "'0..8:+1': expected all"},
      {"8..16:x2x", "'8..16:x2x': expected all"},
      {"8..16:x2y8", "'8..16:x2y8': expected all"},
      {"around:8..16:x2", "'around:8..16:x2': expected all"},
      {"around:", "'around:': expected all"},
      {"around:8x8x8", "size 8x8x8 has 3 of the 2 extents"},
      {"8..16:x2x8x8x8", "'8..16:x2x8x8x8': expected all"},
      {"8..16:x2x8x8", "size 8x8x8 has 3 of the 2 extents"},
      {"16..8:x2", "'16..8:x2': the range ends at 8, before it begins at 16"},
      {"8..16:x1", "'8..16:x1': a range is multiplied by 2 or more"},
      {"8..16:+0", "'8..16:+0': expected all"},
      {"around:9223372036854775807x1", "twice of 9223372036854775807 is too large"},
      {"1..64:+1x1..64:+1,8x8", "are 4097 sizes; at most 4096 are taken"},
      {"1..9223372036854775807:+1x1..9223372036854775807:+1", "at most 4096 are taken"},
      {"8x8,,9x9", "a size between the commas is empty"},
      {"8x8\n,9x", "'8x8 ': expected all"}};
  for (const auto& [text, said] : bad) {
    INFO(text);
    CHECK_THAT(refusal(text), contains_text(said));
    CHECK(refusal(text).find('\n') == std::string::npos);
  }
  CHECK(size_list("1..64:+1x1..64:+1", of_two_extents()).problems.size() == 4096);
}

TEST_CASE("the problems that a generated header records are sizes") {
  // As results/header writes them.
  const File file(
      "{\"kernel\": \"transpose\", \"problem\": \"1000x1000\", \"match\": \"within_range\"}\n"
      "{\"kernel\": \"transpose\", \"problem\": \"0x8\", \"match\": \"none\"}\n"
      "{\"kernel\": \"transpose\", \"problem\": \"-5x-5\", \"match\": \"none\"}\n"
      "{\"kernel\": \"matmul\", \"problem\": \"8x8x8\", \"match\": \"nearest\"}\n"
      "{\"kernel\": \"transpose\", \"problem\": \"7x9\", \"match\": \"nearest\"}\n");
  CHECK(sizes_in(file.path.string(), of_two_extents()) == "1000x1000,7x9");
  CHECK(sizes_for_all(file.path.string()) ==
        std::vector<ProblemSize>{{{1000, 1000}}, {{8, 8, 8}}, {{7, 9}}});
  const File wrong("{\"kernel\": \"transpose\", \"problem\": \"wide\"}\n");
  CHECK_THAT(refusal(wrong.path.string()), contains_text(":1: '{\"kernel\""));
}

TEST_CASE("the same list serves kernels of any number of extents") {
  CHECK(sizes_for_all("all").empty());
  CHECK(sizes_for_all("8x8,all").empty());
  CHECK(sizes_for_all("8..16:x2,4x4") ==
        std::vector<ProblemSize>{
            {{8}}, {{16}}, {{8, 8}}, {{16, 16}}, {{8, 8, 8}}, {{16, 16, 16}}, {{4, 4}}});
  CHECK_THROWS_AS(sizes_for_all("nowhere.txt"), InputError);
}

} // namespace size_list_test
