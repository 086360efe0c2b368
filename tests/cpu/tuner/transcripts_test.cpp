// SPDX-License-Identifier: Apache-2.0
// What the whole program says and keeps, word for word, with fakes whose times are scripted: stdout,
// stderr, exit code, files and the store, as tests/golden/transcripts holds them. What changes from run to
// run stands as a mark (normalised). Run with GRIDSMITH_WRITE_GOLDEN=1 to accept a change. Then: a campaign says of each
// size what a tuning says.
#include "gridsmith/base/version.hpp"
#include "gridsmith/results/database/database.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <thread>

namespace transcripts_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Each match of a pattern as a word and the number of what was matched, in the order of its first use:
/// what was the same stays the same.
std::string numbered(const std::string& text, const std::regex& pattern, const std::string& word) {
  std::vector<std::string> known;
  std::string marked;
  std::size_t end = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern); at != std::sregex_iterator();
       ++at) {
    const auto found = std::find(known.begin(), known.end(), at->str());
    const auto number = std::to_string(1 + (found - known.begin()));
    if (found == known.end())
      known.push_back(at->str());
    marked += text.substr(end, static_cast<std::size_t>(at->position()) - end) + word + number;
    end = static_cast<std::size_t>(at->position() + at->length());
  }
  return marked + text.substr(end);
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

/// Paragraphs with durations in one line: where they break depends on these.
std::string joined(const std::string& text) {
  std::string all;
  bool long_one = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    long_one = line.starts_with("Tried ") || line.starts_with("time: ") ||
               (long_one && line.starts_with("  "));
    if (!all.empty() && long_one && line.starts_with("  "))
      all.back() = ' ';
    all += (long_one && line.starts_with("  ") ? line.substr(2) : line) + "\n";
  }
  return all;
}

/// Without what differs from run to run and from machine to machine: folders, boards, versions, dates,
/// sizes of files, hashes of sources, and every duration that no fake has scripted.
std::string normalised(std::string text, const fs::path& folder) {
  text = replaced(joined(text), folder.string(), "FOLDER");
  text = replaced(std::move(text), std::string(version()), "VERSION");
  const std::string number = R"(-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)";
  const std::vector<std::pair<std::string, std::string>> marks = {
      {R"(FAKE-[0-9]+)", "BOARD"},
      {R"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z)", "DATE"},
      {R"([0-9]{4}-[0-9]{2}-[0-9]{2})", "DAY"},
      {R"x(("(seconds|start|compile|gpu_busy|verify|time|count|worker_waited|search|compile_ms|at_s)": ?))x" +
           number,
       "$1\"TIME\""},
      {R"(( configurations?( at [0-9]+ sizes?( and [0-9]+ drawn ones)?)? in) [0-9.]+ [mu]?s)",
       "$1 TIME"},
      {R"(time: start .* search [0-9.]+ [mu]?s)", "time: TIMES"},
      {R"((GRIDSMITH_TUNED_[a-z]+_|on_|Until)[0-9a-f]{8})", "$1PART"}, // a hash of dates too
      {R"(\([0-9.]+ (k|M)?B\))", "(SIZE)"},
      {R"(([0-9]\.[0-9]{9})[0-9]+)",
       "$1"}}; // other libraries of mathematics differ in the last digits
  for (const auto& [pattern, mark] : marks)
    text = std::regex_replace(text, std::regex(pattern), mark);
  return numbered(text, std::regex("[0-9a-f]{32}"), "HASH");
}

/// The first lines that are not the same; "" where all are.
std::string first_difference(const std::string& was, const std::string& is) {
  std::istringstream before(was), now(is);
  for (int number = 1;; ++number) {
    std::string old_line = "(end)", new_line = "(end)";
    const bool old_left = !!std::getline(before, old_line),
               new_left = !!std::getline(now, new_line);
    if (old_left != new_left || old_line != new_line)
      return "line " + std::to_string(number) + "\n" + old_line + "\nis now\n" + new_line;
    if (!old_left)
      return "";
  }
}

/// A row of a store: columns with JSON as JSON.
std::string row_text(const std::string& row, bool without_number) {
  json fields = json::parse(row);
  if (without_number)
    fields.erase("id");
  for (auto& [name, value] : fields.items())
    if (value.is_string() && json::accept(value.get<std::string>()))
      value = json::parse(value.get<std::string>());
  return fields.dump() + "\n";
}

/// @param ordered records as they were committed; else by configuration and mode, without their numbers
std::string store_text(const fs::path& file, bool ordered) {
  const Database database = Database::open(file, Database::Mode::read_only);
  std::string text;
  for (const std::string table : {"scopes", "runs", "records", "answers", "peaks", "checks"}) {
    std::string columns;
    Statement names = database.prepare("SELECT name FROM pragma_table_info('" + table + "')");
    while (names.step())
      columns += (columns.empty() ? "'" : ", '") + names.text(0) + "', " + names.text(0);
    const bool sorted = table == "records" && !ordered;
    Statement rows =
        database.prepare("SELECT json_object(" + columns + ") FROM " + table + " ORDER BY " +
                         (sorted ? "scope, configuration, mode, rowid" : "rowid"));
    while (rows.step())
      text += table + " " + row_text(rows.text(0), sorted);
  }
  return text;
}

/// Six values of X whose medians are these; X=3 is best at one block, X=4 at two.
const char* usual_script = R"({"launches": [
  {"with": "-DX=4", "blocks": 2, "ms": 0.4, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=0", "ms": 1.5, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=1", "ms": 1.25, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=2", "ms": 1.125, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=3", "ms": 0.5, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=4", "ms": 0.75, "samples": [1, 1.01, 0.99]},
  {"with": "-DX=5", "ms": 2, "samples": [1, 1.01, 0.99]}]})";

const std::string values = R"x("Values": "list(range(0, 6))")x";
const std::string language = "\"Language\": \"CUDA\",";

/// Commands in a folder with gridsmith and fakes, and all that came of them.
class Transcript {
public:
  Transcript() {
    test::install_with_fakes(folder());
    test::script(folder(), json::parse(usual_script));
    test::write_kernel(folder(), "k", 6);
  }

  const fs::path& folder() const { return shell_.folder(); }

  void change(const std::string& part, const std::string& by) const {
    test::write(folder() / "k.json", replaced(test::read_file(folder() / "k.json"), part, by));
  }

  void script(const json& patch) const { test::script(folder(), patch); }

  /// Before the usual rules.
  void launches(const json& first) const {
    json rules = first;
    const json usual = json::parse(usual_script);
    for (const json& rule : usual.at("launches"))
      rules.push_back(rule);
    script({{"launches", rules}});
  }

  /// $T tunes k.json so that two runs are alike.
  pid_t start(const std::string& words) const {
    return shell_.start(
        {"-c",
         "cd '" + folder().string() +
             "'; export XDG_CACHE_HOME=$PWD/cache; T='tune --repeatable --no-cache --compilers 1';"
             "exec bin/gridsmith " +
             words});
  }

  Transcript& run(const std::string& words) { return ended(words, start(words)); }

  /// Says what a process that was started came to.
  Transcript& ended(const std::string& words, pid_t pid) {
    const int code = test::Program::wait(pid);
    text_ += "$ gridsmith " + words + "\nexit code " + std::to_string(code) + "\n";
    add("stdout", shell_.out());
    return add("stderr", shell_.err());
  }

  Transcript& file(const std::string& name) { return add(name, test::read_file(folder() / name)); }

  /// @param ordered whether the order within a batch is the same in every run
  Transcript& store(const std::string& name = "a.db", bool ordered = true) {
    INFO(text_);
    REQUIRE(fs::exists(folder() / name));
    return add("store " + name, store_text(folder() / name, ordered));
  }

  /// @param more patterns of what else differs from run to run, each with its mark
  void check(const std::string& name,
             const std::vector<std::pair<std::string, std::string>>& more = {}) const {
    std::string text = normalised(text_, folder());
    for (const auto& [pattern, mark] : more)
      text = std::regex_replace(text, std::regex(pattern), mark);
    const fs::path golden =
        fs::path(GRIDSMITH_SOURCE_DIR) / "tests" / "golden" / "transcripts" / (name + ".txt");
    if (std::getenv("GRIDSMITH_WRITE_GOLDEN"))
      test::write(golden, text);
    CHECK(first_difference(test::read_file(golden), text) == "");
  }

  /// Of a command with --json and --store.
  json answer() const { return json::parse(normalised(shell_.out(), folder())); }

  /// How many lines of the last command's stderr have this.
  std::ptrdiff_t said(const std::string& part) const {
    std::istringstream lines(shell_.err());
    std::ptrdiff_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += line.find(part) != std::string::npos ? 1 : 0;
    return count;
  }

  /// Rows of the store, as they are when the order of records does not count.
  std::vector<json> rows(const std::string& store) const {
    std::istringstream lines(normalised(store_text(folder() / store, false), folder()));
    std::vector<json> all;
    for (std::string table, row; lines >> table && std::getline(lines, row);)
      all.push_back({{table, json::parse(row)}});
    return all;
  }

private:
  Transcript& add(const std::string& what, const std::string& said) {
    if (!said.empty())
      text_ += "--- " + what + "\n" + said + (said.ends_with('\n') ? "" : "\n");
    return *this;
  }

  test::Program shell_{"/bin/sh"};
  std::string text_;
};

} // namespace

TEST_CASE("tune: the answer, its files, its store, and again from the store") {
  Transcript on;
  on.run("$T k.json --store a.db --csv a.csv").file("a.csv").store();
  on.run("$T k.json --store a.db --json");
  on.check("tune");
}

TEST_CASE("tune with counters and a default to compare with") {
  Transcript on;
  on.script({{"counts", true}});
  on.change(values, values + ", \"Default\": 1");
  on.run("$T k.json --store a.db").store().run("$T k.json --store b.db --json --verbose");
  on.check("tune_counted");
}

TEST_CASE("tune --sizes: for each size, and one for all") {
  Transcript on;
  on.run("$T k.json --sizes 32,64 --calibrate 2 --repeatable --store a.db --csv a.csv")
      .file("a.csv");
  on.store("a.db", false);
  on.run("$T k.json --sizes 32,64 --calibrate 0 --repeatable --store b.db --json");
  on.run("$T k.json --sizes 32,64 --calibrate 0 --repeatable --across mean --store c.db");
  on.check("sizes", {{"\"all\": [0-9]+", "\"all\": COUNT"}}); // counted for the size that waited
}

TEST_CASE("tune --sizes auto adds sizes where the choice is least certain") {
  Transcript on;
  on.run(
      "$T k.json --sizes 32,512,4096,auto --calibrate 0 --repeatable --store a.db"); // X=4 at all
  on.launches(json::parse(
      R"([{"with": "-DX=4", "blocks": 1, "ms": 0.05}, {"with": "-DX=4", "blocks": 16, "ms": 0.5},
                              {"with": "-DX=4", "blocks": 128, "ms": 4}])"));
  on.run("$T k.json --sizes 32,512,4096,auto --calibrate 2 --repeatable --store b.db");
  on.run("$T k.json --sizes 32,512,4096,auto --across mean --store c.db");
  on.check("sizes_auto");
}

TEST_CASE("a drawn size that cannot be measured is no failure of those asked for") {
  Transcript on;
  test::write(on.folder() / "in.bin", std::string(32 * sizeof(float), '\0'));
  on.change("\"Arguments\": [",
            "\"Arguments\": [{\"Name\": \"in\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
            "\"AccessType\": \"ReadOnly\", \"Size\": \"ProblemSize[0]\"}, ");
  on.change("\"General\":",
            "\"Gridsmith\": {\"Inputs\": {\"in\": {\"File\": \"in.bin\"}}}, \"General\":");
  on.run("$T k.json --sizes 32 --calibrate 3 --store a.db");
  on.check("drawn_refused");
}

TEST_CASE("tune --all: two kernels, their header, baseline and summary") {
  Transcript on;
  fs::create_directory(on.folder() / "kernels");
  for (const char* name : {"a", "b"}) {
    test::write_kernel(on.folder() / "kernels", name, 6);
  }
  on.run("$T --all kernels --repeatable --into tuned --store a.db").file("tuned/fake_gpu.md");
  on.store("a.db", false).file("tuned/fake_gpu.baseline.json");
  on.run("$T --all kernels --repeatable --into tuned --store b.db --json");
  on.run("$T --all kernels --calibrate 1 --repeatable --into drawn --store c.db");
  on.check("all");
}

TEST_CASE("retune: nothing moved, then the best became slow") {
  Transcript on;
  on.run("$T k.json --store a.db --quiet");
  on.run("export header a.db --definition k.json -o tuned.hpp");
  on.run("retune tuned.hpp --definition k.json --store b.db");
  on.launches(R"([{"with": "-DX=3", "ms": 0.9, "samples": [1, 1.01, 0.99]}])"_json);
  on.run("retune tuned.hpp --definition k.json --store d.db --json");
  on.run("retune tuned.hpp --definition k.json --store a.db --reuse");
  on.run("retune tuned.hpp --definition k.json --store a.db");
  on.run("retune tuned.hpp --definition k.json --store c.db -o tuned.hpp").store("c.db", false);
  on.check("retune", {{R"x("compile_ms":"TIME",)x", ""}}); // none where the cache had it
}

TEST_CASE("tune --devices: two products, an answer each") {
  Transcript on;
  on.script(R"({"gpus": [{}, {"slower": 2, "name": "Other GPU"}]})"_json);
  on.run("$T k.json --devices all --store a.db --csv a.csv --write t4=a.json").store("a.db", false);
  for (const char* device : {"Fake GPU", "Other GPU"})
    CHECK_THAT(test::read_file(on.folder() / "a.csv"), contains_text(device));
  on.run("$T k.json --devices 1,0 --store b.db --json");
  on.check("devices");
}

TEST_CASE("check: the same, then slower, then wrong, and kept") {
  Transcript on;
  on.run("baseline save k.json --configuration X=1 --with-cubins");
  on.run("check --store a.db").run("check --store a.db --json");
  on.launches(R"([{"with": "-DSLOWER=1", "ms": 1.5, "samples": [1, 1.01, 0.99]}])"_json);
  on.change(language, language + R"( "CompilerOptions": ["-DSLOWER=1"],)");
  on.run("check --store a.db").run("check --store a.db --json");
  on.launches(R"([{"with": "-DSLOWER=1", "does": "wrong"}])"_json);
  on.run("check --store a.db").store();
  on.check("check", {{R"( +[0-9]+\.[0-9]\n)", " TIME\n"}}); // what a pair of processes took
}

TEST_CASE("Ctrl-C during a tuning: what was measured is kept, and the next run goes on") {
  Transcript on;
  on.launches(R"([{"with": "-DX=4", "does": "hang"}])"_json);
  const std::string words = "$T k.json --exhaustive --timeout 60 --store a.db";
  const pid_t pid = on.start(words);
  const auto recorded = [&] {
    try {
      return Database::open(on.folder() / "a.db", Database::Mode::read_only)
          .integer("SELECT count(*) FROM records");
    } catch (const Error&) { // not there yet
      return std::int64_t{0};
    }
  };
  for (const auto end = std::chrono::steady_clock::now() + 60s;
       recorded() < 5 && std::chrono::steady_clock::now() < end;)
    std::this_thread::sleep_for(10ms);
  ::kill(pid, SIGINT);
  on.ended(words, pid).store();
  on.launches(json::array());
  on.run("$T k.json --exhaustive --store a.db --json");
  on.check("interrupted");
}

TEST_CASE("finals that fail: not confirmed, in a tuning and in a campaign") {
  Transcript on;
  on.launches(R"([{"mode": "final", "does": "wrong"}])"_json);
  on.run("$T k.json --store a.db").store().run("$T k.json --store b.db --json");
  on.run("$T k.json --sizes 32,64 --calibrate 0 --store c.db");
  on.check("failing_finals");
}

TEST_CASE("a reference that is wrong is said, in a tuning and in a campaign") {
  Transcript on;
  on.script(R"({"works": [{"reference_problem": "element 3 of 'out' is nan"}]})"_json);
  on.run("$T k.json --store a.db").store().run("$T k.json --store b.db --json");
  on.run("$T k.json --sizes 32,64 --calibrate 0 --store c.db");
  on.check("wrong_reference");
}

TEST_CASE("nothing verified: the default, with which results are compared, is wrong") {
  Transcript on;
  const std::string by_default = ", \"Default\": 1}, {\"Name\": \"RUN\", \"Type\": \"string\", "
                                 "\"Values\": [\"fine\", \"wrong\"], \"Default\": \"wrong\"";
  on.change(values, values + by_default);
  on.run("$T k.json --exhaustive --store a.db").store();
  on.run("$T k.json --exhaustive --store b.db --json");
  on.run("$T k.json --exhaustive --sizes 32,64 --calibrate 0 --store c.db");
  on.check("nothing_verified");
}

TEST_CASE("every result is wrong") {
  Transcript on;
  on.launches(R"([{"does": "wrong"}])"_json);
  on.run("$T k.json --store a.db --csv a.csv").file("a.csv").store();
  on.run("$T k.json --store b.db --json").run("$T k.json --sizes 32,64 --calibrate 0 --store c.db");
  on.check("all_wrong");
}

TEST_CASE("time-outs cost their configuration, and are reported") {
  Transcript on;
  on.launches(R"([{"with": "-DX=4", "does": "hang"}])"_json);
  on.run("$T k.json --exhaustive --timeout 2 --store a.db --csv a.csv").file("a.csv").store();
  on.check("time_outs");
}

namespace {

/// Where two documents differ, but for what stands below these places: "/best/tied: true, not false".
std::vector<std::string> differences(const json& was, const json& is,
                                     const std::vector<std::string>& exceptions) {
  std::vector<std::string> found;
  const json first = was.flatten(), second = is.flatten();
  json all = first;
  all.update(second);
  for (const auto& [place, value] : all.items())
    if (first.value(place, json("nothing")) != second.value(place, json("nothing")) &&
        std::none_of(exceptions.begin(), exceptions.end(),
                     [&](const std::string& known) { return place.starts_with(known); }))
      found.push_back(place + ": " + second.value(place, json("nothing")).dump() + ", not " +
                      first.value(place, json("nothing")).dump());
  return found;
}

/// What fakes may do to a search, and the options that it needs.
struct Trouble {
  std::string what;
  json script;
  std::string options;
};

std::vector<Trouble> troubles() {
  return {
      {"nothing", json::object(), ""},
      {"counters", {{"counts", true}}, ""},
      {"finals fail", R"({"launches": [{"mode": "final", "does": "wrong"}]})"_json, ""},
      {"all is wrong", R"({"launches": [{"does": "wrong"}]})"_json, ""},
      {"some crash", R"({"launches": [{"with": "-DX=2", "does": "crash"}]})"_json, ""},
      {"the reference is wrong",
       R"({"works": [{"reference_problem": "element 3 of 'out' is nan"}]})"_json, ""},
      {"nothing is verified",
       R"({"works": [{"unverified": "the default configuration: element 3 of 'out' is nan"}]})"_json,
       ""},
      {"time-outs", R"({"launches": [{"with": "-DX=2", "does": "hang"}]})"_json, " --timeout 2"}};
}

// Exceptions, each with its reason.
const std::string strategy = "/strategy"; // a campaign is one, whatever --strategy says
const std::string kept_strategy = "/answers/0/answer/found_by/strategy"; // the same, in the store
const std::string compilations = "/compilations"; // are counted where they were waited for

struct Findings {
  json answer;
  std::vector<json> rows; ///< of the store
  std::ptrdiff_t doubts;  ///< lines of stderr that say why no result can be trusted
};

Findings findings_of(const Trouble& trouble, const std::string& sizes) {
  Transcript on;
  on.change("range(0, 6)", "range(0, 3)"); // a campaign tries so few, too
  on.launches(trouble.script.value("launches", json::array()));
  on.script({{"works", trouble.script.value("works", json::array())}});
  on.script({{"counts", trouble.script.value("counts", false)}});
  on.run("$T k.json --store a.db --json" + trouble.options + " " + sizes);
  return {on.answer(), on.rows("a.db"), on.said("doubtful") + on.said("are not verified")};
}

json by_table(const std::vector<json>& rows) {
  json tables;
  for (const json& row : rows)
    for (const auto& [table, fields] : row.items())
      tables[table].push_back(fields);
  return tables;
}

} // namespace

TEST_CASE("a campaign of one size says what a tuning says") {
  for (const Trouble& trouble : troubles()) {
    INFO(trouble.what);
    const Findings alone = findings_of(trouble, "--size 32"),
                   campaign = findings_of(trouble, "--sizes 32 --calibrate 0");
    REQUIRE(campaign.answer.size() == 1);
    CHECK(differences(alone.answer, campaign.answer.at(0), {strategy}) ==
          std::vector<std::string>{});
    CHECK(differences(by_table(alone.rows), by_table(campaign.rows), {kept_strategy}) ==
          std::vector<std::string>{});
    CHECK(campaign.doubts == alone.doubts);
  }
}

TEST_CASE("a campaign of two sizes says of each what a tuning of that size says") {
  for (const Trouble& trouble : troubles()) {
    INFO(trouble.what);
    const Findings campaign = findings_of(trouble, "--sizes 32,64 --calibrate 0"),
                   first = findings_of(trouble, "--size 32"),
                   second = findings_of(trouble, "--size 64");
    REQUIRE(campaign.answer.size() == 2);
    const std::vector<std::string> but{strategy, compilations};
    CHECK(differences(first.answer, campaign.answer.at(0), but) == std::vector<std::string>{});
    CHECK(differences(second.answer, campaign.answer.at(1), but) == std::vector<std::string>{});
    CHECK(campaign.doubts == first.doubts + second.doubts);
  }
}

} // namespace transcripts_test
