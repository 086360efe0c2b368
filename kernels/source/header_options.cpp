// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/header_options.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gridsmith {
namespace {

/// The value of one of these options: in the word, or the next one.
class OptionReader {
public:
  explicit OptionReader(const std::vector<std::string>& words) : words_(words) {}

  bool done() const { return at_ >= words_.size(); }

  const std::string& next() { return words_[at_++]; }

  /// @param glued the value may follow without a "=", as in -Ix
  std::optional<std::string> value_of(std::string_view option, bool glued) {
    const std::string_view word = words_[at_];
    if (!word.starts_with(option))
      return std::nullopt;
    std::string_view value = word.substr(option.size());
    if (value.empty() && at_ + 1 < words_.size())
      value = words_[++at_];
    else if (value.starts_with('='))
      value.remove_prefix(1);
    else if (!glued)
      return std::nullopt;
    ++at_;
    return std::string(value);
  }

private:
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

template <std::size_t count>
std::optional<std::string> any_of(OptionReader& words,
                                  const std::array<std::string_view, count>& spellings) {
  for (const std::string_view spelling : spellings)
    if (auto value = words.value_of(spelling, false))
      return value;
  return std::nullopt;
}

/// Of -D: what it stands for, without quotes or brackets.
std::string meant_by(const std::string& option) {
  const std::size_t equals = option.find('=');
  std::string_view value = std::string_view(option).substr(equals + 1);
  constexpr std::string_view around = "\"<>\\ ";
  const std::size_t first = value.find_first_not_of(around), last = value.find_last_not_of(around);
  const bool none = equals == std::string::npos || first == std::string_view::npos;
  return none ? "" : std::string(value.substr(first, last - first + 1));
}

} // namespace

HeaderWords header_options(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 2> folder{"--include-path", "-include-path"};
  constexpr std::array<std::string_view, 6> before{"--pre-include", "-pre-include", "--preinclude",
                                                   "-preinclude",   "--include",    "-include"};
  HeaderWords found;
  for (OptionReader words(options); !words.done();)
    if (auto path = any_of(words, folder))
      found.folders.push_back(*std::move(path));
    else if (auto name = any_of(words, before))
      found.before.push_back(*std::move(name));
    else if (auto glued = words.value_of("-I", true))
      found.folders.push_back(*std::move(glued));
    else {
      found.others.push_back(words.next());
      if (std::string value = meant_by(found.others.back()); !value.empty())
        found.defined.push_back(std::move(value));
    }
  return found;
}

} // namespace gridsmith
