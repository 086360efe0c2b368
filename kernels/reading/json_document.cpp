// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/json_document.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/kernels/reading/json_slip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace gridsmith {
namespace {

using Json = nlohmann::json;

constexpr int deepest_json = 100; // no definition nests deeper; what walks a document recurses
constexpr const char* expected = "expected a kernel definition in JSON";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}

/// What profilers print, or rows with commas: prose has blanks behind them, and JSON of one line a brace.
bool is_table(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  int commas = 0;
  for (std::size_t at = line.find(','); at < line.size(); at = line.find(',', at + 1))
    commas += line.substr(at + 1).starts_with(' ') ? 0 : 1;
  return line.starts_with("==") || (commas > 1 && line.find_first_of("{[") == line.npos);
}

/// Files that people mix up with a definition are known by their names or first bytes.
void refuse_others(const std::filesystem::path& file, const std::string& text) {
  if (text.starts_with("// gridsmith header "))
    refuse(file, std::string("is a header of Gridsmith's, which 'gridsmith show' and 'gridsmith "
                             "retune' read; ") +
                     expected);
  if (has_source_ending(file))
    refuse(file, "is a source; give the kernel definition, the .json next to it");
  if (text.starts_with("SQLite format 3"))
    refuse(file, std::string("is a store of measurements; ") + expected);
  if (is_table(text))
    refuse(file, std::string("is a profile or another table; 'gridsmith show' and 'gridsmith "
                             "explain' read profiles; ") +
                     expected);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      std::string_view(text).substr(0, 2).find('\0') != std::string_view::npos)
    refuse(file, "is in UTF-16; save it as UTF-8");
  if (text.starts_with("\x1F\x8B"))
    refuse(file, "is packed with gzip; unpack it first (gunzip)");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse(file, std::string("is empty; ") + expected);
}

std::string text_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto type = std::filesystem::status(file, error).type();
  if (type == std::filesystem::file_type::directory)
    refuse(file, std::string("is a folder; ") + expected);
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block)
    refuse(file, std::string("is a device; ") + expected);
  refuse_pipe(file);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    refuse(file, std::string("cannot be read: ") + std::strerror(errno) + "; " + expected);
  std::ostringstream text;
  text << in.rdbuf(); // of an empty file nothing, which is a failure of the stream
  if (in.bad())
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  return std::move(text).str();
}

/// "file.json:3:14" for a byte offset (from 1, as the parser counts).
std::string line_and_column(const std::filesystem::path& file, std::string_view text,
                            std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  return file.string() + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// Where a number that no double holds stands: the parser tells only its text, between quotes.
std::size_t place_of_number(const std::string& what, std::string_view text) {
  const std::size_t first = what.find('\''), last = what.rfind('\'');
  if (first == std::string::npos || last <= first + 1)
    return 0;
  const std::size_t at = text.find(std::string_view(what).substr(first + 1, last - first - 1));
  return at == std::string_view::npos ? 0 : at + 1;
}

/// Follows the parser through the document, because the tree keeps the last of equal fields only.
class Follower {
public:
  explicit Follower(const std::filesystem::path& file) : file_(file) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest_json)
      refuse(file_, fmt::format("nested too deeply, the limit is {}", deepest_json));
    using Event = Json::parse_event_t;
    if (event == Event::key)
      see_field(parsed.get_ref<const std::string&>());
    else if (event == Event::object_end || event == Event::array_end)
      levels_.pop_back();
    else {
      if (!levels_.empty())
        ++levels_.back().elements;
      if (event != Event::value)
        levels_.emplace_back().is_array = event == Event::array_start;
    }
    return true;
  }

  std::vector<std::string> twice;

private:
  struct Level {
    bool is_array = false;
    std::size_t elements = 0; ///< begun so far
    std::string field;        ///< the last one of an object
    std::set<std::string> fields = {};
  };

  void see_field(const std::string& name) {
    Level& level = levels_.back();
    level.field = name;
    if (!level.fields.insert(name).second && twice.size() < most_told)
      twice.push_back(path());
  }

  std::string path() const {
    std::string text;
    for (const Level& level : levels_)
      text += level.is_array ? fmt::format("[{}]", level.elements - 1)
                             : (text.empty() ? "" : ".") + level.field;
    return text;
  }

  static constexpr std::size_t most_told = 100;
  const std::filesystem::path& file_;
  std::vector<Level> levels_;
};

} // namespace

bool has_source_ending(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 9> endings{".cu", ".cuh", ".cpp", ".cc", ".c",
                                                    ".h",  ".hpp", ".hip", ".cl"};
  return std::find(endings.begin(), endings.end(), file.extension().string()) != endings.end();
}

JsonDocument read_document(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  refuse_others(file, text);
  return parse_document(text, file);
}

JsonDocument parse_document(const std::string& text, const std::filesystem::path& file) {
  Follower follower(file);
  JsonDocument document;
  document.hash = sha256_hex(text);
  try {
    document.root = Json::parse(
        text,
        [&follower](int depth, Json::parse_event_t event, Json& parsed) {
          return follower(depth, event, parsed);
        },
        true, true);
  } catch (const Json::parse_error& error) {
    const JsonSlip slip = json_slip(text, error.byte, error.what());
    throw InputError(line_and_column(file, text, slip.byte) + ": malformed JSON: " + slip.what);
  } catch (const Json::exception& error) { // numbers that no double holds
    throw InputError(line_and_column(file, text, place_of_number(error.what(), text)) +
                     ": malformed JSON: " + words_of_parser(error.what()));
  }
  document.twice = std::move(follower.twice);
  const bool maybe = text.find("//") != std::string::npos || text.find("/*") != std::string::npos;
  document.comments = maybe && !Json::accept(text);
  return document;
}

} // namespace gridsmith
