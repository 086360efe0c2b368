// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/draft_shape.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/draft/name_words.hpp"
#include "gridsmith/kernels/host_code/launch_templates.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gridsmith {
namespace {

constexpr std::array<const char*, 3> axes{"X", "Y", "Z"};

} // namespace

DraftedShape::DraftedShape(const ReadSource& source, const KernelSignature& kernel,
                           const KernelChoice& choice,
                           const std::optional<std::vector<ResolvedType>>& types)
    : source_(source), kernel_(kernel), choice_(choice),
      types_(argument_types(kernel, types, guesses_)),
      found_(launch_of(source.tokens, source.kernels, kernel)),
      launch_(source.tokens, source.headers, found_.launch, kernel, whole_constants(source)) {
  for (const auto& [name, number] : whole_constants(source))
    if (!is_choice(name))
      numbers_[name] = number;
  check_wishes();
  for (const auto& [name, text] :
       launch_templates(source.tokens, kernel, found_.launch).of_function)
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
  say_templates();
  find_block_macros();
  use_ = use_of(source.tokens, kernel, numbers_, block_axes_);
  find_extents();
  find_block();
  hold_block();
  say_block(launch_);
  find_grid();
}

// ---- what a person says

void DraftedShape::check_wishes() const {
  std::vector<std::string> names;
  names.reserve(types_.size());
  for (std::size_t i = 0; i < types_.size(); ++i)
    names.push_back(name_of(kernel_.parameters[i], i));
  for (const auto& [name, text] : wishes().arguments)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(unknown_name("argument", name, names));
}

void DraftedShape::miss(const std::string& option, const std::string& text) {
  if (std::string line = option + ": " + text; // of several axes once
      std::find(missing_.begin(), missing_.end(), line) == missing_.end())
    missing_.push_back(std::move(line));
}

std::string DraftedShape::wished(std::size_t i) const {
  const auto found = wishes().arguments.find(name_of(kernel_.parameters[i], i));
  return found == wishes().arguments.end() ? "" : found->second;
}

HostValue DraftedShape::wished_value(const std::string& text) const {
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

void DraftedShape::guess(const std::string& field, const std::string& text) {
  guesses_.push_back({field, text});
}

bool DraftedShape::is_choice(const std::string& name) const {
  return std::any_of(choice_.tunables.begin(), choice_.tunables.end(),
                     [&](const Tunable& one) { return one.name == name; });
}

// ---- block

void DraftedShape::find_block_macros() {
  const Tokens& tokens = source_.tokens;
  const auto name_of = [&](const std::string& written) {
    for (const Tunable& one : choice_.tunables)
      if (one.name == written || (!one.parameter.empty() && one.parameter == written))
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
  const auto has_threads =
      [&](std::size_t axis) { // `blockIdx.y * ROWS` without threads is no block's
        for (std::size_t at = kernel_.declaration.body; at + 2 < kernel_.declaration.last; ++at)
          if (tokens[at].text == "threadIdx" && tokens[at + 2].text == std::string(1, "xyz"[axis]))
            return true;
        return axis == 0;
      };
  for (std::size_t at = kernel_.declaration.body; at + 4 < kernel_.declaration.last; ++at)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (tokens[at].text == "blockIdx" && has_threads(axis) &&
          tokens[at + 2].text == std::string(1, "xyz"[axis])) {
        if (tokens[at + 3].text == "*")
          add(axis, std::string(tokens[at + 4].text));
        if (at > 1 && tokens[at - 1].text == "*")
          add(axis, std::string(tokens[at - 2].text));
      }
  if (!kernel_.bounds.empty() && block_axes_.empty())
    add(0, kernel_.bounds.front());
  const auto launched = launch_.block_text();
  for (std::size_t axis = 0; axis < launched.size(); ++axis) {
    add(axis, launched[axis]);
    if (const auto tuned = template_names_.find(launched[axis]); tuned != template_names_.end())
      add(axis, tuned->second);
    add(axis, launch_.block_name(axis));
  }
}

bool DraftedShape::has_fixed_shared() const {
  const auto launched = launch_.block_text();
  return std::any_of(use_.shared_sizes.begin(), use_.shared_sizes.end(), [&](const auto& size) {
    const Tokens words = tokens_of(size);
    return whole_number(size).value_or(0) > 1 ||
           std::any_of(words.begin(), words.end(), [&](const Token& word) {
             return !is_choice(std::string(word.text)) &&
                    std::find(launched.begin(), launched.end(), word.text) != launched.end();
           });
  });
}

void DraftedShape::say_templates() {
  for (std::size_t i = 0; i < kernel_.templates.size(); ++i) {
    const std::string written =
        found_.launch && i < found_.launch->templates.size() ? found_.launch->templates[i] : "";
    for (const Tunable& one : choice_.tunables)
      if (one.parameter == kernel_.templates[i].name && !one.parameter.empty() &&
          is_macro_name(written)) {
        template_names_.emplace(written, one.name);
        launch_.say(written, one.name, static_cast<double>(one.usual));
      }
  }
}

std::optional<std::int64_t> DraftedShape::usual_of(const std::string& tunable) const {
  for (const Tunable& one : choice_.tunables)
    if (one.name == tunable)
      return one.usual;
  return std::nullopt;
}

std::int64_t DraftedShape::bound() const {
  const auto number = kernel_.bounds.empty() ? std::nullopt : whole_number(kernel_.bounds.front());
  return number && *number >= 1 && *number <= 1024 ? *number : 1024;
}

void DraftedShape::find_block() {
  const bool launched = launch_.block(0).has_value();
  std::size_t dimensions = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    dimensions += use_.axes[axis].threads ? 1 : 0;
  const bool named = std::any_of(block_names_.begin(), block_names_.end(),
                                 [](const std::string& name) { return !name.empty(); });
  const bool free = use_.block_asked && !has_fixed_shared() && !named && wishes().tuned.empty();
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
    else if (const std::size_t before = same_before(axis); before < axis)
      block_[axes[axis]] = block_text_[axis] = block_text_[before];
    else
      set_block(axis, free, launch_.block(axis).value_or(named ? 1 : usual[axis]),
                launched || named);
}

std::string DraftedShape::wished_block(std::size_t axis) const {
  const std::string& text = wishes().block[axis];
  const auto number = whole_number(text);
  if (!is_choice(text) && (!number || *number < 1 || *number > 1024))
    throw InputError(
        fmt::format("'{}': a block's extent is a number up to 1024 or a name that is tuned", text));
  return text;
}

std::string DraftedShape::unknown_block(std::size_t axis) const {
  const std::string written = launch_.block_text()[axis];
  return written.empty()
             ? "no launch in the file says how many"
             : fmt::format("what the launch in the file has, {}, is no plain number", written);
}

void DraftedShape::set_block(std::size_t axis, bool free, std::int64_t usual, bool known) {
  const std::string field = std::string("KernelSpecification.LocalSize.") + axes[axis];
  if (!free) {
    block_text_[axis] = std::to_string(usual);
    block_[axes[axis]] = block_text_[axis];
    block_guessed_[axis] = !known;
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

void DraftedShape::tune_block(std::size_t axis, std::vector<std::int64_t> values,
                              std::int64_t usual) {
  const std::string name = std::string("block_size_") + "xyz"[axis];
  if (std::find(values.begin(), values.end(), usual) == values.end())
    values.push_back(usual);
  std::sort(values.begin(), values.end());
  block_parameters_.push_back({name, values, usual, "the kernel asks for the size of its block"});
  block_text_[axis] = name;
  block_[axes[axis]] = name;
}

std::size_t DraftedShape::same_before(std::size_t axis) const {
  const auto written = launch_.block_text();
  for (std::size_t before = 0; before < axis; ++before)
    if (!written[axis].empty() && written[axis] == written[before] &&
        !whole_number(written[axis]) && is_tunable(block_text_[before]))
      return before;
  return 3;
}

void DraftedShape::say_block(LaunchValues& launch) const {
  const auto written = launch.block_text();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto usual =
        is_tunable(block_text_[axis]) ? number_of_text(block_text_[axis]) : std::optional<double>();
    bool alone = true;
    for (std::size_t other = 0; other < 3; ++other)
      alone &= written[other] != written[axis] || block_text_[other] == block_text_[axis];
    if (usual)
      launch.say_block(axis, block_text_[axis], *usual, alone);
  }
}

bool DraftedShape::names(const std::string& text, const std::string& name) {
  return Expression::parse(text, Syntax::reals).names().contains(name);
}

std::string DraftedShape::reason_to_hold(const LaunchValues& said, const std::string& name) const {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const std::string scalar = name_of(kernel_.parameters[i], i);
    const bool passed = !types_[i].pointer && !types_[i].by_value && wished(i).empty();
    if (const auto value = passed ? said.argument(i) : std::nullopt;
        value && value->named && names(value->text(), name))
      return fmt::format("what the launch in the file passes for {} rests on them", scalar);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (block_text_[axis] != name || !wishes().grid[axis].empty())
      continue;
    const auto blocks = said.grid(axis, name);
    const bool alone = !use_.axes[1].threads && !use_.axes[2].threads;
    if (alone && use_.axes[axis].by_number &&
        (!blocks || blocks->by_block || names(blocks->text(), name)))
      return "where a block writes follows from blockIdx and not from the index of each thread, so that "
             "other sizes give other results";
    if (!use_.axes[axis].block_steps || use_.words.contains("gridDim"))
      continue;
    if (blocks && !blocks->by_block && !names(blocks->text(), name))
      return fmt::format("the grid along {} is {} in the file, whatever the block", axes[axis],
                         blocks->text());
  }
  return "";
}

void DraftedShape::hold_block() {
  LaunchValues said = launch_;
  say_block(said);
  const std::vector<Tunable> all = block_parameters_;
  for (const Tunable& one : all) {
    const auto axis = static_cast<std::size_t>(one.name.back() - 'x');
    const std::string reason =
        choice_.block_values[axis].empty() ? reason_to_hold(said, one.name) : "";
    if (reason.empty())
      continue;
    for (std::size_t other = 0; other < 3; ++other)
      if (block_text_[other] == one.name) {
        block_[axes[other]] = block_text_[other] = std::to_string(one.usual);
        guess(std::string("KernelSpecification.LocalSize.") + axes[other],
              fmt::format("{} threads, which are not tuned: {}", one.usual, reason));
      }
    std::erase_if(block_parameters_, [&](const Tunable& other) { return other.name == one.name; });
  }
}

// ---- extents

bool DraftedShape::is_integer(const std::string& name) const {
  for (std::size_t i = 0; i < types_.size(); ++i)
    if (kernel_.parameters[i].name == name)
      return !types_[i].pointer && !types_[i].by_value && types_[i].is_integer() &&
             types_[i].bytes >= 4;
  return false;
}

bool DraftedShape::is_below_size(const std::string& name) const {
  for (std::size_t i = 0; i < types_.size(); ++i)
    if (kernel_.parameters[i].name == name)
      if (const auto passed = launch_.argument(i))
        return passed->number < 1;
  return false;
}

void DraftedShape::add_extent(const std::string& name) {
  if (extents_.size() < 3 && !is_below_size(name) &&
      std::find(extents_.begin(), extents_.end(), name) == extents_.end())
    extents_.push_back(name);
}

std::string DraftedShape::scalar_in(const Polynomial& one) const {
  for (auto term = one.terms().rbegin(); term != one.terms().rend(); ++term)
    for (const std::string& name : term->first)
      if (is_integer(name))
        return name;
  return "";
}

bool DraftedShape::is_made_of_others(std::size_t i) const {
  LaunchValues said = launch_;
  for (std::size_t other = 0; other < types_.size(); ++other)
    if (const auto passed = launch_.argument(other);
        other != i && passed && is_integer(kernel_.parameters[other].name))
      said.say_argument(other, kernel_.parameters[other].name, passed->number);
  const auto value = said.argument(i);
  return value && value->named;
}

void DraftedShape::find_extents() {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (const auto& covers = use_.axes[axis].covers)
      for (const auto& [product, factor] : covers->terms())
        for (const std::string& name : product)
          if (is_integer(name))
            add_extent(name);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t i : launch_.arguments_in_grid(axis))
      if (is_integer(kernel_.parameters[i].name) && !is_made_of_others(i))
        add_extent(kernel_.parameters[i].name);
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
      own_extent_ ? fmt::format("{} elements: no argument of the kernel is a size", sizes_[0])
                  : fmt::format("{} for {}", fmt::join(sizes_, " x "), fmt::join(extents_, " x "));
  if (all)
    size_guess_ +=
        own_extent_ ? ", and the launch in the file has so many threads"
        : found_.count > 1
            ? fmt::format(", as the first of {} launches in the file{} passes them", found_.count,
                          found_.loops > 0 ? " that most loops repeat" : "")
            : ", as the launch in the file passes them";
}

bool DraftedShape::take_launched_size(std::size_t k) {
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

bool DraftedShape::take_threads() {
  const auto threads = launch_.threads();
  sizes_[0] = threads.value_or(sizes_[0]);
  return threads.has_value();
}

bool DraftedShape::kernel_has(const std::string& name) const {
  return use_.words.contains(name) ||
         std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                     [&](const KernelParameter& one) { return one.name == name; });
}

bool DraftedShape::is_size(const std::string& name, bool ends) {
  if (has_word(name, {"iter", "step", "seed", "offset", "radius", "start", "stride", "pitch"}))
    return false;
  if (ends)
    return true;
  static const std::set<std::string_view> letters{"n", "N", "m", "M", "k", "K", "w", "h", "W", "H"};
  return letters.contains(name) ||
         has_word(name, {"size", "width", "height", "depth", "rows", "cols", "len", "count", "num",
                         "dim", "nx", "ny", "nz", "elem", "total"});
}

// ---- grid

std::string DraftedShape::extent_of_axis(std::size_t axis, bool& sure) {
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

void DraftedShape::find_grid() {
  grid_ = Ordered::object();
  if (!found_.doubt.empty())
    guess("KernelSpecification.GlobalSize", found_.doubt);
  std::string unsure;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axis_extents_[axis] = "1";
    if (axis > 0 && !use_.axes[axis].blocks && wishes().grid[axis].empty())
      continue;
    bool sure = !use_.axes[axis].other_steps;
    const std::string extent = extent_of_axis(axis, sure);
    axis_extents_[axis] = extent;
    const bool cover = use_.axes[axis].threads || !used(axis);
    const std::string blocks =
        cover && block_text_[axis] != "1"
            ? fmt::format("ceil({} / {})", bracketed(extent), bracketed(block_text_[axis]))
            : extent;
    grid_[axes[axis]] = launched_blocks(axis, blocks, sure);
    grid_guessed_[axis] = !sure;
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

std::string DraftedShape::launched_blocks(std::size_t axis, const std::string& by_guard,
                                          bool& sure) {
  const std::string field = "KernelSpecification.GlobalSize";
  const std::string along = fmt::format("along {}: ", axes[axis]);
  if (const std::string asked = wishes().grid[axis]; !asked.empty()) {
    const std::string text = wished_value(asked).text();
    grid_differs_[axis] |= !same(by_guard, text);
    sure = true;
    return grid_differs_[axis] ? text : by_guard;
  }
  const auto written = launch_.grid(axis, block_text_[axis]);
  if (!written) {
    if (const std::string text = launch_.grid_text()[axis]; !text.empty() && sure)
      guess(field,
            fmt::format("{}what the launch in the file has, {}, is no plain number", along, text));
    return by_guard;
  }
  std::string text = written->text();
  if (same(by_guard, text) && (written->named || written->by_block || by_guard == text)) {
    sure = true;
    return by_guard;
  }
  const bool asked = is_choice(block_text_[axis]) || !choice_.block_values[axis].empty();
  const bool tuned = asked && names(by_guard, block_text_[axis]);
  if (sure && tuned && !written->named && number_of_text(by_guard) == written->number) {
    guess(field, fmt::format("{}{} blocks, by the guard: as many as the launch in the file has, {}",
                             along, by_guard, text));
    return by_guard;
  }
  guess(field, fmt::format("{}{} blocks, as the launch in the file has them", along, text));
  sure = grid_differs_[axis] = true;
  return text;
}

bool DraftedShape::same(const std::string& a, const std::string& b) const {
  static constexpr std::array<std::int64_t, 3> apart{10'007, 20'011, 30'011};
  const auto number = number_of_text(a);
  return number && number == number_of_text(b) &&
         number_of_text(a, {}, true) == number_of_text(b, {}, true) &&
         (names_no_extent(a) || names_no_extent(b) ||
          number_of_text(a, apart) == number_of_text(b, apart));
}

bool DraftedShape::names_no_extent(const std::string& text) const {
  const auto names = Expression::parse(text).names();
  return std::none_of(extents_.begin(), extents_.end(),
                      [&](const std::string& name) { return names.contains(name); });
}

std::optional<double> DraftedShape::number_of_text(const std::string& text,
                                                   std::span<const std::int64_t> at,
                                                   bool others) const {
  Bindings values;
  for (std::size_t k = 0; k < extents_.size(); ++k)
    values[extents_[k]] = at.empty() ? sizes_[k] : at[k];
  for (const std::vector<Tunable>* tunables : {&block_parameters_, &choice_.tunables})
    for (const Tunable& one : *tunables) {
      const auto other = std::find_if(one.values.begin(), one.values.end(),
                                      [&](std::int64_t value) { return value != one.usual; });
      values[one.name] = others && other != one.values.end() ? *other : one.usual;
    }
  try {
    return to_number(Expression::parse(text).evaluate(values));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string DraftedShape::bracketed(const std::string& text) {
  return text.find(' ') == text.npos ? text : "(" + text + ")";
}

// ---- arguments

bool DraftedShape::is_tunable(const std::string& name) const {
  return is_choice(name) || std::any_of(block_parameters_.begin(), block_parameters_.end(),
                                        [&](const Tunable& one) { return one.name == name; });
}

std::string DraftedShape::name_of(const KernelParameter& parameter, std::size_t i) {
  return parameter.name.empty() ? fmt::format("argument_{}", i) : parameter.name;
}

} // namespace gridsmith
