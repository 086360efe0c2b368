// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/launch_in_file.hpp"

#include "gridsmith/kernels/host_code/host_names.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

/// Between the place and `<<<`, in angle brackets of their own.
std::vector<std::string> templates_at(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::vector<std::string> found;
  if (last > first + 2 && tokens[first].text == "<")
    for (const Range part : parts_of(Range(tokens).subspan(first + 1, last - first - 2)))
      found.push_back(text_of(part));
  return found;
}

/// `dim3 grid(4), block(64)` too, and behind a macro without a semicolon.
bool is_declared_dim3(const Tokens& tokens, std::size_t name) {
  if (name > 1 && tokens[name - 1].text == "dim3" && tokens[name - 2].text == ")")
    return true;
  std::size_t at = name;
  while (at > 0 && tokens[at - 1].text != ";" && tokens[at - 1].text != "{" &&
         tokens[at - 1].text != "}")
    --at;
  while (at < name && (tokens[at].text == "const" || tokens[at].text == "static"))
    ++at;
  return at < name && tokens[at].text == "dim3" && (name == at + 1 || tokens[name - 1].text == ",");
}

std::vector<Range> extents_of(const Tokens& tokens, Range part, std::size_t first,
                              std::size_t place) {
  if (part.size() == 1)
    if (auto named = dim3_extents(tokens, part[0].text, first, place); !named.empty())
      return named;
  if (part.size() > 3 && part[0].text == "dim3" && part[1].text == "(")
    return parts_of(part.subspan(2, part.size() - 3));
  return {part};
}

std::vector<Range> arguments_of(const Tokens& tokens, std::size_t open) {
  if (open >= tokens.size() || tokens[open].text != "(")
    return {};
  const std::size_t end = behind_bracket(tokens, open, tokens.size());
  return parts_of(Range(tokens).subspan(open + 1, end - open - 2));
}

/// Extents that are assigned to: `grid.x = n / 64;`
void take_members(const Tokens& tokens, std::string_view name, std::size_t first,
                  std::size_t before, std::vector<Range>& extents) {
  constexpr std::string_view letters = "xyz";
  for (std::size_t at = first; at + 4 < before; ++at) {
    if (tokens[at].text != name || tokens[at + 1].text != "." || tokens[at + 2].text.size() != 1 ||
        !tokens[at + 3].text.ends_with('=') || tokens[at + 3].text == "==")
      continue;
    const std::size_t axis = letters.find(tokens[at + 2].text);
    std::size_t end = at + 4;
    while (end < before && tokens[end].text != ";")
      ++end;
    if (axis < extents.size())
      extents[axis] = tokens[at + 3].text == "=" ? Range(tokens).subspan(at + 4, end - at - 4)
                                                 : Range(); // not known
  }
}

} // namespace

/// `dim3 block(16, 16)`, `dim3 block = dim3(16, 16)`, `dim3 block{16, 16}`
std::vector<Range> dim3_extents(const Tokens& tokens, std::string_view name, std::size_t first,
                                std::size_t before) {
  std::vector<Range> found;
  first = std::max<std::size_t>(first, 1);
  for (std::size_t at = first; at + 2 < before; ++at) {
    if (tokens[at].text != name)
      continue;
    bool dim3 = is_declared_dim3(tokens, at);
    if (dim3 && (tokens[at + 1].text == ";" || tokens[at + 1].text == ",")) { // 1 each
      static const Tokens one = tokens_of("1");
      found.assign(3, Range(one));
    }
    std::size_t open = at + 1;
    for (; open < before && (tokens[open].text == "=" || tokens[open].text == "dim3"); ++open)
      dim3 |= tokens[open].text == "dim3";
    if (dim3 && open == at + 2 && tokens[at + 1].text == "=" && open < before &&
        tokens[open].text != "{") { // `dim3 grid = (n + 255) / 256;`
      std::size_t end = open;
      while (end < before && tokens[end].text != ";")
        ++end;
      found = {Range(tokens).subspan(open, end - open)};
      continue;
    }
    if (!dim3 || open >= before || (tokens[open].text != "(" && tokens[open].text != "{"))
      continue;
    const std::size_t end = behind_bracket(tokens, open, before);
    found = parts_of(Range(tokens).subspan(open + 1, end - open - 2));
  }
  take_members(tokens, name, first, before, found);
  return found;
}

namespace {

/// Of `void* arguments[] = {&a, &b};` before the place: a and b.
std::vector<Range> listed_arguments(const Tokens& tokens, Range name, std::size_t first,
                                    std::size_t before) {
  std::vector<Range> found;
  for (std::size_t at = first; name.size() == 1 && at + 4 < before; ++at) {
    if (tokens[at].text != name[0].text || tokens[at + 1].text != "[")
      continue;
    const std::size_t behind = behind_bracket(tokens, at + 1, before);
    if (behind + 1 >= before || tokens[behind].text != "=" || tokens[behind + 1].text != "{")
      continue;
    const std::size_t end = behind_bracket(tokens, behind + 1, before);
    found = parts_of(Range(tokens).subspan(behind + 2, end - behind - 3));
  }
  for (Range& one : found) {
    while (one.size() > 2 && one[0].text == "(") // a cast to void*
      one = one.subspan(std::min<std::size_t>(
          one.size(), static_cast<std::size_t>(
                          std::find_if(one.begin(), one.end(),
                                       [](const Token& token) { return token.text == ")"; }) -
                          one.begin()) +
                          1));
    if (!one.empty() && one[0].text == "&")
      one = one.subspan(1);
  }
  return found;
}

class Launches {
public:
  Launches(const Tokens& tokens, const std::string& kernel)
      : tokens_(tokens), kernel_(kernel), names_(tokens) {}

  std::vector<LaunchInFile> take() {
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (tokens_[at].text == kernel_)
        add_in_brackets(at);
    const bool by_call = found_.empty();
    for (std::size_t at = 0; by_call && at + 1 < tokens_.size(); ++at)
      if ((tokens_[at].text == "cudaLaunchCooperativeKernel" ||
           tokens_[at].text == "cudaLaunchKernel") &&
          tokens_[at + 1].text == "(")
        add_call(at);
    return std::move(found_);
  }

private:
  /// Where the function begins that has this place; 0: none has it.
  std::size_t function_begin(std::size_t place) const {
    for (const Declaration& one : names_.declarations())
      if (one.first <= place && place < one.last)
        return one.first;
    return 0;
  }

  /// Of a parameter `dim3 grid`, as the only caller has it.
  std::vector<Range> extents(Range part, std::size_t& place) const {
    constexpr int most_callers = 8; // callers of callers
    for (int i = 0; i < most_callers; ++i) {
      const auto parameter =
          part.size() == 1 ? names_.parameter(part[0].text, place) : std::optional<HostParameter>();
      const bool is_dim3 =
          parameter && std::any_of(parameter->written().begin(), parameter->written().end(),
                                   [](const Token& one) { return one.text == "dim3"; });
      const auto calls = is_dim3 ? names_.calls_of(*parameter->of) : std::vector<HostCall>();
      if (calls.size() != 1 || parameter->i >= calls[0].arguments.size())
        break;
      part = calls[0].arguments[parameter->i];
      place = calls[0].place;
    }
    return extents_of(tokens_, part, function_begin(place), place);
  }

  void take_shape(Range grid, Range block, LaunchInFile& launch) const {
    launch.grid_place = launch.block_place = launch.place;
    launch.grid = extents(grid, launch.grid_place);
    launch.block = extents(block, launch.block_place);
    launch.block_name = block.size() == 1 ? std::string(block[0].text) : "";
  }

  /// `kernel<float><<<grid, block, shared>>>(…)`
  void add_in_brackets(std::size_t at) {
    constexpr std::size_t longest = 64; // tokens of template arguments
    std::size_t open = at + 1;
    while (open < tokens_.size() && open < at + longest && tokens_[open].text != "<<<" &&
           tokens_[open].text != ";" && tokens_[open].text != "(")
      ++open;
    if (open >= tokens_.size() || tokens_[open].text != "<<<")
      return;
    std::size_t end = open + 1;
    while (end < tokens_.size() && tokens_[end].text != ";" && !closes(end))
      ++end;
    LaunchInFile launch;
    launch.place = launch.name = at;
    launch.templates = templates_at(tokens_, at + 1, open);
    launch.arguments = arguments_of(tokens_, end + 3);
    launch.arguments_known = true;
    const auto parts = parts_of(Range(tokens_).subspan(open + 1, end - open - 1));
    if (parts.size() > 2)
      launch.shared = parts[2];
    if (parts.size() > 1)
      take_shape(parts[0], parts[1], launch);
    found_.push_back(std::move(launch));
  }

  /// `>>>`
  bool closes(std::size_t at) const {
    return at + 2 < tokens_.size() && tokens_[at].text == ">" && tokens_[at + 1].text == ">" &&
           tokens_[at + 2].text == ">";
  }

  /// `cudaLaunchCooperativeKernel((void*)kernel, grid, block, arguments, shared)`
  void add_call(std::size_t at) {
    const std::size_t end = behind_bracket(tokens_, at + 1, tokens_.size());
    const auto parts = parts_of(Range(tokens_).subspan(at + 2, end - at - 3));
    if (parts.size() < 4)
      return;
    const auto name = std::find_if(parts[0].begin(), parts[0].end(),
                                   [&](const Token& one) { return one.text == kernel_; });
    if (name == parts[0].end())
      return;
    LaunchInFile launch;
    launch.place = at;
    launch.name = static_cast<std::size_t>(&*name - tokens_.data());
    const auto last = static_cast<std::size_t>(&parts[0].back() - tokens_.data()) + 1;
    launch.templates = templates_at(tokens_, launch.name + 1, last);
    take_shape(parts[1], parts[2], launch);
    launch.arguments = listed_arguments(tokens_, parts[3], function_begin(at), at);
    launch.arguments_known = !launch.arguments.empty();
    if (parts.size() > 4)
      launch.shared = parts[4];
    found_.push_back(std::move(launch));
  }

  const Tokens& tokens_;
  const std::string& kernel_;
  HostNames names_;
  std::vector<LaunchInFile> found_;
};

} // namespace

std::vector<LaunchInFile> launches_named(const Tokens& tokens, const std::string& kernel) {
  return Launches(tokens, kernel).take();
}

} // namespace gridsmith
