// The drawing on the napkin is true: no include runs up a floor, and the outside world enters each
// room through one door.
#include "tests/catch.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {

/// Includes of a file, without quotes and brackets.
std::set<std::string> includes_of(const fs::path& file) {
  static const std::regex line_form("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::set<std::string> includes;
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, match, line_form))
      includes.insert(match[1]);
  return includes;
}

/// Sources and headers of a room: path from the root -> includes.
std::map<std::string, std::set<std::string>> files_of(const std::string& room) {
  const fs::path root = GRIDSMITH_SOURCE_DIR;
  std::map<std::string, std::set<std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / room))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
      files[fs::relative(entry.path(), root).string()] = includes_of(entry.path());
  return files;
}

const std::map<std::string, std::set<std::string>> may_include = {
    {"search", {"search"}},
    {"metrics", {"metrics"}},
    {"kernels", {"kernels", "search", "metrics"}},
    {"results", {"results", "kernels", "search", "metrics"}},
    {"tuner", {"tuner", "results", "kernels", "search", "metrics"}}};

} // namespace

TEST_CASE("no include runs up a floor") {
  for (const auto& [room, allowed] : may_include) {
    const auto files = files_of(room);
    CHECK(files.size() > 3);
    for (const auto& [file, includes] : files)
      for (const std::string& include : includes) {
        const std::string target = include.substr(0, include.find('/'));
        INFO(file << " includes " << include);
        if (may_include.contains(target))
          CHECK(allowed.contains(target));
        CHECK(target != "tests");
      }
  }
}

TEST_CASE("each dependency has one door") {
  const std::map<std::string, std::regex> doors = {
      {"metrics/counter_session.cpp", std::regex("^cupti.*|^nvperf.*")},
      {"tuner/compiler/nvrtc.cpp", std::regex("^nvrtc.*")},
      {"results/database.cpp", std::regex("^sqlite3.*")}};
  for (const auto& [door, form] : doors) {
    bool used = false;
    for (const auto& [room, allowed] : may_include)
      for (const auto& [file, includes] : files_of(room))
        for (const std::string& include : includes)
          if (std::regex_match(include, form)) {
            INFO(file << " includes " << include);
            CHECK(file == door);
            used = true;
          }
    INFO(door << " is the door");
    CHECK(used);
  }
}
