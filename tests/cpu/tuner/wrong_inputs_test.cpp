// SPDX-License-Identifier: Apache-2.0
// What people get wrong, row by row (tests/data/wrong_inputs): the program itself answers with the
// right exit code and exactly one line, which names what was wrong.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <algorithm>
#include <sstream>

namespace wrong_inputs_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

const fs::path data = GRIDSMITH_SOURCE_DIR "/tests/data/wrong_inputs";

const std::string good = R"gs({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "X", "Type": "int", "Values": "[1, 2, 4]", "Default": 2},
      {"Name": "V", "Type": "bool", "Values": "[True, False]", "Default": true}
    ],
    "Conditions": [{"Expression": "X <= 4"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "good.cu", "ProblemSize": [1024],
    "GlobalSize": {"X": "4"}, "LocalSize": {"X": "32"},
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "n", "Output": 1},
      {"Name": "m", "Type": "int32", "MemoryType": "Scalar"}
    ]
  },
  "Gridsmith": {"Extents": ["n"], "Scalars": {"m": "n"}, "Reference": {"Element": "i"}}
})gs";

/// The parts of each line that is no comment, without the blanks around them.
std::vector<std::vector<std::string>> rows_of(const std::string& name,
                                              const std::vector<std::string>& separators) {
  std::ifstream in(data / name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("#"))
      continue;
    std::vector<std::string> parts;
    std::string rest = " " + line;
    const auto take = [&](std::size_t end) {
      parts.push_back(end > 0 ? rest.substr(1, end - 1) : "");
    };
    for (const std::string& separator : separators) {
      const std::size_t at = rest.find(" " + separator);
      REQUIRE(at != std::string::npos);
      take(at);
      rest = rest.substr(at + 1 + separator.size());
    }
    take(rest.size());
    rows.push_back(parts);
  }
  return rows;
}

/// A shell in a folder with gridsmith, the catalogue, good files and others.
class House {
public:
  House() {
    test::install_with_fakes(folder());
    fs::create_directories(folder() / "share/gridsmith");
    fs::copy_file(GRIDSMITH_SOURCE_DIR "/tests/golden/header_several.hpp",
                  folder() / "two_devices.hpp");
    fs::create_directory_symlink(GRIDSMITH_SOURCE_DIR "/kernels/catalogue",
                                 folder() / "share/gridsmith/catalogue");
    test::write_kernel(folder(), "kernel", 40);
    for (const char* name : {"several", "none"})
      fs::create_directory(folder() / name);
    fs::create_symlink("loop.json", folder() / "loop.json");
    const std::vector<std::pair<std::string, std::string>> files = {
        {"good.cu", "extern \"C\" __global__ void k(float* out, int) { out[threadIdx.x] = X; }\n"},
        {"two.cu", "#define BLOCK 64\n#ifdef OLD\n#define TILE 4\n#else\n#define TILE 8\n#endif\n"
                   "__global__ void a(float* x, int n) {\n"
                   "  int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = TILE; }\n"
                   "__global__ void b(float* x) {}\n"
                   "int main() { int n = 64; dim3 grid(1, 1); a<<<grid, BLOCK>>>(0, n); }\n"},
        {"good.json", good},
        {"empty.json", ""},
        {"blank.json", " \n"},
        {"broken.json", "{\"General\": "},
        {"list.json", "[1]"},
        {"utf16.json", std::string("\xFF\xFE{\0}\0", 6)},
        {"large_number.json", "{\"a\":1e400}"},
        {"deep.json", std::string(200, '[')},
        {"text.txt", "this is neither JSON nor a database, it is only text, and long enough"},
        {"text.npy", "this is no array"},
        {"several/a.json", good},
        {"several/b.json", good}};
    for (const auto& [name, text] : files)
      test::write(folder() / name, text);
    REQUIRE(run("tune kernel.json --exhaustive --compilers 1 --no-cache --store kernel.db "
                "--record record.json") == 0);
  }

  const fs::path& folder() const { return shell_.folder(); }

  int run(const std::string& words) const {
    return shell_.run({"-c", "cd '" + folder().string() + "'; bin/gridsmith " + words});
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

private:
  test::Program shell_{"/bin/sh"};
};

void check_one_line(const std::string& said, const std::string& part) {
  CHECK(said.starts_with("gridsmith: "));
  CHECK(said.ends_with("\n"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(said.size() < 2000);
  CHECK_THAT(said, contains_text(part));
}

} // namespace

TEST_CASE("wrong commands are answered in one line") {
  const House house;
  const auto rows = rows_of("commands.txt", {"|", "|"});
  CHECK(rows.size() >= 240);
  for (const auto& row : rows) {
    INFO(row[1]);
    CHECK(house.run(row[1]) == std::stoi(row[0]));
    CHECK(house.out() == "");
    check_one_line(house.err(), row[2]);
  }
  for (const char* left : {"left", "deep", "tuned", "report.pdf"})
    CHECK_FALSE(fs::exists(house.folder() / left));
}

TEST_CASE("wrong definitions are answered in one line") {
  const House house;
  REQUIRE(house.run("space good.json") == 0);
  CHECK(house.err() == "");
  const auto rows = rows_of("definitions.txt", {"=>", "|"});
  CHECK(rows.size() >= 100);
  for (const auto& row : rows) {
    INFO(row[0] << " => " << row[1]);
    REQUIRE(good.find(row[0]) != std::string::npos);
    std::string text = good;
    test::write(house.folder() / "wrong.json",
                text.replace(text.find(row[0]), row[0].size(), row[1]));
    CHECK(house.run("space wrong.json") == 2);
    CHECK(house.out() == "");
    check_one_line(house.err(), row[2]);
    // The definition alone, or one of its sizes: then the others are shown too.
    const int code = house.run("check-definition wrong.json");
    CHECK((code == 1 || code == 2));
    CHECK_THAT(test::unwrapped(house.out() + house.err()), contains_text(row[2]));
  }
}

TEST_CASE("slips in a file of the community are told on every command") {
  const House house;
  std::string text = good.substr(0, good.find(",\n  \"Gridsmith\"")) + "}";
  text.replace(text.find("Conditions"), 10, "Conditons");
  text.replace(text.find("\"n\", \"Output\""), 3, "8");
  text.replace(text.find("\"Scalar\""), 8, "\"Scalar\", \"FillValue\": 8");
  test::write(house.folder() / "slip.json", text);
  const std::string told = "ConfigurationSpace: unknown field 'Conditons'; did you mean "
                           "'Conditions'?";
  for (const std::string command :
       {"space slip.json", "space slip.json --json", "space slip.json --why-not X=1",
        "tune slip.json --no-store --no-cache --compilers 1 --evaluations 2"}) {
    INFO(command);
    CHECK(house.run(command) == 0);
    check_one_line(house.err(), told);
  }
  CHECK(house.run("check-definition slip.json") == 1);
  CHECK_THAT(test::unwrapped(house.out()), contains_text("warning slip.json: " + told));
}

TEST_CASE("a definition that no configuration escapes ends the tuning") {
  const House house;
  test::write_kernel(house.folder(), "args", 40, "RUN", R"(["arguments"])");
  CHECK(house.run("tune args.json --exhaustive --no-store --no-cache --compilers 1") == 2);
  check_one_line(house.err(),
                 "the first 10 configurations all failed for the same reason: the kernel takes 3 "
                 "arguments, the definition gives 1");
}

TEST_CASE("what a reference is, or what stands in for it") {
  const House house;
  const auto said = [&](const std::string& text) {
    test::write(house.folder() / "one.json", text);
    house.run("check-definition one.json");
    return test::unwrapped(house.out());
  };
  const auto without = [](const std::string& part, std::string text = good) {
    return text.erase(text.find(part), part.size());
  };
  const std::string bare = without(R"(, "Reference": {"Element": "i"})");
  CHECK_THAT(said(good), contains_text("reference Element; |found - expected| <= "));
  CHECK_THAT(said(bare), contains_text("results are compared with the default configuration's"));
  CHECK_THAT(said(without(", \"Default\": 2", bare)),
             contains_text("none, and no default configuration: nothing is verified"));
  CHECK_THAT(said(without(", \"Output\": 1", bare)),
             contains_text("no argument is marked as output: nothing is verified"));
}

TEST_CASE("an element that has no value is found without a GPU") {
  const House house;
  std::string text = good;
  test::write(house.folder() / "outside.json",
              text.replace(text.find("\"i\""), 3, "\"1 // (n - 1 - i)\""));
  CHECK(house.run("check-definition outside.json") == 2);
  CHECK_THAT(
      test::unwrapped(house.out()),
      contains_text("Gridsmith.Reference.Element: element 1023 of 'out': expression '1 // (n - "
                    "1 - i)', column 3: division by zero"));
}

TEST_CASE("which configurations have certain values") {
  const House house;
  const auto asked = [&](const std::string& why) {
    house.run("space transpose --why-not \"" + why + "\"");
    return house.out();
  };
  CHECK(asked("TILE=64,ROWS=64") == "no configuration has TILE=64 and ROWS=64: 64 is not a value "
                                    "of ROWS (2, 4, 8, 16, 32)\n");
  CHECK(asked("TILE=64 ROWS=8") == "17 configurations have TILE=64 and ROWS=8\n");
  CHECK(asked("TILE=16.0,ROWS=32") ==
        "no configuration has TILE=16 and ROWS=32: 108 of the product, all excluded by\n"
        "  'ROWS * ELEMENTS <= TILE' (all of them)\n");
  CHECK(asked("VARIANT='naive',TILE=16,ROWS=4,PADDING=0,ELEMENTS=1,STREAM=0,BAND=1") ==
        "1 configuration has VARIANT=naive, TILE=16, ROWS=4, PADDING=0, ELEMENTS=1, STREAM=0 and "
        "BAND=1\n");
  for (const std::string text : {"V=true", "V=True", "V=1", "V=TRUE"}) {
    INFO(text);
    CHECK(house.run("space good.json --why-not " + text) == 0);
    CHECK(house.out() == "3 configurations have V=True\n");
  }
  CHECK(house.run("space transpose --why-not TILE=64,ROWS=64") == 1);
  CHECK(house.err() == "");
  CHECK(house.run("space transpose --why-not TILE=64,ROWS=64 --json") == 1);
  CHECK_THAT(house.out(), contains_text("\"configurations\": 0"));
  REQUIRE(house.run("space transpose --json") == 0);
  CHECK_THAT(house.out(), contains_text("\"removed\": 360,"));
  CHECK(house.run("space good.json --list --json") == 0);
  CHECK_THAT(house.out(), contains_text("\"configurations\": [\n{\"X\":1,\"V\":true},\n"));
  CHECK(house.run("space good.json --sample 2 --json") == 0);
  CHECK(house.run("space transpose") == 0);
  CHECK_THAT(house.out(),
             contains_text("\nA configuration counts under each constraint that excludes it.\n"));
  CHECK(house.run("kernels --json") == 0);
  CHECK_THAT(house.out(), contains_text("\"description\": \""));
  CHECK_THAT(house.out(), contains_text("\"kernel\": \"transpose\""));
}

TEST_CASE("what is shown of a definition fits 80 columns") {
  const House house;
  std::string text = good;
  test::write(house.folder() / "long.json",
              text.replace(text.find("[1, 2, 4]"), 9, "[i for i in range(1, 200)]"));
  for (const std::string command : {"kernels", "space matmul", "space long.json"}) {
    INFO(command);
    house.run(command + " | sed 's|/[^ ]*/||'"); // a path has no blank to break it at
    std::istringstream lines(house.out());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      CHECK(line.size() <= 80);
    CHECK(count > 5);
  }
}

TEST_CASE("what init writes is tuned at once and never replaced") {
  const House house;
  fs::create_directories(house.folder() / "new" / "place");
  REQUIRE(house.run("init axpy --folder new/place") == 0);
  CHECK_THAT(house.out(), contains_text("gridsmith tune new/place/axpy.json"));
  CHECK(house.run("check-definition new/place/axpy.json") == 0);
  CHECK(house.err() == "");
  CHECK(house.run("space new/place") == 0); // a folder means its definition
  CHECK(house.run("tune new/place/axpy.json --no-store --no-cache --compilers 1") == 0);
  test::write(house.folder() / "new/place/axpy.cu", "mine");
  CHECK(house.run("init axpy --folder new/place") == 2);
  CHECK(test::read_file(house.folder() / "new/place/axpy.cu") == "mine");
}

} // namespace wrong_inputs_test
