// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/draft.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/draft/argument_type.hpp"
#include "gridsmith/kernels/draft/constant_memory.hpp"
#include "gridsmith/kernels/draft/kernel_use.hpp"
#include "gridsmith/kernels/draft/launch_templates.hpp"
#include "gridsmith/kernels/draft/launch_values.hpp"
#include "gridsmith/kernels/draft/struct_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::array<const char*, 3> axes{"X", "Y", "Z"};

bool has_word(std::string text, std::initializer_list<std::string_view> parts) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

class Drafting {
public:
  Drafting(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
           const std::optional<std::vector<ResolvedType>>& types)
      : source_(source), kernel_(kernel), choice_(choice),
        types_(argument_types(kernel, types, guesses_)),
        launch_(source.tokens, source.headers, kernel.name, types_.size(),
                whole_constants(source)) {
    for (const auto& [name, number] : whole_constants(source))
      if (!is_choice(name))
        numbers_[name] = number;
    check_wishes();
    for (const auto& [name, text] : launch_templates(source.tokens, kernel).of_function)
      if (const auto type = type_of_word(text))
        launch_.say_bytes(name, type->bytes * type->count);
      else if (const auto number = whole_number(text))
        launch_.say_constant(name, *number);
    if (types)
      for (std::size_t i = 0; i < types_.size(); ++i)
        launch_.say_bytes(types_[i].written, types_[i].bytes * types_[i].count);
    if (wishes().run)
      launch_.run_with(*wishes().run);
    for (const Tunable& one : choice.tunables)
      launch_.say(one.name, one.name, static_cast<double>(one.usual));
    find_block_macros();
    use_ = use_of(source.tokens, kernel, numbers_, block_axes_);
    find_extents();
    find_block();
    say_block();
    find_grid();
  }

  Draft draft(const std::string& file) {
    Draft made;
    Ordered kernel = {{"Language", "CUDA"},    {"KernelName", choice_.name}, {"KernelFile", file},
                      {"ProblemSize", sizes_}, {"GlobalSizeType", "CUDA"},   {"GlobalSize", grid_},
                      {"LocalSize", block_},   {"Arguments", arguments()}};
    if (!size_guess_.empty())
      guesses_.insert(guesses_.begin(), {"KernelSpecification.ProblemSize", size_guess_});
    guesses_.insert(guesses_.end(), choice_.guesses.begin(), choice_.guesses.end());
    if (!choice_.unsaid.empty())
      miss("--kernel " + kernel_.name + "<…>",
           fmt::format("of its template, the file does not say {}",
                       fmt::join(choice_.unsaid, ", ")));
    Ordered section = {{"Extents", extents_}};
    if (!inputs_.empty())
      section["Inputs"] = inputs_;
    if (!structs_.empty())
      section["Types"] = structs_;
    if (!scalars_.empty())
      section["Scalars"] = scalars_;
    add_shared(section);
    if (use_.words.contains("this_grid") || use_.words.contains("grid_group"))
      section["Launch"] = {{"Cooperative", true}};
    if (!choice_.rewritten.empty())
      section["Rewrite"] = choice_.rewritten;
    add_reference(section);
    Ordered marks = Ordered::object();
    for (const FieldGuess& guess : guesses_)
      if (Ordered& mark = marks[guess.field]; mark.is_null())
        mark = guess.text;
      else
        mark = mark.get<std::string>() + "; " + guess.text;
    section["Guesses"] = marks;
    for (const auto& [field, text] : marks.items())
      made.guesses.push_back({field, text.get<std::string>()});
    made.missing = std::move(missing_);
    made.json = {
        {"ConfigurationSpace", space()}, {"KernelSpecification", kernel}, {"Gridsmith", section}};
    return made;
  }

private:
  // ---- what a person says

  void check_wishes() const {
    std::vector<std::string> names;
    names.reserve(types_.size());
    for (std::size_t i = 0; i < types_.size(); ++i)
      names.push_back(name_of(kernel_.parameters[i], i));
    for (const auto& [name, text] : wishes().arguments)
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw InputError(unknown_name("argument", name, names));
  }

  const DraftWishes& wishes() const { return choice_.wishes; }

  /// @param option "--argument alpha=VALUE"
  void miss(const std::string& option, const std::string& text) {
    missing_.push_back(option + ": " + text);
  }

  std::string wished(std::size_t i) const {
    const auto found = wishes().arguments.find(name_of(kernel_.parameters[i], i));
    return found == wishes().arguments.end() ? "" : found->second;
  }

  /// Of an expression of extents and tunables. @throws InputError: it is none
  HostValue wished_value(const std::string& text) const {
    const auto number = number_of_text(text);
    if (!number)
      throw InputError(fmt::format("'{}' has no value: an expression of numbers{}{}{} is expected",
                                   text, extents_.empty() ? "" : ", the extents ",
                                   fmt::join(extents_, ", "), " and what is tuned"));
    HostValue value;
    value.number = *number;
    value.whole = std::floor(*number) == *number;
    value.named = !Expression::parse(text).names().empty();
    value.written = text;
    value.binds = 2;
    return value;
  }

  void guess(const std::string& field, const std::string& text) {
    guesses_.push_back({field, text});
  }

  bool is_choice(const std::string& name) const {
    return std::any_of(choice_.tunables.begin(), choice_.tunables.end(),
                       [&](const Tunable& one) { return one.name == name; });
  }

  // ---- block

  /// `blockIdx.x * BLOCK`, `__launch_bounds__(BLOCK)`
  void find_block_macros() {
    const Tokens& tokens = source_.tokens;
    const auto name_of = [&](const std::string& written) {
      for (std::size_t i = 0; i < kernel_.templates.size(); ++i)
        if (kernel_.templates[i].name == written)
          for (const Tunable& one : choice_.tunables)
            if (one.guess.starts_with("the template's parameter " + written + ","))
              return one.name;
      for (const Tunable& one : choice_.tunables)
        if (one.name == written)
          return one.name;
      return std::string();
    };
    const auto add = [&](std::size_t axis, const std::string& written) {
      const std::string name = name_of(written);
      const auto known = launch_.block(axis); // else it is of what a block covers
      if (name.empty() || !block_names_[axis].empty() || (known && usual_of(name) != known))
        return;
      block_names_[axis] = name;
      block_axes_.emplace(written, axis);
    };
    for (std::size_t at = kernel_.declaration.body; at + 4 < kernel_.declaration.last; ++at)
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (tokens[at].text == "blockIdx" && tokens[at + 2].text == std::string(1, "xyz"[axis])) {
          if (tokens[at + 3].text == "*")
            add(axis, std::string(tokens[at + 4].text));
          if (at > 1 && tokens[at - 1].text == "*")
            add(axis, std::string(tokens[at - 2].text));
        }
    if (!kernel_.bounds.empty() && block_axes_.empty())
      add(0, kernel_.bounds.front());
    const auto launched = launch_.block_text();
    for (std::size_t axis = 0; axis < launched.size(); ++axis)
      add(axis, launched[axis]);
  }

  std::optional<std::int64_t> usual_of(const std::string& tunable) const {
    for (const Tunable& one : choice_.tunables)
      if (one.name == tunable)
        return one.usual;
    return std::nullopt;
  }

  bool used(std::size_t axis) const { return use_.axes[axis].threads || use_.axes[axis].blocks; }

  std::int64_t bound() const {
    const auto number =
        kernel_.bounds.empty() ? std::nullopt : whole_number(kernel_.bounds.front());
    return number && *number >= 1 && *number <= 1024 ? *number : 1024;
  }

  void find_block() {
    const bool launched = launch_.block(0).has_value();
    std::size_t dimensions = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      dimensions += use_.axes[axis].threads ? 1 : 0;
    const bool named = std::any_of(block_names_.begin(), block_names_.end(),
                                   [](const std::string& name) { return !name.empty(); });
    const bool free = use_.block_asked && !use_.fixed_shared && !named && wishes().tuned.empty();
    const std::int64_t usual_x =
        dimensions > 1 ? std::min<std::int64_t>(16, bound()) : std::min<std::int64_t>(256, bound());
    const std::int64_t usual[] = {usual_x, dimensions > 2 ? 4 : 16, 4};
    block_ = Ordered::object();
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!wishes().block[axis].empty())
        block_[axes[axis]] = block_text_[axis] = wished_block(axis);
      else if (!choice_.block_values[axis].empty())
        tune_block(axis, choice_.block_values[axis], launch_.block(axis).value_or(usual[axis]));
      else if (!block_names_[axis].empty())
        block_[axes[axis]] = block_text_[axis] = block_names_[axis];
      else if (axis > 0 && !use_.axes[axis].threads)
        block_text_[axis] = "1";
      else
        set_block(axis, free, launch_.block(axis).value_or(named ? 1 : usual[axis]),
                  launched || named);
  }

  /// A number, or the name of what is tuned.
  std::string wished_block(std::size_t axis) const {
    const std::string& text = wishes().block[axis];
    const auto number = whole_number(text);
    if (!is_choice(text) && (!number || *number < 1 || *number > 1024))
      throw InputError(fmt::format(
          "'{}': a block's extent is a number up to 1024 or a name that is tuned", text));
    return text;
  }

  std::string unknown_block(std::size_t axis) const {
    const std::string written = launch_.block_text()[axis];
    return written.empty()
               ? "no launch in the file says how many"
               : fmt::format("what the launch in the file has, {}, is no plain number", written);
  }

  void set_block(std::size_t axis, bool free, std::int64_t usual, bool known) {
    const std::string field = std::string("KernelSpecification.LocalSize.") + axes[axis];
    if (!free) {
      block_text_[axis] = std::to_string(usual);
      block_[axes[axis]] = block_text_[axis];
      if (!known) {
        guess(field, fmt::format("{} threads; {}", usual, unknown_block(axis)));
        miss("--block X,Y,Z", unknown_block(axis));
      }
      return;
    }
    if (!launch_.block(axis) && !launch_.block_text()[axis].empty())
      guess(field, fmt::format("{} threads by default; {}", usual, unknown_block(axis)));
    std::vector<std::int64_t> values{1, 2, 4, 8, 16, 32};
    if (axis == 0)
      values = use_.axes[1].threads ? std::vector<std::int64_t>{8, 16, 32, 64, 128}
                                    : std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024};
    std::erase_if(values, [&](std::int64_t value) { return value > bound(); });
    tune_block(axis, std::move(values), usual);
  }

  void tune_block(std::size_t axis, std::vector<std::int64_t> values, std::int64_t usual) {
    const std::string name = std::string("block_size_") + "xyz"[axis];
    if (std::find(values.begin(), values.end(), usual) == values.end())
      values.push_back(usual);
    std::sort(values.begin(), values.end());
    block_parameters_.push_back({name, values, usual, "the kernel asks for the size of its block"});
    block_text_[axis] = name;
    block_[axes[axis]] = name;
  }

  /// What the host has for the block's size, where that is tuned.
  void say_block() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (is_tunable(block_text_[axis]))
        if (const auto usual = number_of_text(block_text_[axis]))
          launch_.say_block(axis, block_text_[axis], *usual);
  }

  // ---- extents

  bool is_integer(const std::string& name) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (kernel_.parameters[i].name == name)
        return !types_[i].pointer && !types_[i].by_value && types_[i].is_integer() &&
               types_[i].bytes >= 4;
    return false;
  }

  /// What the host passes for a size is at least 1.
  bool is_below_size(const std::string& name) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (kernel_.parameters[i].name == name)
        if (const auto passed = launch_.argument(i))
          return passed->number < 1;
    return false;
  }

  void add_extent(const std::string& name) {
    if (extents_.size() < 3 && !is_below_size(name) &&
        std::find(extents_.begin(), extents_.end(), name) == extents_.end())
      extents_.push_back(name);
  }

  /// The scalar that a guard compares with.
  std::string scalar_in(const Polynomial& one) const {
    for (auto term = one.terms().rbegin(); term != one.terms().rend(); ++term)
      for (const std::string& name : term->first)
        if (is_integer(name))
          return name;
    return "";
  }

  void find_extents() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (const auto& covers = use_.axes[axis].covers)
        for (const auto& [product, factor] : covers->terms())
          for (const std::string& name : product)
            if (is_integer(name))
              add_extent(name);
    for (const bool ends : {true, false})
      for (const KernelParameter& parameter : kernel_.parameters)
        if (is_integer(parameter.name) && use_.ends.contains(parameter.name) == ends &&
            is_size(parameter.name, ends))
          add_extent(parameter.name);
    own_extent_ = extents_.empty();
    if (own_extent_)
      add_extent(kernel_has("n") ? "elements" : "n");
    const std::int64_t usual[] = {4194304, 2048, 256};
    sizes_ = std::vector<std::int64_t>(extents_.size(), usual[extents_.size() - 1]);
    if (!wishes().sizes.empty() && wishes().sizes.size() != extents_.size())
      throw InputError(fmt::format("--size has {}, and the kernel has {} ({})",
                                   counted(wishes().sizes.size(), "number"),
                                   counted(extents_.size(), "size"), fmt::join(extents_, ", ")));
    bool all = !own_extent_;
    for (std::size_t k = 0; k < extents_.size(); ++k)
      all &= take_launched_size(k);
    if (own_extent_)
      all = take_threads();
    if (!wishes().sizes.empty()) {
      sizes_ = wishes().sizes;
      size_guess_.clear();
      return;
    }
    if (!all)
      miss(fmt::format("--size {}", fmt::join(extents_, "x")),
           own_extent_
               ? "no argument of the kernel is a size, and the launch in the file is not plain"
               : "the file's host code says no plain number");
    size_guess_ =
        own_extent_
            ? fmt::format("{} elements: no argument of the kernel is a size", sizes_[0])
            : fmt::format("{} for {}", fmt::join(sizes_, " x "), fmt::join(extents_, " x "));
    if (all)
      size_guess_ += own_extent_ ? ", and the launch in the file has so many threads"
                                 : ", as the launch in the file passes them";
  }

  /// What the host passes for the extent has its name from here on.
  bool take_launched_size(std::size_t k) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (kernel_.parameters[i].name != extents_[k])
        continue;
      const auto passed = launch_.argument(i);
      const bool known =
          passed && passed->whole && passed->number >= 1 && passed->number <= largest_size;
      if (!wishes().sizes.empty())
        sizes_[k] = wishes().sizes[k];
      else if (known)
        sizes_[k] = static_cast<std::int64_t>(passed->number);
      launch_.say_argument(i, extents_[k], static_cast<double>(sizes_[k]));
      return known;
    }
    return false;
  }

  bool take_threads() {
    const auto threads = launch_.threads();
    sizes_[0] = threads.value_or(sizes_[0]);
    return threads.has_value();
  }

  bool kernel_has(const std::string& name) const {
    return use_.words.contains(name) ||
           std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                       [&](const KernelParameter& one) { return one.name == name; });
  }

  static bool is_size(const std::string& name, bool ends) {
    if (has_word(name, {"iter", "step", "seed", "offset", "radius", "start", "stride", "pitch"}))
      return false;
    if (ends)
      return true;
    static const std::set<std::string_view> letters{"n", "N", "m", "M", "k",
                                                    "K", "w", "h", "W", "H"};
    return letters.contains(name) ||
           has_word(name, {"size", "width", "height", "depth", "rows", "cols", "len", "count",
                           "num", "dim", "nx", "ny", "nz", "elem", "total"});
  }

  // ---- grid

  std::string extent_of_axis(std::size_t axis, bool& sure) {
    if (const auto& covers = use_.axes[axis].covers) {
      const auto names = covers->terms();
      const bool known = std::all_of(names.begin(), names.end(), [&](const auto& term) {
        return std::all_of(term.first.begin(), term.first.end(), [&](const std::string& name) {
          return std::find(extents_.begin(), extents_.end(), name) != extents_.end();
        });
      });
      if (known) {
        const std::string whole = scalar_in(*covers);
        return names.size() > 1 && names.contains({whole}) ? whole : covers->text();
      }
    }
    sure = false;
    for (const std::string& name : extents_)
      if (std::find(axis_extents_.begin(), axis_extents_.end(), name) == axis_extents_.end())
        return name;
    return axis == 0 ? extents_.front() : "1";
  }

  void find_grid() {
    grid_ = Ordered::object();
    std::string unsure;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      axis_extents_[axis] = "1";
      if (axis > 0 && !use_.axes[axis].blocks && wishes().grid[axis].empty())
        continue;
      bool sure = !use_.axes[axis].other_steps;
      const std::string extent = extent_of_axis(axis, sure);
      axis_extents_[axis] = extent;
      const bool cover = use_.axes[axis].threads || !used(axis);
      std::string blocks =
          cover && block_text_[axis] != "1"
              ? fmt::format("ceil({} / {})", bracketed(extent), bracketed(block_text_[axis]))
              : extent;
      const bool asked = !wishes().grid[axis].empty();
      if (const auto written =
              asked ? std::optional(wished_value(wishes().grid[axis])) : launch_.grid(axis)) {
        sure = same(blocks, written->text());
        if (!sure) {
          blocks = written->text();
          if (!asked)
            guess("KernelSpecification.GlobalSize",
                  fmt::format("along {}: {} blocks, as the launch in the file has them", axes[axis],
                              blocks));
          sure = grid_differs_[axis] = true;
        }
      } else if (const std::string text = launch_.grid_text()[axis]; !text.empty() && sure) {
        guess("KernelSpecification.GlobalSize",
              fmt::format("along {}: what the launch in the file has, {}, is no plain number",
                          axes[axis], text));
      }
      grid_[axes[axis]] = blocks;
      if (!sure)
        unsure += (unsure.empty() ? "" : ", ") + std::string(axes[axis]);
    }
    if (unsure.empty())
      return;
    const std::string text = fmt::format(
        "along {}: no plain guard such as 'if (i < n)' says what the grid covers", unsure);
    guess("KernelSpecification.GlobalSize", text);
    miss("--grid X,Y,Z", text + ", nor does a plain launch in the file");
  }

  /// At the sizes and values that stand in the definition, and where each extent has a size of its own: guessed ones are
  /// often equal.
  bool same(const std::string& a, const std::string& b) const {
    static constexpr std::array<std::int64_t, 3> apart{10'007, 20'011, 30'011};
    const auto number = number_of_text(a);
    return number && number == number_of_text(b) &&
           (names_no_extent(a) || names_no_extent(b) ||
            number_of_text(a, apart) == number_of_text(b, apart));
  }

  /// @pre it is an expression: it has a number
  bool names_no_extent(const std::string& text) const {
    const auto names = Expression::parse(text).names();
    return std::none_of(extents_.begin(), extents_.end(),
                        [&](const std::string& name) { return names.contains(name); });
  }

  /// @param at sizes; empty: those that stand in the definition
  std::optional<double> number_of_text(const std::string& text,
                                       std::span<const std::int64_t> at = {}) const {
    Bindings values;
    for (std::size_t k = 0; k < extents_.size(); ++k)
      values[extents_[k]] = at.empty() ? sizes_[k] : at[k];
    for (const auto* tunables : {&choice_.tunables, &block_parameters_})
      for (const Tunable& one : *tunables)
        values[one.name] = one.usual;
    try {
      return to_number(Expression::parse(text).evaluate(values));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  static std::string bracketed(const std::string& text) {
    return text.find(' ') == text.npos ? text : "(" + text + ")";
  }

  // ---- arguments

  double number_of(const std::string& name) const {
    const auto extent = std::find(extents_.begin(), extents_.end(), name);
    if (extent != extents_.end())
      return static_cast<double>(sizes_[static_cast<std::size_t>(extent - extents_.begin())]);
    return 1024; // of a block
  }

  /// With the extents of the grid and the values of other scalars in their places.
  std::optional<Polynomial> in_extents(Polynomial one) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Polynomial extent = extent_polynomial(axis);
      one = one.replaced(grid_symbol(axis), block_symbol(axis), extent);
      one = one.replaced(grid_symbol(axis), "", extent);
      if (!one.small())
        return std::nullopt;
      const auto number = whole_number(block_text_[axis]);
      one = one.replaced(block_symbol(axis), "",
                         number ? Polynomial(*number) : Polynomial::of_name(block_text_[axis]));
    }
    for (const auto& [product, factor] : one.terms())
      for (const std::string& name : product)
        if (const auto value = constants_.find(name); value != constants_.end())
          return in_extents(one.replaced(name, "", value->second));
        else if (std::find(extents_.begin(), extents_.end(), name) == extents_.end() &&
                 !is_tunable(name))
          return std::nullopt;
    return one;
  }

  Polynomial extent_polynomial(std::size_t axis) const {
    const std::string& text = axis_extents_[axis];
    if (const auto& covers = use_.axes[axis].covers; covers && covers->text() == text)
      return *covers;
    const auto number = whole_number(text);
    return number ? Polynomial(*number) : Polynomial::of_name(text);
  }

  bool is_tunable(const std::string& name) const {
    return is_choice(name) || std::any_of(block_parameters_.begin(), block_parameters_.end(),
                                          [&](const Tunable& one) { return one.name == name; });
  }

  std::string all_elements() const { return fmt::format("{}", fmt::join(extents_, " * ")); }

  /// On a scalar whose value nothing in the file says, or on a grid that its guard does not give.
  bool rests_on_guess(const Polynomial& one) const {
    const auto is_guess = [&](const std::string& name) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (grid_differs_[axis] && name == grid_symbol(axis))
          return true;
      return guessed_.contains(name);
    };
    return std::any_of(one.terms().begin(), one.terms().end(), [&](const auto& term) {
      return std::any_of(term.first.begin(), term.first.end(), is_guess);
    });
  }

  /// The largest of what its indices reach, and whether all of them were understood.
  std::pair<std::string, bool> size_of_pointer(const PointerUse& use) const {
    std::optional<Polynomial> largest;
    bool sure = !use.unknown && !use.escapes;
    const auto value = [&](const Polynomial& one) {
      return one.value([&](const std::string& name) { return number_of(name); });
    };
    for (const Polynomial& reach : use.reaches) {
      const auto count = in_extents(reach + 1);
      sure &= count.has_value() && !rests_on_guess(reach);
      if (count && (!largest || value(*count) > value(*largest)))
        largest = count;
    }
    constexpr double most = 1e9;
    if (!sure && largest) {
      double all = 1;
      for (const std::int64_t size : sizes_)
        all *= static_cast<double>(size);
      if (value(*largest) < all)
        largest.reset();
    }
    if (!largest || value(*largest) < 1 || value(*largest) > most)
      return {all_elements(), false};
    return {largest->text(), sure};
  }

  Ordered arguments() {
    Ordered all = Ordered::array();
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (!types_[i].pointer && is_integer(kernel_.parameters[i].name))
        find_constant(i);
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::string field = fmt::format("KernelSpecification.Arguments[{}]", i);
      all.push_back(types_[i].pointer ? vector(i, field) : scalar(i, field));
    }
    if (std::none_of(all.begin(), all.end(),
                     [](const Ordered& one) { return one.contains("Output"); }))
      guess("KernelSpecification.Arguments",
            "none is written, as far as it is seen: what is verified needs \"Output\": 1");
    for (const ConstantVariable& one : constant_variables(source_.tokens))
      if (use_.words.contains(one.name))
        all.push_back(constant_vector(one, all.size()));
    return all;
  }

  /// The kernel reads it, and is not passed it.
  Ordered constant_vector(const ConstantVariable& variable, std::size_t i) {
    const auto type = type_of_word(text_of(variable.type));
    double elements = type ? type->count : 1;
    bool known = type.has_value();
    for (const auto& extent : variable.extents) {
      const auto value = launch_.value(extent, variable.place);
      known &= value && value->whole && value->number >= 1;
      elements *= known ? value->number : 1;
    }
    const std::string field = fmt::format("KernelSpecification.Arguments[{}]", i);
    guess(field, known
                     ? fmt::format("random numbers for the __constant__ variable {}", variable.name)
                     : fmt::format("type or elements of the __constant__ variable {} are not known",
                                   variable.name));
    return {{"Name", variable.name},
            {"Type", type ? type->word : "float"},
            {"MemoryType", "Vector"},
            {"MemType", "Constant"},
            {"FillType", "Random"},
            {"FillValue", !type || type->real ? 1 : 100},
            {"Size", fmt::format("{:.0f}", elements)}};
  }

  void find_constant(std::size_t i) {
    const std::string& name = kernel_.parameters[i].name;
    const auto passed = value_of_scalar(i);
    const bool plain = passed && passed->whole && passed->number >= 0;
    if (std::find(extents_.begin(), extents_.end(), name) != extents_.end())
      return;
    constants_[name] = plain                      ? static_cast<std::int64_t>(passed->number)
                       : use_.ends.contains(name) ? 16
                                                  : 1;
    if (!plain)
      guessed_.insert(name);
  }

  static std::string name_of(const KernelParameter& parameter, std::size_t i) {
    return parameter.name.empty() ? fmt::format("argument_{}", i) : parameter.name;
  }

  /// A struct, or a vector type such as float4.
  Ordered value(std::size_t i, const std::string& field) {
    const std::string name = name_of(kernel_.parameters[i], i);
    const ArgumentType& type = types_[i];
    const std::size_t scope = type.name.rfind("::");
    const std::string word = scope == type.name.npos ? type.name : type.name.substr(scope + 2);
    if (type.strange) {
      auto found = struct_types(source_.tokens, word, whole_constants(source_));
      for (std::size_t k = 0; !found && k < source_.headers.size(); ++k)
        found = struct_types(source_.headers[k], word, whole_constants(source_));
      if (!found)
        throw InputError(fmt::format(
            "argument {} ({}) is a struct by value, {} of {} bytes, which init does not write; a "
            "definition describes it in Gridsmith.Types",
            i + 1, name, type.name, type.bytes * type.count));
      for (const auto& [one, fields] : *found)
        structs_[one] = {{"Fields", fields}};
      structs_[word]["Source"] = type.name;
    }
    guess(field + ".FillValue",
          fmt::format("1 for every number of {}; Gridsmith.Scalars gives values by field", name));
    miss(fmt::format("--field Gridsmith.Scalars.{}={{…}}", name),
         fmt::format("a {} by value, whose fields the host computes", type.name));
    return {{"Name", name}, {"Type", word}, {"MemoryType", "Scalar"}, {"FillValue", 1}};
  }

  Ordered scalar(std::size_t i, const std::string& field) {
    if (types_[i].by_value)
      return value(i, field);
    const std::string name = name_of(kernel_.parameters[i], i);
    Ordered made = {{"Name", name}, {"Type", types_[i].word}, {"MemoryType", "Scalar"}};
    if (std::find(extents_.begin(), extents_.end(), name) != extents_.end() && !own_extent_)
      return made;
    const auto constant = constants_.find(name);
    if (const auto passed = value_of_scalar(i)) {
      const bool number = !passed->named;
      if (!number)
        scalars_[name] = passed->text();
      else if (passed->whole)
        made["FillValue"] = static_cast<std::int64_t>(passed->number);
      else
        made["FillValue"] = passed->number;
      if (wished(i).empty())
        guess(number ? field + ".FillValue" : "Gridsmith.Scalars." + name,
              fmt::format("{} for {}, as the launch in the file passes it", passed->text(), name));
      return made;
    }
    miss(fmt::format("--argument {}=VALUE", name),
         type_text(types_[i]) + ", which the host computes");
    made["FillValue"] = constant == constants_.end() ? 1 : constant->second;
    guess(field + ".FillValue",
          fmt::format("{} for {}, which the host computes", made["FillValue"].dump(), name));
    return made;
  }

  static std::string type_text(const ArgumentType& type) {
    return type.name.empty() ? type.word : type.name;
  }

  /// As wished, or what the launch in the file passes for a scalar, where that is a number that its type holds.
  std::optional<HostValue> value_of_scalar(std::size_t i) const {
    auto passed = wished(i).empty() ? launch_.argument(i) : std::optional(wished_value(wished(i)));
    return passed && (passed->whole || !types_[i].is_integer()) ? passed : std::nullopt;
  }

  /// As far as it is seen: a kernel writes something, so any that may be written is.
  bool none_written() const {
    return std::none_of(use_.pointers.begin(), use_.pointers.end(),
                        [](const auto& one) { return one.second.written || one.second.escapes; });
  }

  Ordered vector(std::size_t i, const std::string& field) {
    const ArgumentType& type = types_[i];
    const KernelParameter& parameter = kernel_.parameters[i];
    const std::string name = name_of(parameter, i);
    const auto found = use_.pointers.find(parameter.name);
    PointerUse use = found == use_.pointers.end() ? PointerUse{} : found->second;
    auto [size, sure] = size_of_pointer(use);
    if (type.count > 1)
      size = fmt::format("{} * {}", type.count, bracketed(size));
    const auto written = launch_.allocated(i, type.bytes);
    if (const std::string asked = wished(i); !asked.empty()) {
      size = wished_value(asked).text();
    } else if (written && !same(size, written->text())) {
      size = written->text();
      guess(field + ".Size",
            fmt::format("{} elements of {}, as the file allocates them", size, name));
    } else if (!written && launch_.is_allocated(i)) {
      guess(field + ".Size", fmt::format("{} elements of {}: what the file allocates is no plain "
                                         "number",
                                         size, name));
      miss(fmt::format("--argument {}=ELEMENTS", name),
           "what the file allocates for it is no plain number");
    } else if (!sure && !written) {
      guess(field + ".Size",
            fmt::format("{} elements of {}: not all of its indices are plain", size, name));
      miss(fmt::format("--argument {}=ELEMENTS", name),
           "nothing in the file allocates it plainly, and not all of its indices are plain");
    }
    if (!type.constant && none_written())
      use.escapes = true;
    const bool output = !type.constant && (use.written || use.escapes);
    if (type.strange) {
      miss(fmt::format("--field Gridsmith.Inputs.{}={{…}}", name),
           fmt::format("its elements are {}, filled as bytes", type.name));
      guess(field + ".Type", fmt::format("the bytes of {}, as {}: give them by a File of Inputs",
                                         type.name, type.word));
    }
    Ordered made = {{"Name", name},
                    {"Type", type.word},
                    {"MemoryType", "Vector"},
                    {"AccessType", !output                                     ? "ReadOnly"
                                   : use.read || type.count > 1 || use.escapes ? "ReadWrite"
                                                                               : "WriteOnly"}};
    fill(name, type, use, output, field, made);
    made["Size"] = size;
    if (output)
      made["Output"] = 1;
    if (output && use.escapes)
      guess(field + ".Output",
            fmt::format("{} is passed on, so that what is done with it is not seen", name));
    return made;
  }

  void fill(const std::string& name, const ArgumentType& type, const PointerUse& use, bool output,
            const std::string& field, Ordered& made) {
    if (type.strange || (output && !use.read)) {
      made["FillType"] = "Constant";
      made["FillValue"] = 0;
    } else if (!type.is_integer()) {
      made["FillType"] = "Random";
      made["FillValue"] = 1;
    } else if (use.chooses ||
               has_word(name, {"index", "idx", "col", "row", "neigh", "edge", "ptr"})) {
      inputs_[name] = {{"Fill", "uniform"}, {"From", 0}, {"To", extents_.front() + " - 1"}};
      guess("Gridsmith.Inputs." + name,
            fmt::format("from 0 to {} - 1: elements of {} are used as indices", extents_.front(),
                        name));
    } else {
      constexpr int small = 100;
      made["FillType"] = output ? "Constant" : "Random";
      made["FillValue"] = output ? 0 : small;
      guess(field + ".FillValue",
            fmt::format("{} for elements of {}", output ? "0" : "0 to 100", name));
    }
  }

  // ---- the rest

  void add_shared(Ordered& section) {
    if (!wishes().shared.empty()) {
      section["DynamicSharedMemory"] = wished_value(wishes().shared).text();
      return;
    }
    if (const auto bytes = launch_.shared(); bytes && bytes->number > 0) {
      section["DynamicSharedMemory"] = bytes->text();
      guess("Gridsmith.DynamicSharedMemory",
            fmt::format("{} bytes, as the launch in the file has them", bytes->text()));
      return;
    }
    if (use_.dynamic_shared.empty())
      return;
    const bool large = use_.dynamic_shared.find("double") != std::string::npos;
    std::string threads = block_text_[0];
    for (std::size_t axis = 1; axis < 3; ++axis)
      if (block_text_[axis] != "1")
        threads += " * " + block_text_[axis];
    section["DynamicSharedMemory"] = fmt::format("{} * {}", large ? 8 : 4, threads);
    guess("Gridsmith.DynamicSharedMemory", "one element of the extern __shared__ array a thread");
    miss("--shared BYTES", "the kernel has an extern __shared__ array, and the launch in the file "
                           "says no plain number");
  }

  void add_reference(Ordered& section) const {
    if (!wishes().reference)
      return;
    Ordered reference = {{"Kernel", *wishes().reference}};
    if (wishes().reference->empty()) {
      Ordered values = Ordered::object();
      for (const auto* tunables : {&choice_.tunables, &block_parameters_})
        for (const Tunable& one : *tunables)
          values[one.name] = one.usual;
      reference = {{"Kernel", choice_.name}, {"Values", values}};
    }
    section["Reference"] = reference;
  }

  Ordered space() const {
    Ordered all = Ordered::array();
    std::vector<Tunable> tunables = choice_.tunables;
    tunables.insert(tunables.end(), block_parameters_.begin(), block_parameters_.end());
    for (const Tunable& one : tunables)
      all.push_back(
          {{"Name", one.name}, {"Type", "int"}, {"Values", one.values}, {"Default", one.usual}});
    Ordered conditions = Ordered::array();
    std::string threads;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!whole_number(block_text_[axis]))
        threads += (threads.empty() ? "" : " * ") + block_text_[axis];
    if (threads.find('*') != std::string::npos || (!threads.empty() && bound() < 1024))
      conditions.push_back({{"Expression", fmt::format("{} <= {}", threads, bound())}});
    return {{"TuningParameters", all}, {"Conditions", conditions}};
  }

  const ReadSource& source_;
  const KernelSignature& kernel_;
  const KernelChoice& choice_;
  std::vector<FieldGuess> guesses_;
  std::vector<std::string> missing_;
  std::vector<ArgumentType> types_;
  LaunchValues launch_;
  std::map<std::string, std::int64_t> numbers_;
  std::map<std::string, std::size_t> block_axes_; ///< by the name in the body
  std::array<bool, 3> grid_differs_{};            ///< the launch's is taken, and no guard gives it
  std::array<std::string, 3> block_names_, block_text_, axis_extents_;
  KernelUse use_;
  std::vector<std::string> extents_;
  std::vector<std::int64_t> sizes_;
  bool own_extent_ = false; ///< no argument of the kernel
  std::string size_guess_;
  std::vector<Tunable> block_parameters_;
  std::map<std::string, std::int64_t> constants_; ///< scalars that are no extents …
  std::set<std::string> guessed_;                 ///< … and that nothing in the file gives a value
  Ordered grid_, block_, inputs_ = Ordered::object(), scalars_ = Ordered::object(),
                         structs_ = Ordered::object();
};

} // namespace

Draft draft_of(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
               const std::optional<std::vector<ResolvedType>>& types, const std::string& file) {
  return Drafting(source, kernel, choice, types).draft(file);
}

} // namespace gridsmith
