// SPDX-License-Identifier: Apache-2.0
// The pages that people read: their words, the length of their sentences, their links, and that docs/index.md
// lists each of them and they every strategy, format and command. What they say of the program is tested by readme_test.
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/glossary.hpp"
#include "gridsmith/tests/files.hpp"
#include "gridsmith/tuner/cli/program.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace docs_test {

namespace fs = std::filesystem;
using namespace gridsmith;

namespace {

constexpr std::size_t longest_sentence = 40; // words

fs::path root() {
  return fs::canonical(GRIDSMITH_SOURCE_DIR);
}

std::vector<fs::path> docs() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(root() / "docs"))
    if (entry.path().extension() == ".md")
      pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all = docs();
  for (const char* page : {"README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"})
    all.push_back(root() / page);
  return all;
}

std::vector<std::string> lines_without_blocks(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  bool block = false;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("```"))
      block = !block;
    else
      lines.push_back(block ? "" : line);
  return lines;
}

/// Code spans become one word, links their text.
std::string prose(const std::string& markdown) {
  static const std::regex code("`[^`]*`"), target(R"(\]\([^)]*\))");
  return std::regex_replace(std::regex_replace(markdown, code, "CODE"), target, "]");
}

/// Paragraphs, items of lists, headings and cells of tables.
std::vector<std::string> passages(const std::string& text) {
  static const std::regex begins(R"(^\s*([*-]|\d+\.) .*|^#.*)");
  std::vector<std::string> found{""};
  for (const std::string& line : lines_without_blocks(text))
    if (line.starts_with("|")) {
      std::istringstream cells(prose(line));
      for (std::string cell; std::getline(cells, cell, '|');)
        found.push_back(cell);
      found.push_back("");
    } else {
      if (line.empty() || std::regex_match(line, begins))
        found.push_back("");
      found.back() += line + ' ';
    }
  std::transform(found.begin(), found.end(), found.begin(), prose);
  return found;
}

std::vector<std::string> sentences(const std::string& passage) {
  std::vector<std::string> found{""};
  std::istringstream words(passage);
  for (std::string word; words >> word;) {
    found.back() += word + ' ';
    const std::size_t last = word.find_last_not_of("\"')*_");
    if (last != word.npos && std::string(".!?").find(word[last]) != std::string::npos)
      found.emplace_back();
  }
  return found;
}

std::size_t words_of(const std::string& sentence) {
  return static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
}

/// The words of the glossary in a page, each with its passage.
std::vector<std::string> dialect_in(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& passage : passages(text))
    for (std::string& word : test::dialect_in_passage(passage))
      found.push_back(std::move(word));
  return found;
}

std::vector<std::string> long_sentences_in(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& passage : passages(text))
    for (const std::string& sentence : sentences(passage))
      if (words_of(sentence) > longest_sentence)
        found.push_back(sentence);
  return found;
}

/// As GitHub names the headings of a page in addresses.
std::set<std::string> headings_of(const fs::path& page) {
  std::set<std::string> found;
  for (const std::string& line : lines_without_blocks(test::read_file(page))) {
    const std::size_t begin = line.find_first_not_of('#');
    if (begin == 0 || begin == line.npos || line[begin] != ' ')
      continue;
    std::string name;
    for (const char c : line.substr(begin + 1))
      if (c == ' ')
        name += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    found.insert(name);
  }
  return found;
}

struct Link {
  fs::path file;
  std::string heading; ///< "": the page
};

/// Links to files, not to the web.
std::vector<Link> links_of(const fs::path& page) {
  static const std::regex form(R"(\]\(([^)#]*)(#([^)]*))?\))");
  std::vector<Link> found;
  for (const std::string& line : lines_without_blocks(test::read_file(page)))
    for (std::sregex_iterator at(line.begin(), line.end(), form), end; at != end; ++at)
      if (const std::string target = (*at)[1]; !target.starts_with("http"))
        found.push_back(
            {target.empty() ? page : (page.parent_path() / target).lexically_normal(), (*at)[3]});
  return found;
}

/// What cmake/install.cmake installs as documentation.
bool is_installed(const fs::path& file) {
  const std::string name = fs::relative(file, root()).string();
  return name == "README.md" || name == "SECURITY.md" || name == "CONTRIBUTING.md" ||
         (name.starts_with("docs/") &&
          (name.ends_with(".md") || name.ends_with(".png") || name.ends_with(".ipynb")));
}

} // namespace

TEST_CASE("no page has a word of the dialect") {
  CHECK(pages().size() >= 25);
  for (const fs::path& page : pages())
    for (const std::string& found : dialect_in(test::read_file(page))) {
      INFO(page << ": " << found);
      CHECK(false);
    }
}

TEST_CASE("no page has a sentence of more than 40 words") {
  for (const fs::path& page : pages())
    for (const std::string& found : long_sentences_in(test::read_file(page))) {
      INFO(page << ", " << words_of(found) << " words: " << found);
      CHECK(false);
    }
}

TEST_CASE("links lead to a file that is there, and to a heading in it") {
  for (const fs::path& page : pages())
    for (const Link& link : links_of(page)) {
      INFO(page << " -> " << link.file << " # " << link.heading);
      CHECK(fs::exists(link.file));
      if (!link.heading.empty())
        CHECK(headings_of(link.file).contains(link.heading));
    }
}

TEST_CASE("pages that are installed link to nothing that is not") {
  for (const fs::path& page : pages())
    if (page.parent_path() == root() / "docs" || page.filename() == "README.md" ||
        page.filename() == "SECURITY.md")
      for (const Link& link : links_of(page)) {
        INFO(page << " -> " << link.file);
        CHECK(is_installed(link.file));
      }
}

TEST_CASE("the index lists every page, and each begins with what it answers") {
  std::set<fs::path> listed;
  for (const Link& link : links_of(root() / "docs" / "index.md"))
    listed.insert(link.file);
  for (const fs::path& page : docs()) {
    INFO(page);
    CHECK((page.filename() == "index.md" || listed.contains(page)));
    const std::string text = test::read_file(page);
    CHECK(text.starts_with("# "));
    CHECK(text.find("\n\nThis page ") == text.find("\n\n"));
  }
}

TEST_CASE("every strategy, format and command stands in its page") {
  const auto row = [](const std::string& name) { return "\n| `" + name + "` |"; };
  const std::string search = test::read_file(root() / "docs" / "search.md");
  for (const StrategyEntry& one : strategies())
    CHECK_THAT(search, contains_text(row(one.name)));
  CHECK_THAT(test::read_file(root() / "README.md"),
             contains_text(std::to_string(strategies().size()) + " strategies"));
  const std::string exports = test::read_file(root() / "docs" / "exports.md");
  for (const FormatEntry& one : export_formats())
    CHECK_THAT(exports, contains_text(row(one.name)));
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  const std::string commands = test::read_file(root() / "docs" / "commands.md");
  for (const CLI::App* one : commands_of(app))
    CHECK_THAT(commands, contains_text("gridsmith " + one->get_name()));
}

TEST_CASE("these tests see a word, a long sentence and a heading") {
  CHECK(dialect_in("A name that `nobody` has.\n\n```\nnobody\n```\n").empty());
  CHECK(dialect_in("| one | what Nobody\n* was\ntold, besides, of unusual rooms |").size() == 3);
  CHECK(dialect_in("It was put\noff.").size() == 1);
  std::string forty = "One";
  for (int i = 0; i < 39; ++i)
    forty += i % 2 == 0 ? "\ntwo" : " `three four`";
  CHECK(long_sentences_in(forty + ". And one more sentence.").empty());
  CHECK(long_sentences_in(forty + " more.").size() == 1);
  CHECK(headings_of(root() / "docs" / "exports.md").contains("kernel-launchers-wisdom"));
}

} // namespace docs_test
