// SPDX-License-Identifier: Apache-2.0
// Text by what is seen of it: how wide it is, cut and broken to a width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

/// "1 configuration", "2 configurations", "3 launches"
std::string counted(std::uint64_t count, const std::string& noun);

/// "a, b and 3 more": at most so many of a list.
std::string some_of(std::span<const std::string> list, std::size_t most);

/// Without the white space around it.
std::string_view trimmed(std::string_view text);
/// With small letters of ASCII in place of capitals.
std::string lower_case(std::string text);

/// Characters that a text takes, where each has one place: continuation bytes of UTF-8 take none.
std::size_t width_of(std::string_view text);
/// Of the longest of its lines.
std::size_t widest_line(const std::string& text);
/// Of the longest of its words.
std::size_t widest_word(const std::string& text);
/// At most so many characters; one that had to be cut ends with "…".
std::string cut(const std::string& text, std::size_t width);
/// Broken at blanks into lines of at most `width` where the words allow it; all but the first are
/// indented. No newline at the end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);
/// The title and, from `column` on, the text broken into lines of at most `width`; a title too wide
/// for its column has a line of its own, and a word too wide for the second column moves it to the left. Ends with a newline.
std::string two_columns(const std::string& title, const std::string& text, std::size_t column,
                        std::size_t width);

} // namespace gridsmith
