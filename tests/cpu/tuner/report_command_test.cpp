// SPDX-License-Identifier: Apache-2.0
// Reports as people make them: of recordings and stores, by tune, and while it runs.
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/browser.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/watch/page_server.hpp"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <thread>

namespace report_command_test {

using namespace gridsmith;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

const std::string recording =
    GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/recordings/8192x8192__h200.json.gz";

const std::vector<std::string> quick = {"--no-cache", "--no-store", "--compilers", "1"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The address on stderr, as soon as it is there.
std::string address_in(const test::Program& gridsmith) {
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms)) {
    const std::string text = gridsmith.err();
    const auto begin = text.find("http://"), end = text.find('\n', begin);
    if (begin != text.npos && end != text.npos)
      return text.substr(begin, end - begin);
  }
  return "";
}

} // namespace

TEST_CASE("a report of a recording has its answer as text, and the same as JSON") {
  const test::Program gridsmith(GRIDSMITH_PROGRAM); // with its catalogue
  REQUIRE(gridsmith.run({"report", recording, "--json"}) == 0);
  const json model = json::parse(gridsmith.out());
  const json& answer = model.at("sets").at(0).at("answer");
  CHECK_THAT(answer.at("sentences").at(0).get<std::string>(),
             contains_text("Best on NVIDIA H200: VARIANT="));
  CHECK(answer.at("command") == "gridsmith tune transpose --size 8192x8192");
  CHECK(gridsmith.run({"report", recording}) == 2);
  CHECK_THAT(gridsmith.err(), contains_text("-o FILE"));
  CHECK(gridsmith.run({"report", "nowhere.db", "--json"}) == 2);
  if (!has_report_page()) {
    CHECK(gridsmith.run({"report", recording, "-o", "r.html"}) == 1);
    CHECK_THAT(gridsmith.err(), contains_text("no report page"));
    return;
  }
  const std::string file = gridsmith.folder() / "r.html";
  REQUIRE(gridsmith.run({"report", recording, "-o", file}) == 0);
  const std::string page = test::read_file(file);
  CHECK_THAT(page, contains_text("<p>Best on NVIDIA H200: VARIANT="));
  CHECK(page.size() < 2'500'000);
}

TEST_CASE("of every recording that ships reports find the default, shapes left to Gridsmith too") {
  const test::Program gridsmith(GRIDSMITH_PROGRAM); // with its catalogue
  std::vector<std::string> words{"report", "--json"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue"))
    if (entry.path().string().ends_with(".json.gz"))
      words.push_back(entry.path().string());
  REQUIRE(gridsmith.run(words) == 0);
  const json model = json::parse(gridsmith.out());
  CHECK(model.at("sets").size() > 50);
  for (const json& set : model.at("sets")) {
    INFO(set.at("id"));
    CHECK(set.at("answer").at("default_row").is_number());
  }
  const std::string reduction =
      GRIDSMITH_SOURCE_DIR "/kernels/catalogue/reduction/recordings/67108864__h200.json.gz";
  REQUIRE(gridsmith.run({"tune", "reduction", "--recording", reduction, "--json", "--no-store"}) ==
          0);
  const json tuned = json::parse(gridsmith.out()).at("default");
  REQUIRE(gridsmith.run({"show", reduction, "--kernel", "reduction", "--json"}) == 0);
  CHECK(json::parse(gridsmith.out()).at("default") == tuned);
  REQUIRE(gridsmith.run({"show", reduction, "--kernel", "reduction"}) == 0);
  CHECK_THAT(gridsmith.out(), contains_text("than the default ("));
}

TEST_CASE("of a recording of a kernel that is not known here, what repeats it replays the file") {
  const test::Program gridsmith(GRIDSMITH_PROGRAM); // with its catalogue
  const std::string file = gridsmith.folder() / "foreign file.json";
  REQUIRE(gridsmith.run({"export", "recording", recording, "-o", file}) == 0);
  std::string text = test::read_file(file);
  text.replace(text.find("\"transpose\""), 11, "\"bigstencil\"");
  test::write(file, text);
  REQUIRE(gridsmith.run({"report", file, "--json"}) == 0);
  const json answer = json::parse(gridsmith.out()).at("sets").at(0).at("answer");
  CHECK(answer.at("command") == "gridsmith tune --recording '" + file + "'");
  CHECK(gridsmith.run({"tune", "--recording", file, "--no-store"}) == 0);
}

TEST_CASE("what a report's JSON holds is what its schema says", "[.][needs:python3-jsonschema]") {
  const test::Program gridsmith(GRIDSMITH_PROGRAM); // with its catalogue
  test::write(gridsmith.folder() / "validate.py",
              "import json, sys, jsonschema\n"
              "jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))\n");
  const test::Program python("/usr/bin/env");
  const auto valid = [&] {
    return python.run({"python3", gridsmith.folder() / "validate.py",
                       GRIDSMITH_SOURCE_DIR "/docs/schema/report.schema.json",
                       gridsmith.folder() / "out.stdout"});
  };
  const std::string other = GRIDSMITH_SOURCE_DIR "/tests/data/scaled_copy.t4.json";
  REQUIRE(gridsmith.run({"report", recording, other, "--json"}) == 0);
  CHECK(valid() == 0);
  REQUIRE(gridsmith.run({"report", recording, "--json", "--no-source"}) == 0);
  CHECK(valid() == 0);
  // Of many sizes, and of two objectives.
  const std::string store = gridsmith.folder() / "sizes.db";
  REQUIRE(gridsmith.run({"tune", "transpose", "--sizes", "all", "--store", store}) == 0);
  REQUIRE(gridsmith.run(
              {"tune", "transpose", "--objectives", "time,dram_traffic", "--store", store}) == 0);
  REQUIRE(gridsmith.run({"report", store, "--json"}) == 0);
  CHECK(valid() == 0);
}

TEST_CASE("tune writes a report of what it measured") {
  const test::Program gridsmith;
  const std::string kernel = test::write_kernel(gridsmith.folder(), "one", 6);
  const std::string file = gridsmith.folder() / "tuned.html";
  const int code = gridsmith.run(with({"tune", kernel, "--report", file}, quick));
  if (!has_report_page()) {
    CHECK(code == 2);
    return;
  }
  REQUIRE(code == 0);
  CHECK_THAT(test::read_file(file), contains_text("<h2>one 32 on "));
}

TEST_CASE("a tuning is watched while it runs and after, until it is told to end") {
  const test::Program gridsmith;
  const std::string kernel = test::write_kernel(gridsmith.folder(), "one", 6);
  if (!has_page_server() || !has_report_page()) {
    CHECK(gridsmith.run(with({"tune", kernel, "--watch"}, quick)) == 2);
    return;
  }
  CHECK(gridsmith.run(with({"tune", kernel, "--watch=99999"}, quick)) == 2);
  const pid_t running = gridsmith.start(with({"tune", kernel, "--watch", "--watch-stay"}, quick));
  const test::Address at(address_in(gridsmith));
  test::Browser browser(at.port);
  browser.ask(at.host(), at.path + "events");
  browser.read_until("event: model");
  std::string page; // before the space is there, it asks to come again
  for (int i = 0; i < 100 && !page.starts_with("HTTP/1.1 200");
       ++i, std::this_thread::sleep_for(20ms))
    page = test::asked(at, at.host(), at.path);
  CHECK_THAT(page, contains_text("data-live=\"events\""));
  CHECK_THAT(page, contains_text("connect-src 'self'"));
  for (int i = 0; i < 500 && gridsmith.err().find("until Ctrl-C") == std::string::npos; ++i)
    std::this_thread::sleep_for(20ms);
  CHECK_THAT(test::asked(at, at.host(), at.path), contains_text("Best on"));
  ::kill(running, SIGINT);
  CHECK(test::Program::wait(running) == 0);
  CHECK_THAT(browser.read_until(), contains_text("event: end"));
}

} // namespace report_command_test
