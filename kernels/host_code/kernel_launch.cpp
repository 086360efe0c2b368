// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/kernel_launch.hpp"

#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/host_code/declared_types.hpp"
#include "gridsmith/kernels/host_code/launch_templates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Kernels = std::vector<const KernelSignature*>;

/// What is passed for a pointer to floats is no pointer to doubles.
enum class Fit { no, maybe, yes };

class Matching {
public:
  Matching(const Tokens& tokens, std::span<const KernelSignature> kernels, const std::string& name)
      : tokens_(tokens), declarations_(declarations_of(tokens)) {
    for (const KernelSignature& one : kernels)
      if (one.name == name)
        named_.push_back(&one);
  }

  Kernels meant(const LaunchInFile& launch) const {
    if (named_.size() == 1 && qualifier(launch.name).empty())
      return named_;
    Kernels found = of_namespace(launch);
    if (found.size() < 2)
      return found;
    Kernels taking = found;
    std::erase_if(taking, [&](const KernelSignature* one) { return !takes(*one, launch); });
    if (taking.size() < 2)
      return taking.empty() ? found : taking;
    found = std::move(taking);
    const Types types = launch_templates(tokens_, *found.front(), launch).of_function;
    std::erase_if(found,
                  [&](const KernelSignature* one) { return fit(*one, launch, types) == Fit::no; });
    Kernels exact = found;
    std::erase_if(exact,
                  [&](const KernelSignature* one) { return fit(*one, launch, types) != Fit::yes; });
    return exact.empty() ? found : exact;
  }

private:
  /// Of the template of the function that launches, by parameter.
  using Types = std::map<std::string, std::string>;

  // ---- namespaces

  /// "a::" of `a::add`, "::" of `::add`.
  std::string qualifier(std::size_t name) const {
    std::string text;
    for (std::size_t at = name; at > 0 && tokens_[at - 1].text == "::"; at -= 2) {
      const bool named = at > 1 && tokens_[at - 2].kind == TokenKind::word &&
                         tokens_[at - 2].text != "return" && tokens_[at - 2].text != "else";
      text.insert(0, "::");
      if (named)
        text.insert(0, tokens_[at - 2].text);
      if (!named)
        break;
    }
    return text;
  }

  const Declaration* function_of(std::size_t place) const {
    for (const Declaration& one : declarations_)
      if (one.first <= place && place < one.last)
        return &one;
    return nullptr;
  }

  /// "a::b::", "a::", ""
  static std::vector<std::string> around(std::string scope) {
    std::vector<std::string> all{scope};
    while (!scope.empty()) {
      const std::size_t end = scope.rfind("::", scope.size() - 3);
      scope = scope.size() < 3 || end == scope.npos ? "" : scope.substr(0, end + 2);
      all.push_back(scope);
    }
    return all;
  }

  /// "b::" of `using namespace b;`, and of `using b::add;`, that hold at this place.
  std::vector<std::string> used(std::size_t place, std::string_view kernel) const {
    std::vector<std::string> found;
    const Declaration* here = function_of(place);
    for (std::size_t at = 0; at + 2 < place; ++at) {
      if (tokens_[at].text != "using")
        continue;
      const bool whole = tokens_[at + 1].text == "namespace";
      std::size_t end = at + (whole ? 2 : 1);
      std::string text;
      for (; end < place && tokens_[end].text != ";"; ++end)
        text += tokens_[end].text;
      const Declaration* there = function_of(at);
      const bool holds = there == here || !there || there->kind != Declaration::Kind::function;
      if (holds && whole)
        found.push_back(text + "::");
      else if (holds && text.ends_with("::" + std::string(kernel)))
        found.push_back(text.substr(0, text.size() - kernel.size()));
    }
    return found;
  }

  /// `namespace short_name = a::b;`
  std::string without_alias(const std::string& scope) const {
    for (std::size_t at = 0; at + 3 < tokens_.size(); ++at) {
      if (tokens_[at].text != "namespace" || tokens_[at + 2].text != "=" ||
          !scope.starts_with(std::string(tokens_[at + 1].text) + "::"))
        continue;
      std::string text;
      for (std::size_t end = at + 3; end < tokens_.size() && tokens_[end].text != ";"; ++end)
        text += tokens_[end].text;
      return text + scope.substr(tokens_[at + 1].text.size());
    }
    return scope;
  }

  Kernels in(const std::string& scope) const {
    Kernels found;
    for (const KernelSignature* one : named_)
      if (one->scope == scope)
        found.push_back(one);
    return found;
  }

  /// As C++ looks names up; what that does not find is not understood, and may be any whose namespaces have the name.
  Kernels of_namespace(const LaunchInFile& launch) const {
    std::string named = qualifier(launch.name);
    const bool global = named.starts_with("::");
    named = without_alias(global ? named.substr(2) : named);
    const Declaration* here = function_of(launch.place);
    const auto scopes = around(here && !global ? here->scope : "");
    for (const std::string& scope : scopes) {
      Kernels found = in(scope + named);
      if (scope.empty() && !global)
        for (const std::string& use : used(launch.place, tokens_[launch.name].text))
          for (const std::string& outer : scopes)
            for (const KernelSignature* one :
                 in(fmt::format("{}{}{}", outer, without_alias(use), named)))
              if (std::find(found.begin(), found.end(), one) == found.end())
                found.push_back(one);
      if (!found.empty())
        return found;
    }
    Kernels others = named_;
    std::erase_if(others, [&](const KernelSignature* one) {
      return ("::" + one->scope).find("::" + named) == std::string::npos;
    });
    return others;
  }

  // ---- what is passed

  static bool takes(const KernelSignature& kernel, const LaunchInFile& launch) {
    const std::size_t given = launch.arguments.size();
    const bool pack = !kernel.templates.empty() && kernel.templates.back().kind.ends_with("...");
    const bool counts = !launch.arguments_known || pack ||
                        (given <= kernel.parameters.size() && given >= least_arguments(kernel));
    return counts && (pack || launch.templates.size() <= kernel.templates.size());
  }

  /// As far as what is passed is understood, which is no kernel's merit.
  Fit fit(const KernelSignature& kernel, const LaunchInFile& launch, const Types& types) const {
    std::optional<Fit> all;
    for (std::size_t i = 0; i < launch.arguments.size() && i < kernel.parameters.size(); ++i)
      if (const auto one =
              fit_of(kernel, kernel.parameters[i], launch.arguments[i], launch.place, types))
        all = std::min(all.value_or(Fit::yes), *one);
    return all.value_or(Fit::maybe);
  }

  struct Plain {
    std::string name;
    std::size_t stars = 0;
    bool known = false; ///< a type of numbers
  };

  /// Without const, and what a typedef or a parameter of a template stands for.
  Plain plain(Range type, std::size_t stars, const Types& types = {}) const {
    Plain found{"", stars};
    for (const Token& token : type) {
      found.stars += token.text == "*" ? 1 : 0;
      if (token.kind == TokenKind::word && !is_type_specifier(token.text))
        found.name += (found.name.empty() ? "" : " ") + std::string(token.text);
    }
    if (const auto given = types.find(found.name); given != types.end() && !given->second.empty())
      found.name = given->second;
    constexpr int most_names = 8; // of a type that is named by another
    for (int i = 0; !type_of_word(found.name) && i < most_names; ++i) {
      const std::string meaning = meaning_in(tokens_, found.name);
      if (meaning.empty())
        return found;
      found.name = meaning;
    }
    if (const auto word = type_of_word(found.name)) {
      found.name = fmt::format("{} {}", word->word, word->count);
      found.known = true;
    }
    return found;
  }

  std::optional<Fit> fit_of(const KernelSignature& kernel, const KernelParameter& parameter,
                            Range passed, std::size_t place, const Types& types) const {
    const auto given =
        passed.size() == 1 ? declared(passed[0].text, place) : std::optional<DeclaredType>();
    if (!given)
      return std::nullopt;
    const Tokens type = tokens_of(parameter.type);
    const Plain wanted = plain(type, 0);
    const Plain there = plain(given->type, given->stars + given->arrays, types);
    const bool open = std::any_of(
        kernel.templates.begin(), kernel.templates.end(),
        [&](const TemplateParameter& one) { return !one.name.empty() && one.name == wanted.name; });
    if (wanted.stars == there.stars && wanted.name == there.name && !open)
      return Fit::yes;
    const bool numbers = wanted.stars == 0 && there.stars == 0; // one becomes the other
    return open || numbers || !wanted.known || !there.known ? Fit::maybe : Fit::no;
  }

  /// As the function has it last before the place, else as it is outside of functions.
  std::optional<DeclaredType> declared(std::string_view name, std::size_t place) const {
    std::optional<DeclaredType> found;
    const auto take = [&](std::size_t first, std::size_t last) {
      for (std::size_t at = last; at > first && !found; --at)
        if (tokens_[at - 1].text == name && tokens_[at - 1].kind == TokenKind::word)
          found = declared_at(tokens_, at - 1);
    };
    if (const Declaration* here = function_of(place))
      take(here->first, place);
    for (const Declaration& one : declarations_)
      if (one.kind == Declaration::Kind::other)
        take(one.first, one.last);
    return found;
  }

  const Tokens& tokens_;
  std::vector<Declaration> declarations_;
  Kernels named_;
};

/// `for` and `while` that repeat what stands at the place: blocks, and one without a block.
std::size_t loops_around(const Tokens& tokens, std::size_t place) {
  std::vector<bool> blocks; ///< that are open: whether each is a loop's
  for (std::size_t at = 0; at < place; ++at) {
    const std::string_view text = tokens[at].text;
    if ((text == "for" || text == "while") && tokens[at + 1].text == "(") {
      at = behind_bracket(tokens, at + 1, tokens.size());
      while (at < place && tokens[at].text != ";" && tokens[at].text != "{")
        at = tokens[at].text == "(" ? behind_bracket(tokens, at, tokens.size()) : at + 1;
      if (at >= place)
        return 1 + static_cast<std::size_t>(std::count(blocks.begin(), blocks.end(), true));
      if (tokens[at].text == "{")
        blocks.push_back(true);
    } else if (text == "{") {
      blocks.push_back(false);
    } else if (text == "}" && !blocks.empty()) {
      blocks.pop_back();
    }
  }
  return static_cast<std::size_t>(std::count(blocks.begin(), blocks.end(), true));
}

std::string doubt_of(const Tokens& tokens, const LaunchInFile& launch, const Kernels& meant) {
  std::vector<std::string> arguments, kernels;
  for (const Range one : launch.arguments)
    arguments.push_back(text_of(one));
  for (const KernelSignature* one : meant)
    kernels.push_back(signature_text(*one));
  return fmt::format("the launch {}<<<…>>>({}) in the file may be one of {}, and is not followed",
                     tokens[launch.name].text, fmt::join(arguments, ", "),
                     fmt::join(kernels, " or of "));
}

} // namespace

std::size_t least_arguments(const KernelSignature& kernel) {
  const auto first =
      std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                   [](const KernelParameter& one) { return !one.otherwise.empty(); });
  return static_cast<std::size_t>(first - kernel.parameters.begin());
}

KernelLaunch launch_of(const Tokens& tokens, std::span<const KernelSignature> kernels,
                       const KernelSignature& kernel) {
  KernelLaunch found;
  const Matching matching(tokens, kernels, kernel.name);
  for (LaunchInFile& launch : launches_named(tokens, kernel.name)) {
    const Kernels meant = matching.meant(launch);
    const auto is_it = [&](const KernelSignature* one) { return is_same_kernel(*one, kernel); };
    if (std::none_of(meant.begin(), meant.end(), is_it))
      continue;
    const bool certain = std::all_of(meant.begin(), meant.end(), is_it);
    found.count += certain ? 1 : 0;
    const std::size_t loops = loops_around(tokens, launch.place);
    if (certain && (!found.launch || loops > found.loops)) {
      found.launch = std::move(launch);
      found.loops = loops;
    } else if (!certain && found.doubt.empty())
      found.doubt = doubt_of(tokens, launch, meant);
  }
  if (found.launch)
    found.doubt.clear();
  return found;
}

} // namespace gridsmith
