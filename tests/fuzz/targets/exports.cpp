// SPDX-License-Identifier: Apache-2.0
// Any recording, written in every format and read back: ours, T4 and caches by our readers, the header by a
// look at what is left of it beside comments and texts, CSV by its columns.
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace gridsmith::fuzz::exports {

namespace {

std::optional<std::string> text_in(const char* format, const Export& exported) {
  std::optional<std::string> text;
  answered([&] { text = export_text(export_format(format), {&exported, 1}); });
  return text;
}

/// The second writing equals the first: nothing was lost or made up on the way. What tunes nothing
/// is no recording that we read.
void check_recording(const Export& exported) {
  if (exported.recording.parameters.empty())
    return;
  const auto text = text_in("recording", exported);
  if (!text)
    return;
  Export again;
  must_answer("our own recording is not read again",
              [&] { again.recording = read_gridsmith_recording(*text, "written"); });
  require(again.recording.measurements.size() == exported.recording.measurements.size(),
          "rows are lost in our own format");
  require(text_in("recording", again) == text, "a recording changes when read and written again");
}

void check_t4(const Export& exported) {
  const auto text = text_in("t4", exported);
  if (!text)
    return;
  must_answer("our own T4 file is not read again", [&] { read_t4(*text, "written"); });
}

void check_cache(const Export& exported) {
  const auto text = text_in("kernel-tuner", exported);
  if (!text)
    return;
  must_answer("our own cache is not read again",
              [&] { read_kernel_tuner_cache(*text, "written"); });
}

/// JSON of anything is JSON, with one answer.
void check_json(const Export& exported) {
  must_answer("an answer cannot be written as JSON", [&] {
    const auto json = nlohmann::json::parse(export_text(export_format("json"), {&exported, 1}));
    require(json.at("answers").size() == 1, "an answer is lost in JSON");
  });
}

/// Quotes are balanced and every row has the columns of the first.
void check_csv(const Export& exported) {
  const auto text = text_in("csv", exported);
  if (!text)
    return;
  bool quoted = false;
  std::size_t columns = 0, first = 0;
  for (const char c : *text) {
    quoted ^= c == '"';
    columns += !quoted && c == ',';
    if (quoted || c != '\n')
      continue;
    first = first == 0 ? columns : first;
    require(columns == first, "a CSV row has other columns than the first");
    columns = 0;
  }
  require(!quoted, "a CSV text has no end");
}

/// The header without its comments and string literals.
std::string code_of(const std::string& header) {
  std::string code;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header.compare(i, 2, "//") == 0) {
      i = std::min(header.find('\n', i), header.size());
      require(i == 0 || header[i - 1] != '\\', "a comment goes on in the next line");
      code += '\n';
    } else if (header[i] == '"') {
      for (++i; i < header.size() && header[i] != '"'; ++i) {
        require(header[i] != '\n', "a text leaves its line");
        i += header[i] == '\\';
      }
      code += "text";
    } else {
      code += header[i];
    }
  }
  return code;
}

/// What headers are told apart by, and what they need.
bool is_ours(std::string_view directive) {
  constexpr std::array ours{"#pragma once", "#include <", "#else",       "#endif",     "GRIDSMITH_",
                            "__CUDA",       "__GNUC__",   "__cplusplus", "#error text"};
  return std::any_of(ours.begin(), ours.end(),
                     [&](const char* one) { return directive.find(one) != directive.npos; });
}

/// Nothing of a recording may be code: no directive of the preprocessor but ours, no character that
/// we do not write, braces in balance.
void check_header(const Export& exported) {
  const auto text = text_in("header", exported);
  if (!text)
    return;
  std::string code = code_of(*text);
  for (std::size_t at = 0;
       (at = code.find(" \\\n", at)) != code.npos;) // of a macro of several lines
    code.erase(at, 3);
  for (const std::string& line : lines_of(code))
    if (line.find('#') != line.npos)
      require(is_ours(line), "a directive that is not ours: " + line);
  require(code.find_first_of("`$@\\'\x7f\r") == code.npos, "a character that we do not write");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; };
  require(std::none_of(text->begin(), text->end(), control), "a control character in a header");
  require(std::count(code.begin(), code.end(), '{') == std::count(code.begin(), code.end(), '}'),
          "braces are not in balance");
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  const auto file = file_with(text_of(bytes, count), "recording.json");
  Export exported;
  if (!answered([&] { exported.recording = read_recording(file); }))
    return;
  exported.recording.format = "gridsmith";
  check_recording(exported);
  check_t4(exported);
  check_cache(exported);
  check_json(exported);
  check_csv(exported);
  check_header(exported);
}

} // namespace gridsmith::fuzz::exports
