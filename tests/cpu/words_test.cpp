// SPDX-License-Identifier: Apache-2.0
// What people read from the program itself has no word of the glossary: its messages and help (texts in the sources
// of all rooms, and comments of the code that it writes), the page of the report, the comments of installed headers.
// A text is a string literal with a blank, adjacent ones as one; a single word is a name or a key.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/glossary.hpp"
#include "gridsmith/tests/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace words_test {

namespace fs = std::filesystem;
using namespace gridsmith;

namespace {

/// Texts and comments of a source, C++ or JavaScript.
class Source {
public:
  enum class Language { cpp, javascript };

  Source(std::string_view code, Language language) : code_(code), language_(language) {
    while (at_ < code_.size())
      step();
    end_text();
  }

  std::vector<std::string> texts, comments;

private:
  bool is_script() const { return language_ == Language::javascript; }

  bool starts(std::string_view word) const { return code_.substr(at_).starts_with(word); }

  /// From here to behind `end`, without it.
  std::string_view take(std::string_view end) {
    const std::size_t begin = at_, found = code_.find(end, at_);
    at_ = found == code_.npos ? code_.size() : found + end.size();
    return code_.substr(begin, found == code_.npos ? found : found - begin);
  }

  void step() {
    const char c = code_[at_];
    if (starts("//"))
      comments.emplace_back(take("\n"));
    else if (starts("/*"))
      comments.emplace_back(take("*/"));
    else if (starts("#include"))
      take("\n");
    else if (!is_script() && starts("R\"") && !follows_a_word())
      take_raw();
    else if (c == '"' || (is_script() && (c == '\'' || c == '`')))
      take_quoted(c);
    else if (!is_script() && c == '\'' && !follows_a_word())
      skip_to('\'');
    else if (is_script() && c == '/' && begins_an_expression())
      skip_to('/');
    else {
      if (!std::isspace(static_cast<unsigned char>(c)))
        end_text(), before_ = c;
      ++at_;
    }
  }

  bool follows_a_word() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(code_[at_ - 1])) != 0;
  }

  /// Where a slash is no division.
  bool begins_an_expression() const {
    return std::string_view("(,=:[!&|?{};>").find(before_) != std::string_view::npos;
  }

  void skip_to(char end) {
    end_text();
    for (++at_; at_ < code_.size() && code_[at_] != end; ++at_)
      at_ += code_[at_] == '\\' ? 1 : 0;
    ++at_;
    before_ = end;
  }

  void take_quoted(char end) {
    for (++at_; at_ < code_.size() && code_[at_] != end; ++at_) {
      if (end == '`' && starts("${")) {
        skip_value();
        continue;
      }
      if (code_[at_] == '\\')
        ++at_;
      text_ += code_[at_ - 1] == '\\' && code_[at_] == 'n' ? ' ' : code_[at_];
    }
    ++at_;
    before_ = end;
    if (is_script())
      end_text();
  }

  /// ${…} of a template, with the templates in it.
  void skip_value() {
    text_ += '?';
    int depth = 0;
    for (++at_; at_ < code_.size(); ++at_) {
      depth += code_[at_] == '{' ? 1 : code_[at_] == '}' ? -1 : 0;
      if (depth == 0)
        return;
    }
  }

  /// Code of another language, of which only C++ comments are read.
  void take_raw() {
    at_ += 2;
    const std::string end = ")" + std::string(take("(")) + "\"";
    Source written(take(end), Language::cpp);
    std::move(written.comments.begin(), written.comments.end(), std::back_inserter(texts));
  }

  void end_text() {
    if (text_.find(' ') != text_.npos)
      texts.push_back(text_);
    text_.clear();
  }

  std::string_view code_;
  Language language_;
  std::size_t at_ = 0;
  std::string text_;
  char before_ = ';';
};

constexpr std::array rooms = {"base", "kernels", "metrics", "results", "search", "tuner"};

fs::path root() {
  return fs::canonical(GRIDSMITH_SOURCE_DIR);
}

/// Below a folder, by the ends of their names.
std::vector<fs::path> files(const fs::path& folder, const std::vector<std::string>& ends) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (std::find(ends.begin(), ends.end(), extension) != ends.end())
      found.push_back(entry.path());
  }
  return found;
}

void check_words(const fs::path& file, const std::vector<std::string>& passages) {
  for (const std::string& passage : passages)
    for (const std::string& found : test::dialect_in_passage(passage)) {
      INFO(file << ": " << found);
      CHECK(false);
    }
}

} // namespace

TEST_CASE("no message, help page or header that the program writes has a word of the dialect") {
  std::size_t texts = 0;
  for (const char* room : rooms)
    for (const fs::path& file : files(root() / room, {".cpp", ".hpp"})) {
      const Source source(test::read_file(file), Source::Language::cpp);
      check_words(file, source.texts);
      texts += source.texts.size();
    }
  CHECK(texts > 3000);
}

TEST_CASE("no text of the report's page has a word of the dialect") {
  std::size_t texts = 0;
  for (const fs::path& file : files(root() / "results/report/page", {".js"})) {
    const Source source(test::read_file(file), Source::Language::javascript);
    check_words(file, source.texts);
    texts += source.texts.size();
  }
  CHECK(texts > 300);
  check_words("template.html", {test::read_file(root() / "results/report/page/template.html")});
}

TEST_CASE("no comment of an installed header has a word of the dialect") {
  for (const char* name : {"gridsmith.h", "gridsmith.hpp"}) {
    const fs::path file = root() / "tuner/embedding" / name;
    const Source source(test::read_file(file), Source::Language::cpp);
    check_words(file, source.comments);
    CHECK(source.comments.size() > 20);
  }
}

TEST_CASE("this test reads texts, the comments of written code, and nothing else") {
  const Source cpp(
      "#include \"a b\"\n// one\nf(\"two \"\n  \"three\", \"key\", '\"'); g(R\"x(int a; // four\n)x\");\n",
      Source::Language::cpp);
  CHECK(cpp.texts == std::vector<std::string>{"two three", "// four"});
  CHECK(cpp.comments == std::vector<std::string>{"// one"});
  const Source page("a(/[\"' ]/, 'it is', `so ${a.rival(`x`)} much`, 4 / 2); // no\n",
                    Source::Language::javascript);
  CHECK(page.texts == std::vector<std::string>{"it is", "so ? much"});
  CHECK(test::dialect_in_passage("All is told, besides").size() == 1);
}

} // namespace words_test
