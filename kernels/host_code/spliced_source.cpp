// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/spliced_source.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace gridsmith {
namespace {

constexpr std::size_t most_tokens = 60'000; // each value is looked up in all of them
constexpr int deepest_include = 50;

class Splicing {
public:
  explicit Splicing(const std::vector<SourceFile>& files) : files_(files) {}

  Tokens take() {
    done_.insert(&files_.front());
    add(tokens_of(files_.front().text), 0);
    return std::move(tokens_);
  }

private:
  void add(const Tokens& tokens, int depth) {
    for (const Token& token : tokens)
      if (!include(token, depth))
        tokens_.push_back(token);
  }

  bool include(const Token& token, int depth) {
    const SourceFile* file =
        token.kind == TokenKind::directive ? included_file(files_, token.text) : nullptr;
    if (!file || depth > deepest_include || !done_.insert(file).second)
      return file && file != &files_.front();
    const Tokens tokens = tokens_of(file->text);
    if (tokens_.size() + tokens.size() > most_tokens)
      return false;
    add(tokens, depth + 1);
    return true;
  }

  const std::vector<SourceFile>& files_;
  std::set<const SourceFile*> done_;
  Tokens tokens_;
};

} // namespace

const SourceFile* included_file(const std::vector<SourceFile>& files, std::string_view directive) {
  const std::string_view what =
      directive_name(directive) == "include" ? directive_rest(directive) : "";
  const std::string_view name = what.size() > 2 ? what.substr(1, what.size() - 2) : "";
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const SourceFile& one) { return one.name == name; });
  return file == files.end() || name.empty() ? nullptr : &*file;
}

SplicedSource spliced(const SourceBundle& bundle) {
  auto files = std::make_shared<const std::vector<SourceFile>>(with_resolved_includes(bundle));
  Tokens tokens = Splicing(*files).take();
  return {std::move(files), std::move(tokens)};
}

bool is_of(const Token& token, std::string_view text) {
  const std::less_equal<const char*> before;
  return before(text.data(), token.text.data()) &&
         before(token.text.data() + token.text.size(), text.data() + text.size());
}

} // namespace gridsmith
