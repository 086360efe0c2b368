// SPDX-License-Identifier: Apache-2.0
// The map of the house holds: no include runs up a floor, no two folders lean on each other, and
// the outside world enters each room through one door.
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace floors_test {

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

/// Room -> what it may include.
const std::map<std::string, Names> floors = {
    {"base", {"base"}},
    {"search", {"search", "base"}},
    {"metrics", {"metrics", "base"}},
    {"kernels", {"kernels", "search", "metrics", "base"}},
    {"results", {"results", "kernels", "search", "metrics", "base"}},
    {"tuner", {"tuner", "results", "kernels", "search", "metrics", "base"}}};

const std::string ours = "gridsmith/";

/// Includes of a file, without quotes and brackets.
Names includes_of(const fs::path& file) {
  static const std::regex line_form("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  Names includes;
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, match, line_form))
      includes.insert(match[1]);
  return includes;
}

/// Sources and headers of all rooms: path from the root -> includes.
const std::map<std::string, Names>& files() {
  static const auto found = [] {
    const fs::path root = GRIDSMITH_SOURCE_DIR;
    std::map<std::string, Names> all;
    for (const auto& [room, allowed] : floors)
      for (const auto& entry : fs::recursive_directory_iterator(root / room))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
          all[fs::relative(entry.path(), root).string()] = includes_of(entry.path());
    return all;
  }();
  return found;
}

std::string room_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

/// Whether a header of ours, as it is included, includes such a name.
bool has_include(const std::string& header, const std::regex& form) {
  const auto found =
      header.starts_with(ours) ? files().find(header.substr(ours.size())) : files().end();
  return found != files().end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& name) { return std::regex_match(name, form); });
}

/// Types that a file defines where others could meet them, with their namespaces: "gridsmith::detail::Rows".
Names types_of(const fs::path& file) {
  static const std::regex type_form(
      "^(?:struct|class|enum class) (\\w+)(?: final)?(?: :[^;]*)?[ {,]*$"),
      opens("^namespace (?:([\\w:]+) )?\\{$"), closes("^\\} // namespace(?: [\\w:]+)?$");
  Names types;
  std::vector<std::string> spaces; // "": without a name
  std::ifstream in(file);
  std::smatch match;
  bool in_text = false; // code that is written, not compiled
  for (std::string line; std::getline(in, line);) {
    in_text = in_text ? line.find(")tuned\"") == line.npos : line.ends_with("R\"tuned(");
    if (in_text) {
      continue;
    } else if (std::regex_match(line, match, opens)) {
      spaces.push_back(match[1]);
    } else if (std::regex_match(line, closes) && !spaces.empty()) {
      spaces.pop_back();
    } else if (std::regex_match(line, match, type_form) &&
               std::find(spaces.begin(), spaces.end(), "") == spaces.end()) {
      std::string name;
      for (const std::string& space : spaces)
        name += space + "::";
      types.insert(name + match[1].str());
    }
  }
  return types;
}

/// Folder -> folders that its files include from.
std::map<std::string, Names> arrows() {
  std::map<std::string, Names> found;
  for (const auto& [file, includes] : files())
    for (const std::string& include : includes)
      if (include.starts_with(ours)) {
        const std::string target = folder_of(include.substr(ours.size()));
        if (target != folder_of(file))
          found[folder_of(file)].insert(target);
      }
  return found;
}

/// The folders of a cycle in the order of their arrows, "" when there is none.
std::string cycle_in(const std::map<std::string, Names>& arrows) {
  Names done;
  std::vector<std::string> path;
  std::string cycle;
  const std::function<void(const std::string&)> visit = [&](const std::string& folder) {
    if (!cycle.empty() || done.contains(folder))
      return;
    const auto again = std::find(path.begin(), path.end(), folder);
    if (again != path.end()) {
      for (auto step = again; step != path.end(); ++step)
        cycle += *step + " -> ";
      cycle += folder;
      return;
    }
    path.push_back(folder);
    if (const auto next = arrows.find(folder); next != arrows.end())
      for (const std::string& target : next->second)
        visit(target);
    path.pop_back();
    done.insert(folder);
  };
  for (const auto& [folder, targets] : arrows)
    visit(folder);
  return cycle;
}

} // namespace

TEST_CASE("no include runs up a floor") {
  Names seen;
  for (const auto& [file, includes] : files()) {
    seen.insert(room_of(file));
    for (const std::string& include : includes) {
      INFO(file << " includes " << include);
      CHECK_FALSE(floors.contains(room_of(include))); // without our prefix an installed tree fails
      if (include.starts_with(ours))
        CHECK(floors.at(room_of(file)).contains(room_of(include.substr(ours.size()))));
    }
  }
  CHECK(seen.size() == floors.size());
}

TEST_CASE("no folders lean on each other") {
  CHECK(cycle_in(arrows()) == "");
  CHECK(cycle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == "b -> c -> b");
}

TEST_CASE("each dependency has one door, a source file or a folder") {
  const std::map<std::string, std::regex> doors = {
      {"metrics/cupti", std::regex("^cupti.*|^nvperf.*")},
      {"tuner/compiler", std::regex("^nvrtc.*")},
      {"tuner/confinement/system_calls.cpp", std::regex("^seccomp.*")},
      {"results/drawing/draw.cpp", std::regex("^cairo.*")},
      {"results/database/database.cpp", std::regex("^sqlite3.*")},
      {"tuner/mpi/ranks.cpp", std::regex("^mpi\\.h")},
      {"tuner/watch/page_server.cpp", std::regex("^httplib.*")}};
  for (const auto& [door, form] : doors) {
    bool used = false;
    for (const auto& [file, includes] : files())
      for (const std::string& include : includes)
        if (std::regex_match(include, form) || has_include(include, form)) {
          INFO(file << " includes " << include);
          CHECK((file == door || folder_of(file) == door));
          used = true;
        }
    INFO(door << " is the door");
    CHECK(used);
  }
}

// Two of one name in two sources are one to the linker, which keeps the functions of either.
TEST_CASE("each source begins with its licence") {
  for (const auto& [path, includes] : files()) {
    std::ifstream in(fs::path(GRIDSMITH_SOURCE_DIR) / path);
    std::string first;
    std::getline(in, first);
    INFO(path);
    CHECK((first == "// SPDX-License-Identifier: Apache-2.0" ||
           path.starts_with("kernels/catalogue/")));
  }
}

TEST_CASE("one name, one type") {
  std::map<std::string, std::string> first;
  for (const auto& [file, includes] : files())
    if (file != "tuner/embedding/gridsmith.hpp") // is never included where the others are
      for (const std::string& type : types_of(fs::path(GRIDSMITH_SOURCE_DIR) / file)) {
        INFO(type << " in " << file << " and in " << first[type]);
        CHECK(first[type].empty());
        first[type] = file;
      }
  CHECK(first.size() > 300);
}

} // namespace floors_test
