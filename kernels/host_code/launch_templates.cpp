// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/launch_templates.hpp"

#include "gridsmith/kernels/host_code/argument_type.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

class Launch {
public:
  Launch(const Tokens& tokens, const KernelSignature& kernel,
         const std::optional<LaunchInFile>& launch)
      : tokens_(tokens), kernel_(kernel), launch_(launch) {
    for (const Declaration& one : declarations_of(tokens))
      if (launch_ && one.kind == Declaration::Kind::function && one.first <= launch_->place &&
          launch_->place < one.last)
        function_ = one;
  }

  LaunchTemplates take() {
    LaunchTemplates found;
    found.arguments.resize(kernel_.templates.size());
    found.places.resize(kernel_.templates.size());
    if (!launch_ || !function_)
      return found;
    find_calls();
    for (std::size_t i = 0; i < found.arguments.size(); ++i) {
      const std::string text = i < launch_->templates.size()
                                   ? launch_->templates[i]
                                   : passed_type(kernel_.templates[i].name);
      found.arguments[i] = meant(text);
      found.places[i] = of_function_.contains(text) ? call_ : launch_->place;
    }
    found.of_function = of_function_;
    return found;
  }

private:
  /// `dot<float>(n, iterations)`: the first, or the first without types that no definition has elements of.
  void find_calls() {
    const auto parameters = templates_of(tokens_, *function_);
    const std::size_t open = parameters_of(tokens_, *function_);
    if (parameters.empty() || open == function_->first || open >= function_->body)
      return;
    for (const TemplateParameter& one : parameters)
      of_function_.emplace(one.name, one.otherwise);
    std::vector<Range> given;
    for (std::size_t at = 0; at + 1 < tokens_.size() && (call_ == 0 || names_no_elements(given));
         ++at) {
      const std::size_t end = behind_angles(tokens_, at + 1, tokens_.size());
      if (tokens_[at].text != tokens_[open - 1].text || tokens_[at].kind != TokenKind::word ||
          at + 1 == open || end == at + 1 || end >= tokens_.size() || tokens_[end].text != "(")
        continue;
      auto passed = parts_of(Range(tokens_).subspan(at + 2, end - at - 3));
      if (call_ > 0 && names_no_elements(passed))
        continue;
      given = std::move(passed);
      call_ = at;
    }
    for (std::size_t i = 0; i < parameters.size() && i < given.size(); ++i)
      of_function_[parameters[i].name] = text_of(given[i]);
  }

  static bool names_no_elements(const std::vector<Range>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](Range one) {
      return !one.empty() && is_type_of_cuda(one.back().text) && !type_of_word(text_of(one));
    });
  }

  std::string meant(const std::string& text) const {
    const auto found = of_function_.find(text);
    return found == of_function_.end() ? text : found->second;
  }

  /// Of what is passed for a parameter `T x` or `const T* x`.
  std::string passed_type(const std::string& name) const {
    for (std::size_t i = 0; i < kernel_.parameters.size() && i < launch_->arguments.size(); ++i) {
      const Tokens type = tokens_of(kernel_.parameters[i].type);
      const bool is_it =
          std::count_if(type.begin(), type.end(),
                        [](const Token& one) {
                          return one.kind == TokenKind::word && one.text != "const";
                        }) == 1 &&
          std::any_of(type.begin(), type.end(), [&](const Token& one) { return one.text == name; });
      if (!is_it || launch_->arguments[i].size() != 1)
        continue;
      if (std::string found = declared_type(launch_->arguments[i][0].text); !found.empty())
        return found;
    }
    return "";
  }

  /// "float" of `float *a, *b;` or of a parameter `const float* a`, in the function that launches.
  std::string declared_type(std::string_view variable) const {
    for (std::size_t at = parameters_of(tokens_, *function_); at < launch_->place; ++at) {
      if (tokens_[at].text != variable)
        continue;
      const bool in_head = at < function_->body;
      std::size_t first = at;
      while (first > 0 && !begins(tokens_[first - 1].text, in_head))
        --first;
      std::string type;
      for (std::size_t word = first; word < at && tokens_[word].kind == TokenKind::word; ++word)
        if (tokens_[word].text != "const")
          type += (type.empty() ? "" : " ") + std::string(tokens_[word].text);
      const Range between = Range(tokens_).subspan(first, at - first);
      const bool plain = std::none_of(between.begin(), between.end(), [](const Token& one) {
        return one.text == "(" || one.text == "=" || one.text == "return" || one.text == "<";
      });
      if (plain && !type.empty())
        return type;
    }
    return "";
  }

  static bool begins(std::string_view before, bool in_head) {
    return before == ";" || before == "{" || before == "}" ||
           (in_head && (before == "," || before == "("));
  }

  const Tokens& tokens_;
  const KernelSignature& kernel_;
  const std::optional<LaunchInFile>& launch_;
  std::optional<Declaration> function_;
  std::map<std::string, std::string> of_function_;
  std::size_t call_ = 0; ///< of it
};

} // namespace

LaunchTemplates launch_templates(const Tokens& tokens, const KernelSignature& kernel,
                                 const std::optional<LaunchInFile>& launch) {
  return Launch(tokens, kernel, launch).take();
}

} // namespace gridsmith
