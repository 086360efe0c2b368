// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/kernels/draft/name_words.hpp"
#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/host_code/host_values.hpp"
#include "gridsmith/kernels/host_code/kernel_launch.hpp"
#include "gridsmith/kernels/host_code/launch_templates.hpp"
#include "gridsmith/kernels/host_code/launch_values.hpp"
#include "gridsmith/kernels/source/letters.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace gridsmith {
namespace {

bool is_of_block(const std::string& name) {
  const std::string text = in_small_letters(name);
  return has_word(text,
                  {"block", "thread", "tile", "wg_size", "wgsize", "bsize", "workgroup", "tpb"}) ||
         text == "bs" || text == "bx" || text == "by" || text == "bdim";
}

bool is_of_items(const std::string& name) {
  return has_word(name, {"unroll", "items", "per_thread", "coarsen", "vec_size"});
}

/// Powers of two around what the source has.
std::vector<std::int64_t> values_near(const std::string& name, std::int64_t usual) {
  std::vector<std::int64_t> values{1, 2, 4, 8};
  if (is_of_block(name) && !is_of_items(name))
    values = usual > 32 ? std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024}
                        : std::vector<std::int64_t>{4, 8, 16, 32};
  if (std::find(values.begin(), values.end(), usual) == values.end())
    values.push_back(usual);
  std::sort(values.begin(), values.end());
  return values;
}

bool uses(const ReadSource& source, const KernelSignature& kernel, const std::string& name) {
  for (std::size_t at = kernel.declaration.first; at < kernel.declaration.last; ++at)
    if (source.tokens[at].text == name)
      return true;
  return false;
}

bool is_type(const TemplateParameter& parameter) {
  return parameter.kind == "typename" || parameter.kind == "class";
}

const std::string& text_of_file(const SourceBundle& source, const std::string& name) {
  for (const SourceFile& header : source.headers)
    if (header.name == name)
      return header.text;
  return source.main.text;
}

/// Its value is the macro's on the command line, or is put into the source.
void add_tunable(const Constant& one, std::vector<std::int64_t> values, std::int64_t usual,
                 KernelChoice& choice) {
  choice.tunables.push_back({one.name, std::move(values), usual, ""});
  if (!one.guarded)
    choice.rewritten.insert(one.name);
}

void add_likely_constants(const ReadSource& source, const KernelSignature& kernel,
                          KernelChoice& choice) {
  constexpr std::int64_t largest_block = 4096; // above it a number is no block
  std::vector<Constant> constants = source.constants;
  if (!source.has(kernel))
    constants.insert(constants.end(), source.header_constants.begin(),
                     source.header_constants.end());
  for (const Constant& one : constants) {
    const bool of_block = is_of_block(one.name) || is_of_items(one.name);
    if (of_block && one.number.value_or(0) >= 1 && one.number <= largest_block &&
        uses(source, kernel, one.name) &&
        (one.guarded || value_places(*source.bundle, one.name).size() == 1))
      add_tunable(one, values_near(one.name, *one.number), *one.number, choice);
  }
}

// ---- what a person asks for

std::vector<std::int64_t> with_usual(std::vector<std::int64_t> values, std::int64_t usual) {
  if (std::find(values.begin(), values.end(), usual) == values.end())
    values.push_back(usual);
  return values;
}

/// What a text stands for in this file, at a place of it.
std::optional<std::int64_t> number_of(const ReadSource& source, const Tokens& text,
                                      std::size_t place) {
  const auto value =
      HostValues(source.tokens, source.headers, whole_constants(source)).value(text, place);
  if (!value || !value->whole || std::abs(value->number) > largest_size)
    return std::nullopt;
  return static_cast<std::int64_t>(value->number);
}

/// `#define NAME …`, `constexpr int NAME = …`, of the file or of a header of its own.
bool add_constant(const ReadSource& source, const DraftWishes::Tuned& wish, KernelChoice& choice) {
  const std::vector<ValuePlace> places = value_places(*source.bundle, wish.name);
  if (places.empty() || places.front().host)
    return false;
  Constant one{wish.name, "", std::nullopt};
  for (const auto* constants : {&source.constants, &source.header_constants})
    for (const Constant& known : *constants)
      if (known.name == wish.name)
        one = known;
  if (!one.guarded)
    rewritten(source.bundle, {wish.name}); // refuses what is not plain
  const std::string& text = text_of_file(*source.bundle, places.front().file);
  const std::string value = text.substr(places.front().at, places.front().size);
  const auto usual = number_of(source, tokens_of(value), 0);
  if (!usual)
    choice.guesses.push_back(
        {"ConfigurationSpace", fmt::format("{} is the default of {}, whose value in the file, {}, "
                                           "is no plain number",
                                           wish.values.front(), wish.name, value)});
  const std::int64_t known = usual.value_or(wish.values.front());
  add_tunable(one, with_usual(wish.values, known), known, choice);
  return true;
}

/// `int threads = 128;` of the function that launches the kernel.
bool add_launch_variable(const ReadSource& source, const std::optional<LaunchInFile>& launch,
                         const DraftWishes::Tuned& wish, KernelChoice& choice) {
  if (!launch)
    return false;
  const auto named = [&](const std::vector<std::span<const Token>>& extents) {
    return std::any_of(extents.begin(), extents.end(), [&](std::span<const Token> extent) {
      return std::any_of(extent.begin(), extent.end(),
                         [&](const Token& token) { return token.text == wish.name; });
    });
  };
  if (!named(launch->grid) && !named(launch->block))
    return false;
  const auto usual = number_of(source, tokens_of(wish.name), launch->place);
  const std::int64_t known = usual.value_or(wish.values.front());
  choice.tunables.push_back({wish.name, with_usual(wish.values, known), known, ""});
  if (value_places(*source.bundle, wish.name).size() == 1)
    choice.rewritten.insert(wish.name); // else its macro might be another's name
  return true;
}

bool add_block(const DraftWishes::Tuned& wish, const std::optional<LaunchInFile>& launch,
               KernelChoice& choice) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char letter = "xyz"[axis];
    if (wish.name != fmt::format("block_size_{}", letter) &&
        (!launch || launch->block_name.empty() ||
         wish.name != fmt::format("{}.{}", launch->block_name, letter)))
      continue;
    choice.block_values[axis] = wish.values;
    return true;
  }
  return false;
}

std::vector<std::string> names_to_tune(const ReadSource& source, const KernelSignature& kernel) {
  std::vector<std::string> names;
  for (const TemplateParameter& parameter : kernel.templates)
    if (!is_type(parameter) && !parameter.name.empty())
      names.push_back(parameter.name);
  for (const auto* constants : {&source.constants, &source.header_constants})
    for (const Constant& one : *constants)
      if (one.number)
        names.push_back(one.name);
  for (const char letter : std::string_view("xyz"))
    names.push_back(fmt::format("block_size_{}", letter));
  return names;
}

void add_wished(const ReadSource& source, const KernelSignature& kernel,
                const std::optional<LaunchInFile>& launch, KernelChoice& choice) {
  for (const DraftWishes::Tuned& wish : choice.wishes.tuned) {
    const bool of_template = std::any_of(
        kernel.templates.begin(), kernel.templates.end(),
        [&](const TemplateParameter& one) { return !is_type(one) && one.name == wish.name; });
    if (of_template || add_block(wish, launch, choice) || add_constant(source, wish, choice) ||
        add_launch_variable(source, launch, wish, choice))
      continue;
    if (launch && launch->block_name == wish.name)
      throw InputError(fmt::format("{} has up to three extents: tune {}.x, {}.y or {}.z", wish.name,
                                   wish.name, wish.name, wish.name));
    throw InputError(
        unknown_name("name to tune", wish.name, names_to_tune(source, kernel)) +
        "; a name is tuned that '#define', 'constexpr int' or 'const int' gives a value in the "
        "file, a template's parameter, or a variable of the launch's block or grid");
  }
}

std::string tuned_name(const std::string& name) {
  std::string text = "TUNED_";
  for (const char c : name)
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// `enum { NAME, … }`
bool is_enumerator(const Tokens& tokens, const Declaration& one, std::size_t at) {
  const std::size_t word = tokens[one.first].text == "typedef" ? one.first + 1 : one.first;
  return tokens[word].text == "enum" && word + 1 < at &&
         (tokens[at - 1].text == "{" || tokens[at - 1].text == ",");
}

/// `struct NAME`, `enum class NAME`, `typedef … NAME;`, `using NAME =`, outside of functions.
bool is_of_file(std::string_view name, const ReadSource& source) {
  const Tokens& tokens = source.tokens;
  for (const Declaration& one : declarations_of(tokens))
    for (std::size_t at = one.first + 1; one.kind == Declaration::Kind::other && at < one.last;
         ++at)
      if (tokens[at].text == name &&
          (tokens[at - 1].text == "struct" || tokens[at - 1].text == "class" ||
           tokens[at - 1].text == "enum" || tokens[at - 1].text == "using" ||
           (tokens[one.first].text == "typedef" && at + 2 == one.last) ||
           is_enumerator(tokens, one, at)))
        return true;
  return false;
}

/// A number, or a word that means the same outside of the function in which the launch is.
bool is_plain(const std::string& text, const TemplateParameter& parameter,
              const ReadSource& source) {
  if (type_of_word(text) || is_type_of_cuda(text) || text == "true" || text == "false" ||
      (!is_type(parameter) && whole_number(text)) ||
      (!text.empty() && is_of_file(text.substr(0, text.find("::")), source)))
    return true;
  return std::any_of(source.constants.begin(), source.constants.end(),
                     [&](const Constant& one) { return one.name == text && one.number; });
}

std::string usual_argument(const TemplateParameter& parameter) {
  if (!parameter.otherwise.empty())
    return parameter.otherwise;
  if (is_type(parameter))
    return "float";
  if (parameter.kind == "bool")
    return "false";
  if (is_of_items(parameter.name))
    return "4";
  return is_of_block(parameter.name) ? has_word(parameter.name, {"tile"}) ? "16" : "256" : "1";
}

/// As wished, or where nothing is wished as the name suggests; empty: it is not tuned.
std::vector<std::int64_t> values_of_template(const TemplateParameter& parameter, std::int64_t usual,
                                             const DraftWishes& wishes) {
  for (const DraftWishes::Tuned& wish : wishes.tuned)
    if (wish.name == parameter.name)
      return with_usual(wish.values, usual);
  const bool likely = usual >= 1 && (is_of_block(parameter.name) || is_of_items(parameter.name));
  return likely && wishes.tuned.empty() ? values_near(parameter.name, usual)
                                        : std::vector<std::int64_t>{};
}

/// A number for what is one, such as a `const int` of the function that launches; what is tuned keeps its name.
std::string value_of_argument(const ReadSource& source, const TemplateParameter& parameter,
                              const std::string& written, std::size_t place,
                              const KernelChoice& choice) {
  const bool tuned =
      std::any_of(choice.tunables.begin(), choice.tunables.end(), [&](const Tunable& one) {
        const Tokens words = tokens_of(written);
        return std::any_of(words.begin(), words.end(),
                           [&](const Token& word) { return word.text == one.name; });
      });
  if (written.empty() || tuned || is_type(parameter) || parameter.kind.ends_with("bool"))
    return written;
  const auto number = number_of(source, tokens_of(written), place);
  return number ? std::to_string(*number) : written;
}

/// Whether they stand in different branches of one `#if`, of which a compiler sees one.
bool are_alternatives(const Tokens& tokens, const Declaration& a, const Declaration& b) {
  int depth = 0;
  bool other = false; // branch, of the innermost that is around both
  for (std::size_t at = std::min(a.first, b.first); at < std::max(a.first, b.first); ++at) {
    const std::string_view name =
        tokens[at].kind == TokenKind::directive ? directive_name(tokens[at].text) : "";
    if (name.starts_with("if"))
      ++depth;
    else if (name == "endif" && depth == 0)
      other = false;
    else if (name == "endif")
      --depth;
    else if (name.starts_with("el") && depth == 0)
      other = true;
  }
  return other;
}

/// Whether a compiler finds several functions by the kernel's name, kernels or not.
bool is_overloaded(const ReadSource& source, const KernelSignature& kernel) {
  const Tokens& tokens = source.tokens;
  const Declaration& own = kernel.declaration;
  const auto is_other = [&](const Declaration& one) {
    bool named = false;
    for (std::size_t at = one.first; at + 1 < one.body && !named; ++at)
      named = tokens[at].text == kernel.name && tokens[at + 1].text == "(";
    return named && one.kind == Declaration::Kind::function && one.scope == kernel.scope &&
           one.first != own.first && !are_alternatives(tokens, one, own);
  };
  const auto all = declarations_of(tokens);
  return std::any_of(all.begin(), all.end(), is_other);
}

/// "(const float*, int)" of `const T* x, int n`; "" for what cannot be written so.
std::string parameters_with(const KernelSignature& kernel,
                            const std::vector<std::string>& arguments) {
  std::vector<std::string> types;
  for (const KernelParameter& parameter : kernel.parameters) {
    Tokens type = tokens_of(parameter.type);
    if (parameter.type.find('[') != parameter.type.npos) // of arrays of arrays
      return "";
    for (Token& word : type)
      for (std::size_t i = 0; i < kernel.templates.size(); ++i)
        if (word.text == kernel.templates[i].name && word.kind == TokenKind::word) {
          if (i >= arguments.size())
            return "";
          word.text = arguments[i];
        }
    types.push_back(text_of(type));
  }
  return fmt::format("({})", fmt::join(types, ", "));
}

void add_templates(const ReadSource& source, const KernelSignature& kernel,
                   const std::optional<LaunchInFile>& launch, KernelChoice& choice) {
  const LaunchTemplates launched_with = launch_templates(source.tokens, kernel, launch);
  std::vector<std::string> written = launched_with.arguments;
  std::vector<std::string> names, plain;
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    const TemplateParameter& parameter = kernel.templates[i];
    if (parameter.kind.ends_with("..."))
      break;
    written[i] = value_of_argument(source, parameter, written[i], launched_with.places[i], choice);
    const bool given = i < choice.wishes.templates.size();
    if (launch && written[i].empty() && !is_type(parameter)) // nothing deduces it
      written[i] = parameter.otherwise;
    const bool launched = given || is_plain(written[i], parameter, source);
    const auto wish =
        std::find_if(choice.wishes.tuned.begin(), choice.wishes.tuned.end(),
                     [&](const DraftWishes::Tuned& one) { return one.name == parameter.name; });
    const bool wished = wish != choice.wishes.tuned.end() && !wish->values.empty();
    const std::string usual = given      ? choice.wishes.templates[i]
                              : launched ? written[i]
                              : wished   ? std::to_string(wish->values.front())
                                         : usual_argument(parameter);
    plain.push_back(usual);
    names.push_back(usual);
    const auto number = whole_number(usual);
    auto values = is_type(parameter) || !number
                      ? std::vector<std::int64_t>{}
                      : values_of_template(parameter, *number, choice.wishes);
    if (values.empty()) {
      if (!launched)
        choice.unsaid.push_back(parameter.name);
      if (!launched)
        choice.guesses.push_back(
            {"KernelSpecification.KernelName",
             fmt::format("{} for the template's parameter {}", usual, parameter.name)});
      continue;
    }
    names.back() = tuned_name(parameter.name);
    choice.tunables.push_back(
        {names.back(), std::move(values), *number,
         fmt::format("the template's parameter {}, values around {}", parameter.name, usual),
         parameter.name});
  }
  const std::string name = kernel.scope + kernel.name;
  const auto with = [&](const std::vector<std::string>& arguments) {
    return (arguments.empty() ? name : fmt::format("{}<{}>", name, fmt::join(arguments, ", "))) +
           (is_overloaded(source, kernel) ? parameters_with(kernel, arguments) : "");
  };
  choice.name = with(names);
  choice.plain_name = with(plain);
}

/// What a person may have meant, where the name alone was given.
void add_namesakes(const ReadSource& source, const KernelSignature& kernel, bool launched,
                   KernelChoice& choice) {
  std::vector<std::string> others;
  for (const KernelSignature& one : source.kernels)
    if (one.scope + one.name == kernel.scope + kernel.name && !is_same_kernel(one, kernel) &&
        !are_alternatives(source.tokens, one.declaration, kernel.declaration))
      others.push_back(signature_text(one));
  if (others.empty() || choice.wishes.overload)
    return;
  choice.guesses.push_back(
      {"KernelSpecification.KernelName",
       fmt::format("this is {}, and the file has {} too (--kernel '{}' drafts that one)",
                   signature_text(kernel), fmt::join(others, " and "), others.front())});
  if (!launched)
    choice.namesakes = std::move(others);
}

} // namespace

KernelChoice choice_of(const ReadSource& source, const KernelSignature& kernel,
                       DraftWishes wishes) {
  KernelChoice choice;
  choice.wishes = std::move(wishes);
  const auto launch = launch_of(source.tokens, source.kernels, kernel).launch;
  add_namesakes(source, kernel, launch.has_value(), choice);
  if (choice.wishes.tuned.empty())
    add_likely_constants(source, kernel, choice);
  else
    add_wished(source, kernel, launch, choice);
  add_templates(source, kernel, launch, choice);
  return choice;
}

} // namespace gridsmith
