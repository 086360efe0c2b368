// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/device_part.hpp"

#include "gridsmith/kernels/host_code/spliced_source.hpp"
#include "gridsmith/kernels/source/host_headers.hpp"
#include "gridsmith/kernels/source/words.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace gridsmith {
namespace {

/// Of the toolkit, for the device.
bool is_of_device(std::string_view header) {
  for (const std::string_view start :
       {"cuda/", "cub/", "cooperative_groups", "cuda_", "mma.h", "math_constants.h",
        "curand_kernel.h", "device_functions.h", "vector_types.h", "sm_"})
    if (header.starts_with(start))
      return header != "cuda_profiler_api.h" && header != "cuda_gl_interop.h";
  return false;
}

/// What a kernel may use of the host's headers, by the word that it uses.
struct Replacement {
  std::string_view word, line;
};

constexpr Replacement replacements[] = {
    {"uint", "typedef unsigned int uint;"},      {"ushort", "typedef unsigned short ushort;"},
    {"uchar", "typedef unsigned char uchar;"},   {"ulong", "typedef unsigned long ulong;"},
    {"half", "#include <cuda_fp16.h>"},          {"__half", "#include <cuda_fp16.h>"},
    {"half2", "#include <cuda_fp16.h>"},         {"__half2", "#include <cuda_fp16.h>"},
    {"__nv_bfloat16", "#include <cuda_bf16.h>"},
};

/// Names whose definition is not of this file's parts.
bool is_of_host(std::string_view word) {
  constexpr std::string_view words[] = {"FILE", "string", "vector", "ostream",     "istream",
                                        "main", "argv",   "dim3",   "size_of_host"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words) ||
         (word.size() > 4 && word.starts_with("cuda") && 'A' <= word[4] && word[4] <= 'Z' &&
          word != "cudaTextureObject_t" && word != "cudaSurfaceObject_t");
}

class Part {
public:
  explicit Part(const SourceBundle& source) : files_(with_resolved_includes(source)) {}

  DevicePart take() {
    add(files_.front());
    WordSet words;
    add_code_words(text_, words);
    std::set<std::string, std::less<>> head;
    for (const auto& [word, line] : replacements)
      if (words.contains(word) && !defines(word))
        head.emplace(line);
    for (const std::string_view word : words)
      if (const std::string_view header = host_header_of(word); !header.empty() && !defines(word))
        head.insert(fmt::format("#include <{}>", header));
    if (words.contains("std")) {
      head.insert(host_includes_.begin(), host_includes_.end());
      for (const std::string_view word : words)
        if (const std::string_view header = std_header_of(word);
            !header.empty() && is_in_code(text_, "std::", word))
          head.insert(fmt::format("#include <{}>", header));
    }
    return {fmt::format("{}{}{}", fmt::join(head, "\n"), head.empty() ? "" : "\n", text_),
            left_out_};
  }

private:
  bool defines(std::string_view word) const {
    return is_in_code(text_, "#define", word) || is_in_code(text_, "typedef", word);
  }

  /// At most this deep: headers that include each other are in their places once.
  void add(const SourceFile& file) {
    done_.insert(file.name);
    const Tokens tokens = tokens_of(file.text);
    for (const Token& token : tokens)
      note_device_macro(token);
    for (const Declaration& one : declarations_of(tokens))
      if (one.kind == Declaration::Kind::directive)
        add_directive(tokens[one.first].text);
      else
        add_declaration(file.text, tokens, one);
    enter("");
  }

  /// `#define DEVICE __device__ inline`
  void note_device_macro(const Token& token) {
    if (token.kind != TokenKind::directive || directive_name(token.text) != "define")
      return;
    const std::string_view rest = directive_rest(token.text);
    const Tokens words = tokens_of(rest);
    if (std::any_of(words.begin(), words.end(), [&](const Token& one) {
          return one.text == "__device__" || one.text == "__global__" ||
                 device_words_.contains(one.text);
        }))
      device_words_.emplace(rest.substr(0, rest.find_first_of(" \t(")));
  }

  void add_directive(std::string_view line) {
    const std::string_view name = directive_name(line);
    if (name == "include")
      return add_include(directive_rest(line), line);
    if (name == "pragma" && directive_rest(line) == "once")
      return;
    write(std::string(line));
  }

  void add_include(std::string_view what, std::string_view line) {
    const std::string_view name = what.size() > 2 ? what.substr(1, what.size() - 2) : "";
    if (const SourceFile* file = included_file(files_, line)) {
      if (!done_.contains(file->name) && done_.size() < 200)
        add(*file);
      return;
    }
    if (what.starts_with('<') && is_of_device(name))
      return write(std::string(line));
    ++left_out_;
    if (std::any_of(host_headers().begin(), host_headers().end(), [name](const HostHeader& one) {
          return one.name == name && !one.text.empty();
        }))
      host_includes_.insert(fmt::format("#include <{}>", name));
  }

  void add_declaration(const std::string& text, const Tokens& tokens, const Declaration& one) {
    const std::span<const Token> parts = std::span(tokens).subspan(one.first, one.last - one.first);
    if (!is_kept(parts, one)) {
      ++left_out_;
      return;
    }
    enter(one.scope);
    const Token& last = parts.back();
    std::string written =
        text.substr(parts.front().at, last.at + last.text.size() - parts.front().at);
    if (is_real_constant(parts)) // device code may use no other
      written.replace(written.find("const"), 5, "constexpr");
    write(written);
  }

  /// `const float half = 0.5f;`
  static bool is_real_constant(std::span<const Token> parts) {
    const std::size_t at = parts.front().text == "static" ? 1 : 0;
    return parts.size() > at + 4 && parts[at].text == "const" &&
           (parts[at + 1].text == "float" || parts[at + 1].text == "double") &&
           parts[at + 3].text == "=";
  }

  bool is_kept(std::span<const Token> parts, const Declaration& one) const {
    const auto has = [&](std::string_view word) {
      return std::any_of(parts.begin(), parts.end(),
                         [&](const Token& token) { return token.text == word; });
    };
    const bool device =
        has("__device__") || has("__global__") || has("__constant__") || has("__shared__") ||
        std::any_of(parts.begin(), parts.end(),
                    [&](const Token& token) { return device_words_.contains(token.text); });
    if (device)
      return true;
    const bool host = std::any_of(parts.begin(), parts.end(), [](const Token& token) {
      return token.kind == TokenKind::word && is_of_host(token.text);
    });
    if (host || has("<<<") || (names_std_of_host(parts) && !has("cuda")))
      return false;
    if (one.kind == Declaration::Kind::function) {
      const auto head = parts.first(one.body - one.first);
      return std::any_of(head.begin(), head.end(),
                         [](const Token& token) { return token.text == "constexpr"; });
    }
    return is_type_or_constant(parts);
  }

  /// Anything in std but what device code has of it: `std::string`.
  static bool names_std_of_host(std::span<const Token> parts) {
    for (auto at = parts.begin(); (at = std::find_if(at, parts.end(), is_std)) != parts.end();) {
      at = std::find_if(at + 1, parts.end(),
                        [](const Token& token) { return token.kind == TokenKind::word; });
      if (at == parts.end() || std_header_of(at->text).empty())
        return true;
    }
    return false;
  }

  static bool is_std(const Token& token) { return token.text == "std"; }

  static bool is_type_or_constant(std::span<const Token> parts) {
    constexpr std::string_view begins[] = {
        "typedef",   "using",  "struct",    "class",         "union",    "enum",  "const",
        "constexpr", "static", "namespace", "static_assert", "template", "inline"};
    if (std::find(std::begin(begins), std::end(begins), parts.front().text) == std::end(begins))
      return false;
    const bool fixed = std::any_of(parts.begin(), parts.end(), [](const Token& token) {
      return token.text == "const" || token.text == "constexpr";
    });
    const bool of_type = parts.front().text != "static" && parts.front().text != "inline";
    // A prototype of the host: `static int f(int);`
    const bool call = parts.size() > 2 && parts[parts.size() - 2].text == ")" &&
                      parts.back().text == ";" && parts.front().text != "typedef" &&
                      parts.front().text != "static_assert" && parts.front().text != "using";
    return (of_type || fixed) && (!call || fixed);
  }

  void enter(const std::string& scope) {
    if (scope == scope_)
      return;
    if (!scope_.empty())
      text_ += "}\n";
    if (!scope.empty())
      text_ += "namespace " + scope.substr(0, scope.size() - 2) + " {\n";
    scope_ = scope;
  }

  void write(const std::string& text) { text_ += text + "\n"; }

  std::vector<SourceFile> files_;
  std::set<std::string> done_;
  std::set<std::string, std::less<>> device_words_;
  std::set<std::string> host_includes_; ///< of what device code may name in std
  std::string text_, scope_;
  std::size_t left_out_ = 0;
};

} // namespace

DevicePart device_part(const SourceBundle& source) {
  return Part(source).take();
}

} // namespace gridsmith
