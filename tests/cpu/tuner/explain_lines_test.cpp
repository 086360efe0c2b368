// SPDX-License-Identifier: Apache-2.0
// 'gridsmith explain' names source lines: an installation of the real program and compiler whose
// catalogue is of planted bottlenecks, with what an H200 counted of them. No GPU is used.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

namespace explain_lines_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

const fs::path planted = fs::path(GRIDSMITH_SOURCE_DIR) / "tests/planted/first";

class Installed {
public:
  Installed() {
    fs::create_directories(prefix() / "bin");
    fs::create_directories(prefix() / "libexec/gridsmith");
    fs::copy(fs::path(GRIDSMITH_LIBRARY).parent_path(), prefix() / "lib",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::copy_file(GRIDSMITH_PROGRAM, prefix() / "bin/gridsmith");
    for (const char* helper : {"gridsmith-compiler", "gridsmith-worker"})
      fs::copy_file(fs::path(GRIDSMITH_PROGRAMS_DIR) / helper,
                    prefix() / "libexec/gridsmith" / helper);
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  }

  /// As a kernel of the catalogue, with its recording. Returns its folder.
  fs::path add(const std::string& name, const std::string& problem) const {
    const fs::path folder = prefix() / "share/gridsmith/catalogue" / name;
    fs::create_directories(folder / "recordings");
    for (const char* ending : {".json", ".cu"})
      fs::copy_file(planted / (name + ending), folder / (name + ending));
    fs::copy_file(planted / "NVIDIA_H200" / (name + ".json.gz"),
                  folder / "recordings" / (problem + "__h200.json.gz"));
    return folder;
  }

  std::string said(const std::string& kernel, const std::string& configuration,
                   const std::string& more = "") const {
    std::vector<std::string> words{"explain", kernel, "--configuration", configuration};
    if (!more.empty())
      words.push_back(more);
    const Program program(prefix() / "bin/gridsmith");
    const int code = program.run(words);
    INFO(program.err());
    REQUIRE(code == 0);
    return program.out();
  }

private:
  using Program = test::Program;

  const fs::path& prefix() const { return folder_.path(); }

  test::Folder folder_;
};

} // namespace

TEST_CASE("lines of the source, and of a header of its own") {
  const Installed installed;
  const fs::path folder = installed.add("rotate_image", "4096x8192");
  CHECK_THAT(
      test::unwrapped(installed.said("rotate_image", "TILE_PITCH=0")),
      contains_text("88 % of the sectors are wasted (rotate_image.cu:14) 4.7 to 11 times as fast"));
  CHECK_THAT(test::unwrapped(installed.said("rotate_image", "TILE_PITCH=32")),
             contains_text("(rotate_image.cu:20, rotate_image.cu:24)"));
  fs::create_directories(folder / "turn");
  fs::rename(folder / "rotate_image.cu", folder / "turn/quarter.h");
  test::write(folder / "rotate_image.cu", "// all in a header\n#include \"turn/quarter.h\"\n");
  const std::string json = installed.said("rotate_image", "TILE_PITCH=0", "--json");
  const auto explanation = nlohmann::json::parse(json)["explanation"];
  const auto& places = explanation["findings"][0]["places"];
  REQUIRE(places.size() == 1);
  CHECK(places[0]["place"] == "turn/quarter.h:14");
  CHECK(places[0]["instructions"] == 4);
}

TEST_CASE("what is included before moves no line, the author's own #line does") {
  const Installed installed;
  const fs::path folder = installed.add("rotate_image", "4096x8192");
  const auto change = [&](const char* file, const std::string& from, const std::string& to) {
    std::string text = test::read_file(folder / file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    test::write(folder / file, text.replace(at, from.size(), to));
  };
  test::write(folder / "first.h", "// one\n// two\n// three\n");
  change("rotate_image.json", "\"KernelName\"",
         "\"CompilerOptions\": [\"--pre-include=first.h\"], \"KernelName\"");
  CHECK_THAT(installed.said("rotate_image", "TILE_PITCH=0"), contains_text("rotate_image.cu:14"));
  change("rotate_image.cu", "extern", "#line 107\nextern");
  CHECK_THAT(installed.said("rotate_image", "TILE_PITCH=0"), contains_text("rotate_image.cu:114"));
}

TEST_CASE("more than three places, and code that is not what was recorded") {
  const Installed installed;
  const fs::path folder = installed.add("pair_distances", "2048x256");
  CHECK_THAT(test::unwrapped(installed.said("pair_distances", "MIN_BLOCKS=4")),
             contains_text(" more) 3.9 to 9.3 times as fast"));
  test::write(folder / "pair_distances.cu", "extern \"C\" __global__ void pair_distances() {}\n");
  CHECK_THAT(test::unwrapped(installed.said("pair_distances", "MIN_BLOCKS=4")),
             contains_text("are spilled by a thread 3.9 to 9.3 times as fast"));
}

TEST_CASE("memory latency comes with the bytes that are under way") {
  const Installed installed;
  installed.add("peak", "34603008");
  CHECK_THAT(
      test::unwrapped(installed.said("peak", "LOADS=1")),
      contains_text("Little's law: 11.2 KB have to be under way on each multiprocessor (354 ns x "
                    "4191 GB/s over all, the latency assumed, the bandwidth measured), at most "
                    "4.05 KB are (31.6 warps x 32 threads x 1 load x 4 bytes)"));
  const auto json = nlohmann::json::parse(installed.said("peak", "LOADS=1", "--json"));
  const auto& little = json["explanation"]["little"];
  CHECK(little["latency_ns"]["measured"] == false);
  CHECK(little["gb_per_s"]["measured"] == true);
  CHECK(little["loads_needed"].get<double>() > 2);
}

} // namespace explain_lines_test
