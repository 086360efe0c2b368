// SPDX-License-Identifier: Apache-2.0
// The C++ interface on recordings, as an embedding program has it: nothing of ours is included but gridsmith.hpp.
#include "gridsmith/tests/catch.hpp"

#include <gridsmith.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace face_test {

namespace fs = std::filesystem;
using gridsmith::Json;

namespace {

const std::string transpose = GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/";

/// Of the transpose's recording.
nlohmann::json settings(const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json json = {{"kernel", transpose + "transpose.json"},
                         {"recording", transpose + "recordings/8192x8192__h200.json.gz"},
                         {"evaluations", 30}};
  json.update(more);
  return json;
}

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename Work>
std::string refused(const Work& work) {
  try {
    work();
  } catch (const gridsmith::InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Goes through the space in order.
class InOrder : public gridsmith::Strategy {
public:
  void begin(const gridsmith::Space& space) override {
    space_ = space;
    if (throws == "begin")
      throw std::runtime_error("from begin");
  }

  std::vector<std::uint64_t> ask(std::size_t most) override {
    if (throws == "ask")
      throw std::runtime_error("from ask");
    if (throws == "too many")
      return std::vector<std::uint64_t>(most + 1);
    std::vector<std::uint64_t> ids;
    for (; ids.size() < most && next_ < end; ++next_)
      ids.push_back(next_);
    return ids;
  }

  void tell(std::span<const gridsmith::Observation> answers) override {
    for (const gridsmith::Observation& one : answers) {
      heard.insert(one.id);
      const Json configuration = space_.at(one.id);
      found_again = found_again && space_.find(configuration) == one.id;
    }
    neighbours = space_.neighbours(0);
  }

  std::set<std::uint64_t> heard;
  std::vector<std::uint64_t> neighbours;
  std::uint64_t end = 24;
  bool found_again = true;
  std::string throws;

private:
  gridsmith::Space space_;
  std::uint64_t next_ = 0;
};

} // namespace

TEST_CASE("a value of a document is read as what it is, or not at all") {
  const Json json =
      R"({"n": 3, "x": 2.5, "s": "a\"b", "yes": true, "nothing": null, "list": [1, {"a/b": 7}],
                        "huge": 18446744073709551615, "negative": -1})";
  CHECK(json.get<int>("n") == 3);
  CHECK(json.get<double>("n") == 3);
  CHECK(json.get<double>("x") == 2.5);
  CHECK(json.get<std::string>("s") == "a\"b");
  CHECK(json.get<bool>("yes"));
  CHECK_FALSE(json.find<int>("nothing"));
  CHECK_FALSE(json.find<int>("absent"));
  CHECK_FALSE(json.find<int>("/list/2"));
  CHECK(json.size("list") == 2);
  CHECK(json.size() == 8);
  CHECK(json.size("n") == 0);
  CHECK(json.get<Json>("/list/1").get<int>("a/b") == 7);
  CHECK(json.get<int>("/list/1/a~1b") == 7);
  CHECK(json.get<double>("huge") == Approx(18446744073709551615.0));
  CHECK(refused([&] { json.get<int>("x"); }) ==
        "x: is 2.5, which has another type, or does not fit into the one asked for");
  CHECK(refused([&] { json.get<std::int64_t>("huge"); }).find("another type") != std::string::npos);
  CHECK(refused([&] { json.get<unsigned>("negative"); }).find("another type") != std::string::npos);
  CHECK(refused([&] {
          json.get<std::int8_t>(Json(R"({"n": 300})").get<int>("n") == 300 ? "s" : "n");
        }).find("another type") != std::string::npos);
  CHECK(refused([&] { json.get<bool>("n"); }).find("another type") != std::string::npos);
  CHECK(refused([&] { json.get<int>("absent"); }) == "absent: is not there");
  CHECK(refused([] { Json("{").get<int>("a"); }) != "nothing was thrown");
  CHECK(refused([&] { json.get<int>("/a~b"); }) != "nothing was thrown");
}

TEST_CASE("a session gives outcomes with values, texts and files") {
  gridsmith::Session session(settings());
  std::vector<std::string> notes;
  std::size_t measured = 0;
  const gridsmith::Listener listener{
      .note = [&](const std::string& line) { notes.push_back(line); },
      .progress =
          [&](const Json& now) {
            measured += now.size("new");
            return true;
          }};
  const gridsmith::Outcomes outcomes = session.run(listener);
  REQUIRE(outcomes.size() == 1);
  const gridsmith::Outcome& outcome = outcomes.at(0);
  const auto best = outcome.best();
  REQUIRE(best);
  CHECK(notes.size() == 1); // that it replays
  CHECK(measured == 30);
  CHECK(best->get<int>("TILE") >= 16);
  CHECK_FALSE(best->get<std::string>("VARIANT").empty());
  CHECK(best->low_ms <= best->time_ms);
  CHECK(best->time_ms <= best->high_ms);
  const std::vector<gridsmith::Ranked> ranking = outcome.ranking();
  CHECK(ranking.size() > 1);
  CHECK(ranking[0].configuration.text() == best->configuration.text());
  CHECK(outcome.answer().get<std::string>("/device/name") == "NVIDIA H200");
  CHECK(nlohmann::json::parse(outcome.answer().text())["kernel"] == "transpose");
  CHECK(outcome.text().find("NVIDIA H200") != std::string::npos);
  CHECK(outcome.exported("csv").find("TILE") != std::string::npos);
  CHECK(outcomes.exported("header") == outcome.exported("header"));
  const fs::path written =
      fs::temp_directory_path() / ("face_written." + std::to_string(std::rand()));
  fs::create_directories(written);
  for (int again = 0; again < 2; ++again) {
    outcome.write("header", (written / "tuned.hpp").string());
    outcomes.write("csv", (written / "all.csv").string());
  }
  CHECK(text_of_file((written / "tuned.hpp").string()) == outcome.exported("header"));
  CHECK(refused([&] {
          outcome.write("csv", (written / "tuned.hpp").string());
        }).find("tuned.hpp is a header, which is not replaced") != std::string::npos);
  std::ofstream(written / "k.cu") << "__global__ void k() {}";
  CHECK(refused([&] {
          outcomes.write("header", (written / "k.cu").string());
        }).find("is a source, which is not replaced; choose another name") != std::string::npos);
  fs::remove_all(written);
  const auto report = [&] {
    try {
      return outcomes.exported("report");
    } catch (const gridsmith::Error& error) { // of a build without the page
      return std::string(error.what());
    }
  }();
  CHECK((report.find("<html") != std::string::npos ||
         report.find("no report page") != std::string::npos));
  CHECK(refused([&] { outcome.exported("heade"); }).find("did you mean 'header'") !=
        std::string::npos);
}

TEST_CASE("bad settings are one line that names the valid ones") {
  CHECK(refused([] { gridsmith::Session(R"({"kernel": "transpos"})"); }).find("transpose") !=
        std::string::npos);
  CHECK(refused([] {
          gridsmith::Session(R"({"kernle": "transpose"})");
        }).find("did you mean 'kernel'") != std::string::npos);
  CHECK(refused([] {
          gridsmith::Check(R"({"baseline": "/no/such/file"})");
        }).find("/no/such/file") != std::string::npos);
  CHECK(refused([] {
          gridsmith::command("retune", R"({"shipped": "/no/such/file"})");
        }).find("/no/such/file") != std::string::npos);
  CHECK_THROWS_AS(gridsmith::devices(), gridsmith::NoDevice); // hidden from this test
}

TEST_CASE("a command says the settings that it has") {
  for (const char* name : {"tune_all", "retune", "judge"}) {
    CHECK(gridsmith::described_settings().size(name) > 10);
    CHECK(refused([&] {
            gridsmith::command(name, R"({"stor": "s.db"})");
          }).find("did you mean 'store'") != std::string::npos);
  }
  CHECK(refused([] { gridsmith::command("tune", "{}"); }).find("retune") != std::string::npos);
  CHECK(refused([] {
          gridsmith::command("judge", R"({"candidate": "/no/such.cu", "definition": "transpose"})");
        }).find("/no/such.cu") != std::string::npos);
}

TEST_CASE("a listener ends a run by a rule of its own, and so does a stop token") {
  int steps = 0;
  const gridsmith::Listener five{.progress = [&](const Json&) { return ++steps < 5; }};
  gridsmith::Session session(settings({{"strategy", "random"}, {"evaluations", 200}}));
  const gridsmith::Outcomes some = session.run(five);
  REQUIRE(some.size() == 1);
  CHECK(some.at(0).answer().get<bool>("interrupted"));
  CHECK_THROWS_AS(some.at(some.size()), gridsmith::InputError);
  std::stop_source stop;
  stop.request_stop();
  try {
    const gridsmith::Outcomes none = session.run({}, stop.get_token());
    CHECK((none.empty() || none.at(0).answer().get<bool>("interrupted")));
  } catch (const gridsmith::Stopped&) {
    SUCCEED(); // before anything was measured
  }
}

TEST_CASE("a strategy of the program's own searches, and looks around") {
  gridsmith::Session session(settings({{"evaluations", 1000}}));
  InOrder in_order;
  session.search_by("in order", in_order);
  const gridsmith::Outcomes outcomes = session.run();
  CHECK(in_order.heard.size() == 24);
  CHECK(in_order.found_again);
  CHECK_FALSE(in_order.neighbours.empty());
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes.at(0).answer().get<std::string>("strategy") == "in order");
}

TEST_CASE("what a callback throws ends the run and is thrown by it") {
  gridsmith::Session session(settings({{"evaluations", 1000}}));
  for (const char* where : {"begin", "ask"}) {
    InOrder thrower;
    thrower.throws = where;
    session.search_by("thrower", thrower);
    CHECK_THROWS_WITH(session.run(), std::string("from ") + where);
  }
  InOrder too_many;
  too_many.throws = "too many";
  session.search_by("too many", too_many);
  CHECK(refused([&] { session.run(); }).find("at most") != std::string::npos);
  gridsmith::Session other(settings());
  CHECK_THROWS_WITH(
      other.run({.note = [](const std::string&) { throw std::runtime_error("a note"); }}),
      "a note");
  CHECK_THROWS_WITH(
      other.run({.progress = [](const Json&) -> bool { throw std::runtime_error("progress"); }}),
      "progress");
  CHECK(other.run().size() == 1); // goes on working
}

TEST_CASE("a definition made in code is tuned as its file is, and so are metrics of the settings") {
  const auto definition = nlohmann::json::parse(text_of_file(transpose + "transpose.json"), nullptr,
                                                true, true); // it has comments
  const auto tuned = [](const nlohmann::json& more) {
    return gridsmith::Session(settings(more)).run().at(0);
  };
  const gridsmith::Outcome of_code = tuned({{"definition", definition}});
  const gridsmith::Outcome of_file = tuned(nlohmann::json::object());
  REQUIRE(of_code.best());
  CHECK(of_code.best()->configuration.text() == of_file.best()->configuration.text());
  CHECK(refused([&] { tuned({{"definition", {{"ConfigurationSpace", 3}}}}); }) !=
        "nothing was thrown");
  CHECK(refused([&] { tuned({{"definition", 3}}); }).find("definition: is an object") !=
        std::string::npos);
  const gridsmith::Outcome by_metric = tuned(
      {{"metrics", {{{"Name", "rate"}, {"Formula", "dram_bytes / time_ms"}, {"Better", "higher"}}}},
       {"objective", "rate"}});
  CHECK(by_metric.answer().get<double>("/best/metrics/rate") > 0);
}

TEST_CASE("what is shipped is checked again, from recordings too") {
  const fs::path folder = fs::temp_directory_path() / ("face_test." + std::to_string(std::rand()));
  fs::create_directories(folder);
  const std::string header = (folder / "tuned.hpp").string();
  std::ofstream(header) << gridsmith::Session(settings()).run().exported("header");
  const Json again = gridsmith::command("retune", nlohmann::json{{"shipped", header},
                                                                 {"replay", true},
                                                                 {"store", nullptr},
                                                                 {"evaluations", 30}});
  CHECK(again.get<bool>("replayed"));
  CHECK(again.size("problems") == 1);
  CHECK(nlohmann::json::parse(again.text()).contains("header"));
  const Json all = gridsmith::command(
      "tune_all",
      nlohmann::json{{"kernels", {transpose}}, {"evaluations", 30}, {"sizes", {{8192, 8192}}}});
  CHECK(all.size("kernels") == 1);
  CHECK(all.get<std::string>("header").find("transpose") != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("each example of the library's page compiles with the warnings of a strict program") {
  const std::string page = text_of_file(GRIDSMITH_SOURCE_DIR "/docs/library.md");
  const fs::path folder = fs::temp_directory_path() / ("face_page." + std::to_string(std::rand()));
  fs::create_directories(folder);
  std::string command = "cd '" + folder.string() + "'";
  int examples = 0;
  for (std::size_t at = 0; (at = page.find("```cpp\n", at)) != std::string::npos;) {
    at += 7;
    const std::string code = page.substr(at, page.find("```", at) - at);
    const std::string name = "example_" + std::to_string(++examples) + ".cpp";
    std::ofstream(folder / name)
        << (code.find("int main") != std::string::npos
                ? code
                : "#include <gridsmith.hpp>\n#include <fstream>\n#include <iostream>\nvoid example();\nvoid example() {\n" +
                      code + "}\n");
    command += " && c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -Wno-unused-variable "
               "-Wno-unused-but-set-variable -fsyntax-only -I '" GRIDSMITH_BINARY_DIR "/public' " +
               name;
  }
  INFO(folder);
  CHECK(examples >= 6);
  CHECK(std::system(command.c_str()) == 0);
  fs::remove_all(folder);
}

} // namespace face_test
