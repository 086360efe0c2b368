// Every command line of the README, the tutorial and the pages that have some is typed as it stands, in a fresh folder with the
// built program where the README expects it. A line whose comment says "# needs …" is left out, and
// shown: it needs a network, an installed build or a GPU. What needs a GPU is typed in a second go,
// with the programs that stand in for one. And where pages link to.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <algorithm>
#include <iostream>
#include <regex>
#include <sstream>

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// The ```sh blocks of a page, each a script.
std::vector<std::string> scripts_of(const char* page) {
  std::istringstream lines(test::read_file(fs::path(GRIDSMITH_SOURCE_DIR) / page));
  std::vector<std::string> scripts;
  bool within = false;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("```")) {
      within = !within && line == "```sh";
      if (within)
        scripts.emplace_back();
    } else if (within)
      scripts.back() += line + '\n';
  return scripts;
}

/// Without how long it took.
std::string timeless(const std::string& text) {
  static const std::regex took(R"( in \d+(\.\d+)? m?s:)");
  return std::regex_replace(text, took, ":");
}

/// The first ```text block of a page.
std::string shown_in(const char* page) {
  const std::string text = test::read_file(fs::path(GRIDSMITH_SOURCE_DIR) / page),
                    begin = "```text\n";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find("```", at) - at);
}

/// What can be typed here, as one script that ends at the first line that fails.
std::string typed(const std::vector<std::string>& scripts, const std::string& available) {
  std::string all = "set -eu\n";
  for (const std::string& script : scripts) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t needs = line.find("# needs ");
      if (needs == std::string::npos ||
          (!available.empty() && line.find("# needs " + available, needs) == needs))
        all += line + '\n';
      else
        std::cout << "not typed: " << line << '\n';
    }
  }
  return all;
}

/// An empty folder; what would be kept at home goes into it too.
class Fresh {
public:
  int type(const std::string& script) const {
    test::write(shell_.folder() / "script", script);
    return shell_.run(
        {"-c", "cd '" + shell_.folder().string() +
                   "'; export HOME=$PWD; unset XDG_CACHE_HOME; exec bash -x ./script"});
  }

  const fs::path& folder() const { return shell_.folder(); }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

private:
  test::Program shell_{"/bin/bash"};
};

} // namespace

TEST_CASE("pages link to nothing but the pages and pictures that are installed with them") {
  const fs::path root = fs::canonical(GRIDSMITH_SOURCE_DIR);
  std::vector<fs::path> pages{root / "README.md", root / "SECURITY.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      pages.push_back(entry.path());
  CHECK(pages.size() >= 8);
  std::vector<fs::path> targets = pages;
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".png")
      targets.push_back(entry.path());
  for (const fs::path& page : pages) {
    const std::string text = test::read_file(page);
    for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos; at += 2) {
      const std::string target = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
      INFO(page << " -> " << target);
      const fs::path found = (page.parent_path() / target).lexically_normal();
      CHECK((target.starts_with("http") || target.empty() ||
             std::find(targets.begin(), targets.end(), found) != targets.end()));
    }
  }
}

TEST_CASE("the README's lines work without a GPU") {
  const Fresh fresh;
  fs::create_directory_symlink(GRIDSMITH_BINARY_DIR, fresh.folder() / "build");
  const std::string script = typed(scripts_of("README.md"), "");
  CHECK_THAT(script, contains_text("gridsmith tune transpose"));
  INFO(script);
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  CHECK_THAT(timeless(fresh.out()), contains_text(timeless(shown_in("README.md"))));
  for (const char* file : {"tuned.hpp", "answer.json", "results.json", "all.csv", "convergence.svg",
                           "transpose.json", "trace.json", "gridsmith.1"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("the tutorial's lines work without a GPU") {
  const Fresh fresh;
  const std::string script = "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() +
                             "':$PATH\n" + typed(scripts_of("docs/tutorial.md"), "");
  CHECK_THAT(script, contains_text("gridsmith space scale.json"));
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
}

TEST_CASE("the lines on many sizes work without a GPU") {
  const Fresh fresh;
  const std::string script = "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() +
                             "':$PATH\n" + typed(scripts_of("docs/sizes.md"), "");
  CHECK_THAT(script, contains_text("--across worst"));
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  for (const char* file : {"sizes.json", "matmul.hpp", "gridsmith.db"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("the lines on pictures work", "[.][needs:cairo]") {
  const Fresh fresh;
  const std::string script = "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() +
                             "':$PATH\n" + typed(scripts_of("docs/plots.md"), "");
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  for (const char* file : {"convergence.svg", "roofline.svg", "tiling.png", "importance.svg"})
    CHECK(fs::file_size(fresh.folder() / file) > 1000);
}

TEST_CASE("the lines on compiled code and profilers work without a GPU") {
  const Fresh fresh;
  const bool compiles = fs::exists(GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler");
  const std::string script =
      "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() + "':$PATH\n" +
      typed(scripts_of("docs/static_check.md"), compiles ? "the CUDA toolkit" : "");
  CHECK_THAT(script, contains_text("--print-command ncu"));
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  CHECK(fs::exists(fresh.folder() / "static.json") == compiles);
}

TEST_CASE("the lines on reports work without a GPU, where there is a page") {
  const Fresh fresh;
  const std::string path =
      "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() + "':$PATH\n";
  const int code = fresh.type(path + typed(scripts_of("docs/report.md"), "the report page"));
  INFO(fresh.err());
  if (fresh.err().find("this build has no report page") != std::string::npos) {
    WARN("this build has no report page");
    return;
  }
  CHECK(code == 0);
  for (const char* file : {"transpose.html", "report.html", "for_others.html"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("the lines on search, several GPUs and many nodes work") {
  for (const auto& [page, part] : {std::pair("docs/search.md", "--in-flight"),
                                   {"docs/gpus.md", "--devices all"},
                                   {"docs/cluster.md", "--slurm"}}) {
    const Fresh fresh;
    const std::string script = "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() +
                               "':$PATH\n" + typed(scripts_of(page), "");
    CHECK_THAT(script, contains_text(part));
    const int code = fresh.type(script);
    INFO(fresh.err());
    CHECK(code == 0);
  }
}

TEST_CASE("the lines on a new GPU and a new driver work without a GPU") {
  const Fresh fresh;
  const std::string script = "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() +
                             "':$PATH\n" + typed(scripts_of("docs/shipping.md"), "");
  CHECK_THAT(script, contains_text("gridsmith retune"));
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  for (const char* file :
       {"all.json", "pull_request.md", "tuned/nvidia_h200.hpp", "tuned/nvidia_h200.md"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("these pages' lines work with a GPU") {
  for (const char* page : {"README.md", "docs/tutorial.md", "docs/sizes.md", "docs/check.md",
                           "docs/static_check.md"}) {
    const Fresh fresh;
    test::install_with_fakes(fresh.folder() / "build");
    fs::create_directories(fresh.folder() / "build" / "share" / "gridsmith");
    fs::create_directory_symlink(GRIDSMITH_SOURCE_DIR "/kernels/catalogue",
                                 fresh.folder() / "build" / "share" / "gridsmith" / "catalogue");
    const std::string script = "PATH=$PWD/build/bin:$PATH\n" + typed(scripts_of(page), "a GPU");
    CHECK_THAT(script, contains_text("# needs a GPU"));
    const int code = fresh.type(script);
    INFO(page << fresh.err());
    CHECK(code == 0);
  }
}
