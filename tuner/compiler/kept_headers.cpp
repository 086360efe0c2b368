// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/kept_headers.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/kernels/source/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

// CUB opens 600, which take a second; cuda_fp16.h alone a dozen, which take as long as using them again.
constexpr std::size_t fewest_headers = 64;
constexpr std::uintmax_t least_room = 1ULL << 30; // bytes; one file takes 190 MB

bool has_room(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available >= least_room;
}

} // namespace

std::optional<KeptHeaders::Form> KeptHeaders::form(const CompileJob& job,
                                                   const std::vector<SourceFile>& files,
                                                   const fs::path& folder,
                                                   const Opened& opened_by) {
  const std::string& text = files.front().text;
  std::set<std::string> own;
  for (const SourceFile& file : files)
    own.insert(file.name);
  const std::size_t leading = given_up_ ? 0 : leading_includes(text, own);
  const auto split = leading > 0 ? split_options(job.request.options) : std::nullopt;
  if (!split)
    return std::nullopt;
  const std::string head = text.substr(0, leading);
  const std::string seen =
      fmt::format("{}\n{}\n{}", head, fmt::join(split->others, "\n"), job.compute_capability);
  const bool again = std::exchange(seen_, seen) == seen;
  if (!again) {
    headers_ = 0;
    words_.clear();
  }
  if (!again && !job.more_follow)
    return std::nullopt; // a source that is compiled once is not compiled to be kept
  if (headers_ == 0) {
    const std::vector<std::string> opened = opened_by(head, split->others);
    headers_ = opened.size() + 1;
    if (headers_ > fewest_headers)
      for (const std::string& header : opened)
        add_words(read_unpacked(header), words_);
  }
  const auto named = [&](const Macro& macro) { return words_.contains(macro.name); };
  if (headers_ <= fewest_headers ||
      std::any_of(split->macros.begin(), split->macros.end(), named) || !has_room(folder))
    return std::nullopt;
  return Form{with_stop(text, leading, files.front().name, split->macros), split->others};
}

} // namespace gridsmith
