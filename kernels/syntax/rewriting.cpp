// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/syntax/rewriting.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/line_diff.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

class Places {
public:
  Places(const SourceFile& file, const std::string& name)
      : file_(file), name_(name), tokens_(tokens_of(file.text)) {}

  std::vector<ValuePlace> find() {
    const std::vector<bool> host = of_host();
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (tokens_[at].kind == TokenKind::directive)
        look_at_directive(tokens_[at]);
      else if (tokens_[at].text == name_)
        look_at_name(at, host[at]);
    return std::move(found_);
  }

private:
  /// Whether a token is in the body of a function that no kernel can call.
  std::vector<bool> of_host() const {
    std::vector<bool> host(tokens_.size(), false);
    for (const Declaration& one : declarations_of(tokens_)) {
      const auto begin = tokens_.begin();
      const bool device =
          std::any_of(begin + static_cast<std::ptrdiff_t>(one.first),
                      begin + static_cast<std::ptrdiff_t>(one.body), [](const Token& token) {
                        return token.text == "__global__" || token.text == "__device__";
                      });
      if (one.kind == Declaration::Kind::function && !device)
        std::fill(host.begin() + static_cast<std::ptrdiff_t>(one.body),
                  host.begin() + static_cast<std::ptrdiff_t>(one.last), true);
    }
    return host;
  }

  void add(std::string_view value, bool host = false) {
    const auto at = static_cast<std::size_t>(value.data() - file_.text.data());
    const auto begin = file_.text.begin();
    found_.push_back(
        {file_.name,
         1 + static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n')), at,
         value.size(), host});
  }

  void look_at_directive(const Token& token) {
    const std::string_view rest = directive_rest(token.text);
    if (directive_name(token.text) != "define" || !rest.starts_with(name_) ||
        rest.size() <= name_.size() || (rest[name_.size()] != ' ' && rest[name_.size()] != '\t'))
      return;
    std::string_view value = rest.substr(name_.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \t\\\r\n"), value.size()));
    if (!value.empty())
      add(value);
  }

  /// `static constexpr int NAME = 4 * 8;`, `const int A = 1, NAME = 2;`
  void look_at_name(std::size_t at, bool host) {
    if (at + 2 >= tokens_.size() || (tokens_[at + 1].text != "=" && tokens_[at + 1].text != "{"))
      return;
    std::size_t first = at;
    const auto begins = [&](const Token& before) {
      return before.kind == TokenKind::directive || before.text == ";" || before.text == "{" ||
             before.text == "}" || before.text == ":";
    };
    while (first > 0 && !begins(tokens_[first - 1]))
      --first;
    bool fixed = false;
    for (std::size_t word = first; word < at; ++word) {
      fixed |= tokens_[word].text == "const" || tokens_[word].text == "constexpr";
      if (tokens_[word].text == "*" || tokens_[word].text == "(")
        return;
    }
    const bool in_braces = tokens_[at + 1].text == "{";
    std::size_t end = at + 2;
    while (end < tokens_.size() && tokens_[end].text != ";" && tokens_[end].text != "," &&
           tokens_[end].text != "}")
      end = tokens_[end].text == "(" || tokens_[end].text == "{"
                ? behind_bracket(tokens_, end, tokens_.size())
                : end + 1;
    if (!(fixed || (host && first < at)) || end >= tokens_.size() || end == at + 2 ||
        (tokens_[end].text == "}") != in_braces)
      return;
    const Token &head = tokens_[at + 2], &tail = tokens_[end - 1];
    add(std::string_view(file_.text).substr(head.at, tail.at + tail.text.size() - head.at), host);
  }

  const SourceFile& file_;
  const std::string& name_;
  Tokens tokens_;
  std::vector<ValuePlace> found_;
};

/// @throws InputError
ValuePlace only_place(const SourceBundle& source, const std::string& name) {
  const std::vector<ValuePlace> places = value_places(source, name);
  if (places.size() == 1)
    return places.front();
  if (places.empty())
    throw InputError(fmt::format("{0}: nothing there, or in a header of its own, gives {1} a value "
                                 "that can be replaced, such as '#define {1} 16' or 'constexpr int "
                                 "{1} = 16;'",
                                 source.main.name, name));
  std::string text;
  for (const ValuePlace& one : places)
    text += fmt::format("{}{}({})", text.empty() ? "" : ", ", one.file, one.line);
  throw InputError(fmt::format(
      "{} is defined at {}: {}; which of them is meant is not known, so none is replaced", name,
      counted(places.size(), "place"), text));
}

/// As many lines as before.
void put(std::string& text, const ValuePlace& place, const std::string& name) {
  const std::string_view old = std::string_view(text).substr(place.at, place.size);
  std::string value = value_macro(name);
  for (const char c : old)
    if (c == '\n')
      value += "\\\n";
  text.replace(place.at, place.size, value);
}

} // namespace

std::string value_macro(const std::string& name) {
  return "GRIDSMITH_" + name;
}

std::vector<ValuePlace> value_places(const SourceBundle& source, const std::string& name) {
  std::vector<ValuePlace> found = Places(source.main, name).find();
  for (const SourceFile& header : source.headers)
    for (ValuePlace& one : Places(header, name).find())
      found.push_back(std::move(one));
  if (std::any_of(found.begin(), found.end(), [](const ValuePlace& one) { return !one.host; }))
    std::erase_if(found, [](const ValuePlace& one) { return one.host; });
  return found;
}

std::shared_ptr<const SourceBundle> rewritten(std::shared_ptr<const SourceBundle> source,
                                              const std::set<std::string>& names) {
  if (!source || names.empty())
    return source;
  SourceBundle changed = *source;
  for (const std::string& name : names) {
    const ValuePlace place = only_place(changed, name);
    if (place.file == changed.main.name)
      put(changed.main.text, place, name);
    for (SourceFile& header : changed.headers)
      if (place.file == header.name)
        put(header.text, place, name);
  }
  return make_bundle(std::move(changed.main), std::move(changed.headers),
                     std::move(changed.folders), std::move(changed.before));
}

std::string rewriting_diff(const SourceBundle& before, const SourceBundle& after) {
  std::string diff = line_diff(before.main.text, after.main.text, before.main.name);
  for (std::size_t i = 0; i < before.headers.size(); ++i)
    diff += line_diff(before.headers[i].text, after.headers[i].text, before.headers[i].name);
  return diff;
}

} // namespace gridsmith
