// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <vector>

namespace gridsmith {
namespace {

[[noreturn]] void refuse_depth() {
  throw InputError(fmt::format("nested too deeply (more than {} levels)", deepest_nesting));
}

void check_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\')
      ++at;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '[' || c == '{') && ++depth > deepest_nesting)
      refuse_depth();
    else if (!in_string && (c == ']' || c == '}'))
      --depth;
  }
}

/// Walks one CBOR item (RFC 8949) without recursion; only the structure counts, not whether the
/// items make sense: that is the parser's to say.
class CborWalk {
public:
  CborWalk(const std::uint8_t* first, const std::uint8_t* last) : at_(first), last_(last) {}

  void check() {
    do
      item();
    while (!open_.empty());
  }

private:
  static constexpr std::uint64_t until_break = ~std::uint64_t{0};

  void item();
  void begin(unsigned major, bool indefinite, std::uint64_t argument);
  std::uint64_t argument_of(unsigned info);

  std::uint64_t left() const { return static_cast<std::uint64_t>(last_ - at_); }

  void need(std::uint64_t count) const {
    if (count > left())
      throw InputError("the CBOR data end too early");
  }

  void open(std::uint64_t items) {
    open_.push_back(items);
    if (open_.size() > deepest_nesting)
      refuse_depth();
  }

  /// One item is whole, and with it those that it was the last of.
  void close() {
    while (!open_.empty() && open_.back() != until_break) {
      --open_.back();
      if (open_.back() != 0)
        return;
      open_.pop_back();
    }
  }

  const std::uint8_t* at_;
  const std::uint8_t* last_;
  std::vector<std::uint64_t> open_; ///< items that each open container still lacks
};

void CborWalk::item() {
  need(1);
  const std::uint8_t head = *at_++;
  const unsigned major = head >> 5, info = head & 0x1F;
  if (head == 0xFF) { // the end of what has no length
    if (open_.empty() || open_.back() != until_break)
      throw InputError("the CBOR data have an end without a beginning");
    open_.pop_back();
    return close();
  }
  const bool indefinite = info == 31 && major >= 2 && major <= 5;
  begin(major, indefinite, indefinite ? 0 : argument_of(info));
}

void CborWalk::begin(unsigned major, bool indefinite, std::uint64_t argument) {
  if (indefinite)
    return open(until_break);
  if (major == 6) // a tag: it belongs to the item that follows
    return open(1);
  if (major == 2 || major == 3) {
    need(argument);
    at_ += argument;
  } else if (major == 4 || major == 5) {
    need(argument); // each item has a byte at least
    if (argument > 0)
      return open(major == 4 ? argument : 2 * argument);
  }
  close();
}

/// What follows the head, big-endian.
std::uint64_t CborWalk::argument_of(unsigned info) {
  if (info < 24)
    return info;
  if (info > 27)
    throw InputError("the CBOR data hold a head that means nothing");
  const unsigned bytes = 1U << (info - 24);
  need(bytes);
  std::uint64_t argument = 0;
  for (unsigned i = 0; i < bytes; ++i)
    argument = (argument << 8) | *at_++;
  return argument;
}

/// Such characters can only be inside strings: JSON's own text is ASCII without them.
std::string escaped(std::string text) {
  const auto suspicious = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  if (std::none_of(text.begin(), text.end(), suspicious))
    return text;
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    char32_t character = 0;
    const std::string_view after = take_character(rest, character);
    if (character >= 0x7F && is_control(character))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(character));
    else
      out += rest.substr(0, rest.size() - after.size());
    rest = after;
  }
  return out;
}

/// What a pattern finds in a text, in its groups' places; "" where it finds nothing.
std::string said_with(const std::string& text, const char* pattern, const char* words) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found.format(words) : "";
}

/// @param id of the library's exception (json.nlohmann.me, "Exceptions") @param text its own words
std::string in_our_words(int id, const std::string& text) {
  struct Words {
    int id;
    const char *pattern, *words, *otherwise;
  };

  constexpr std::array<Words, 7> table{
      {{101, R"(line (\d+), column (\d+))", "no valid JSON at line $1, column $2", "no valid JSON"},
       {302, R"(type must be (\w+), but is (\w+))", "expected $1, found $2",
        "not of the expected kind"},
       {303, R"(actual type is (\w+))", "not of the expected kind, found $1",
        "not of the expected kind"},
       {304, R"(with (\w+))", "expected an object or a list, found $1",
        "expected an object or a list"},
       {401, "", "", "a list has too few elements"},
       {403, "key '([^']*)' not found", "'$1' is missing", "a field is missing"},
       {406, "", "", "a number is too large"}}};
  for (const Words& one : table)
    if (one.id == id) {
      const std::string said = *one.pattern ? said_with(text, one.pattern, one.words) : "";
      return said.empty() ? one.otherwise : said;
    }
  return text;
}

template <typename Json>
std::string text_of(const Json& json, int indent) {
  return escaped(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

} // namespace

std::string plain_text(const std::exception& error) {
  constexpr std::size_t longest = 300; // it may quote a key or a number of any length
  static const std::regex mark(R"(\[json\.exception\.\w+\.(\d+)\] )");
  std::string text = error.what();
  if (text.find("[json.exception.") == text.npos)
    return text;
  text = cut(text, longest);
  std::smatch found;
  return std::regex_search(text, found, mark)
             ? found.prefix().str() + in_our_words(std::stoi(found[1]), found.suffix().str())
             : text;
}

nlohmann::json json_of_text(std::string_view text) {
  check_depth(text);
  return nlohmann::json::parse(text);
}

nlohmann::ordered_json ordered_of_text(std::string_view text) {
  using Json = nlohmann::ordered_json;
  check_depth(text);
  std::vector<std::set<std::string>> objects; // the members of those that are open
  const auto look = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start)
      objects.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      objects.pop_back();
    else if (event == Json::parse_event_t::key &&
             !objects.back().insert(parsed.get<std::string>()).second)
      throw InputError("'" + parsed.get<std::string>() + "' appears twice");
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::exception& error) {
    throw InputError(plain_text(error));
  }
}

nlohmann::json json_of_cbor(const std::uint8_t* first, const std::uint8_t* last) {
  CborWalk(first, last).check();
  return nlohmann::json::from_cbor(first, last);
}

nlohmann::ordered_json or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

void make_well_formed(nlohmann::json& json) {
  if (json.is_string()) {
    std::string& text = json.get_ref<std::string&>();
    text = well_formed(text);
  } else if (json.is_structured()) {
    for (nlohmann::json& element : json)
      make_well_formed(element);
  }
}

std::string json_text(const nlohmann::json& json, int indent) {
  return text_of(json, indent);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return text_of(json, indent);
}

} // namespace gridsmith
