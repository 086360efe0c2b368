// SPDX-License-Identifier: Apache-2.0
// Every command line of the README and of the pages in docs/ is typed as it stands, in a fresh folder with the
// built program in PATH. A line whose comment says "# needs …" is left out, and shown: it needs a network, an
// installed build or a GPU. What needs a GPU is typed in a second go, with the programs that stand in for one.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <algorithm>
#include <iostream>
#include <regex>
#include <sstream>

namespace readme_test {

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

/// The ```text blocks of a page, which are outputs of its lines.
std::vector<std::string> shown_in(const char* page) {
  const std::string text = test::read_file(fs::path(GRIDSMITH_SOURCE_DIR) / page),
                    begin = "```text\n";
  std::vector<std::string> shown;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
    at += begin.size();
    shown.push_back(text.substr(at, text.find("```", at) - at));
  }
  return shown;
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

std::string path_of_the_program() {
  return "PATH='" + fs::path(GRIDSMITH_PROGRAM).parent_path().string() + "':$PATH\n";
}

/// A page with lines to type.
struct Page {
  const char* name;
  const char* part;               ///< of what is typed
  std::vector<const char*> files; ///< which that leaves
};

const std::vector<Page>& pages_for_any_machine() {
  static const std::vector<Page> pages{
      {"docs/start.md", "gridsmith show", {"gridsmith.1", "gridsmith.db"}},
      {"docs/commands.md",
       "gridsmith explain transpose",
       {"tuned.hpp", "answer.json", "results.json", "all.csv", "transpose.json", "trace.json",
        "transpose.wisdom", "all.db", "my_kernel.json"}},
      {"docs/tutorial.md", "gridsmith space scale.json", {"scale/scale.json"}},
      {"docs/answer.md", "gridsmith tune transpose", {"gridsmith.db"}},
      {"docs/own_kernel.md", "gridsmith check-definition", {"my_kernel.cu"}},
      {"docs/sizes.md", "--across worst", {"sizes.json", "matmul.hpp", "gridsmith.db"}},
      {"docs/shipping.md",
       "gridsmith retune",
       {"all.json", "pull_request.md", "tuned/nvidia_h200.hpp", "tuned/nvidia_h200.md"}},
      {"docs/search.md", "--in-flight", {"transpose.json"}},
      {"docs/gpus.md", "--devices all", {}},
      {"docs/cluster.md", "--slurm", {"tune.sh"}},
      {"docs/explain.md", "--against VARIANT=tiled", {"gridsmith.db"}},
      {"docs/exports.md",
       "export macros",
       {"wisdom/transpose.wisdom", "transpose.options", "tuned.cmake"}},
      {"docs/counters.md", "counters full", {"full.json"}},
      {"docs/trace.md", "--trace", {"trace.json"}}};
  return pages;
}

/// What is typed with the toolkit, the report's page or Cairo, and what needs a GPU, a repository or a candidate alone.
const std::vector<std::string> other_pages{
    "README.md",     "docs/static_check.md", "docs/report.md", "docs/plots.md",
    "docs/check.md", "docs/judge.md",        "docs/peaks.md"};

} // namespace

TEST_CASE("every page with lines to type is typed") {
  std::vector<std::string> typed_pages = other_pages;
  for (const Page& page : pages_for_any_machine())
    typed_pages.push_back(page.name);
  for (const auto& entry : fs::directory_iterator(GRIDSMITH_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") {
      const std::string name = "docs/" + entry.path().filename().string();
      INFO(name);
      CHECK((scripts_of(name.c_str()).empty() ||
             std::find(typed_pages.begin(), typed_pages.end(), name) != typed_pages.end()));
    }
}

TEST_CASE("the README's lines work without a GPU") {
  const Fresh fresh;
  fs::create_directory_symlink(GRIDSMITH_BINARY_DIR, fresh.folder() / "build");
  const std::string script = path_of_the_program() + typed(scripts_of("README.md"), "");
  CHECK_THAT(script, contains_text("gridsmith tune transpose"));
  INFO(script);
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  for (const char* page : {"README.md", "docs/answer.md"})
    for (const std::string& shown : shown_in(page))
      CHECK_THAT(timeless(fresh.out()), contains_text(timeless(shown)));
  for (const char* file : {"tuned.hpp", "my_kernel.json"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("the pages' lines work without a GPU") {
  for (const Page& page : pages_for_any_machine()) {
    const Fresh fresh;
    fs::create_directory_symlink(GRIDSMITH_BINARY_DIR,
                                 fresh.folder() / "build"); // start.md names it
    const std::string script = path_of_the_program() + typed(scripts_of(page.name), "");
    INFO(page.name);
    CHECK_THAT(script, contains_text(page.part));
    const int code = fresh.type(script);
    INFO(fresh.err());
    CHECK(code == 0);
    for (const std::string& shown : shown_in(page.name))
      CHECK_THAT(timeless(fresh.out()), contains_text(timeless(shown)));
    for (const char* file : page.files) {
      INFO(file);
      CHECK(fs::exists(fresh.folder() / file));
    }
  }
}

TEST_CASE("the lines on pictures work", "[.][needs:cairo]") {
  const Fresh fresh;
  const std::string script = path_of_the_program() + typed(scripts_of("docs/plots.md"), "");
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  for (const char* file : {"convergence.svg", "roofline.svg", "tiling.png", "importance.svg"})
    CHECK(fs::file_size(fresh.folder() / file) > 1000);
}

TEST_CASE("the lines on compiled code and profilers work without a GPU") {
  const Fresh fresh;
  const bool compiles = fs::exists(GRIDSMITH_PROGRAMS_DIR "/gridsmith-compiler");
  const std::string script = path_of_the_program() + typed(scripts_of("docs/static_check.md"),
                                                           compiles ? "the CUDA toolkit" : "");
  CHECK_THAT(script, contains_text("--print-command ncu"));
  const int code = fresh.type(script);
  INFO(fresh.err());
  CHECK(code == 0);
  CHECK(fs::exists(fresh.folder() / "static.json") == compiles);
}

TEST_CASE("the lines on reports work without a GPU, where there is a page") {
  const Fresh fresh;
  const int code =
      fresh.type(path_of_the_program() + typed(scripts_of("docs/report.md"), "the report page"));
  INFO(fresh.err());
  if (fresh.err().find("this build has no report page") != std::string::npos) {
    WARN("this build has no report page");
    return;
  }
  CHECK(code == 0);
  for (const char* file : {"transpose.html", "report.html", "for_others.html"})
    CHECK(fs::exists(fresh.folder() / file));
}

TEST_CASE("these pages' lines work with a GPU") {
  for (const char* page :
       {"README.md", "docs/commands.md", "docs/tutorial.md", "docs/own_kernel.md", "docs/sizes.md",
        "docs/check.md", "docs/static_check.md", "docs/peaks.md"}) {
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

} // namespace readme_test
