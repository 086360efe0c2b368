// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/draft.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/draft/constant_memory.hpp"
#include "gridsmith/kernels/draft/draft_shape.hpp"
#include "gridsmith/kernels/draft/name_words.hpp"
#include "gridsmith/kernels/draft/struct_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace gridsmith {
namespace {

/// Of those that are the same float the one that is written shortest.
double short_number(double single) {
  const std::string text = fmt::format("{}", static_cast<float>(single));
  double number = single;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class Drafting : DraftedShape {
public:
  using DraftedShape::DraftedShape;

  Draft draft(const std::string& file) {
    Draft made;
    Ordered kernel = {{"Language", "CUDA"},    {"KernelName", choice_.name}, {"KernelFile", file},
                      {"ProblemSize", sizes_}, {"GlobalSizeType", "CUDA"},   {"GlobalSize", grid_},
                      {"LocalSize", block_},   {"Arguments", arguments()}};
    if (!size_guess_.empty())
      guesses_.insert(guesses_.begin(), {"KernelSpecification.ProblemSize", size_guess_});
    guesses_.insert(guesses_.end(), choice_.guesses.begin(), choice_.guesses.end());
    if (!choice_.namesakes.empty())
      miss(fmt::format("--kernel '{}' or '{}'", signature_text(kernel_),
                       fmt::join(choice_.namesakes, "' or '")),
           "no launch in the file says which is meant");
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
    if (!choice_.wishes.reference.empty())
      section["Reference"] = {{"Kernel", choice_.wishes.reference}};
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

  /// "the grid along X": what its indices reach by, and nothing gives; "": there is none.
  std::string guessed_shape(const PointerUse& use) const {
    const auto has = [&](const std::string& name) {
      return std::any_of(use.reaches.begin(), use.reaches.end(), [&](const Polynomial& one) {
        return std::any_of(one.terms().begin(), one.terms().end(), [&](const auto& term) {
          return std::find(term.first.begin(), term.first.end(), name) != term.first.end();
        });
      });
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (grid_guessed_[axis] && has(grid_symbol(axis)))
        return fmt::format("the grid along {}", "XYZ"[axis]);
      else if (block_guessed_[axis] && has(block_symbol(axis)))
        return fmt::format("the block along {}", "XYZ"[axis]);
    return "";
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
    const auto words = words_reached(source_.tokens, use_.words);
    for (const ConstantVariable& one : constant_variables(source_.tokens))
      if (words.contains(one.name))
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
    if (!known)
      miss(
          fmt::format("--field KernelSpecification.Arguments.{}={{…}}", i),
          fmt::format(
              "the __constant__ variable {}, whose type or elements are not known; its bytes may be those of "
              "several elements of another type",
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

  /// Without its namespaces.
  static std::string word_of(const ArgumentType& type) {
    const std::size_t scope = type.name.rfind("::");
    return scope == type.name.npos ? type.name : type.name.substr(scope + 2);
  }

  ReadStruct struct_of(const std::string& word) const {
    const auto constants = whole_constants(source_);
    ReadStruct found = struct_types(source_.tokens, word, constants);
    for (std::size_t k = 0; !found.types && k < source_.headers.size(); ++k)
      if (auto other = struct_types(source_.headers[k], word, constants);
          other.types || found.reason.empty())
        found = std::move(other);
    return found;
  }

  /// The elements of a vector that are structs of one type of numbers.
  void describe_elements(ArgumentType& type) {
    const std::string word = word_of(type);
    const ReadStruct found = struct_of(word);
    if (!found.types || found.types->size() != 1)
      return;
    const std::vector<std::string>& fields = found.types->at(word);
    std::set<std::string> numbers;
    for (const std::string& field : fields) // "float x[2]"
      numbers.insert(field.substr(0, field.find(' ')));
    if (numbers.size() != 1 || type_of_word(*numbers.begin()).value_or(ArgumentType()).count > 1)
      return;
    structs_[word] = {{"Fields", fields}, {"Source", type.name}};
    type.bytes *= type.count;
    type.count = 1;
    type.word = word;
    type.strange = false;
    type.real = numbers.contains("float") || numbers.contains("double") || numbers.contains("half");
  }

  /// A struct, or a vector type such as float4.
  Ordered value(std::size_t i, const std::string& field) {
    const std::string name = name_of(kernel_.parameters[i], i);
    const ArgumentType& type = types_[i];
    const std::string word = word_of(type);
    if (type.strange) {
      const ReadStruct found = struct_of(word);
      if (!found.types)
        throw InputError(fmt::format(
            "argument {} ({}) is a struct by value, {} of {} bytes, which init does not write: {}; a "
            "definition describes it in Gridsmith.Types",
            i + 1, name, type.name, type.bytes * type.count,
            found.reason.empty() ? "the source has no plain struct of this name" : found.reason));
      for (const auto& [one, fields] : *found.types)
        structs_[one] = {{"Fields", fields}};
      structs_[word]["Source"] = type.name;
      if (auto fields = fields_of(i, found.types->at(word))) {
        guess("Gridsmith.Scalars." + name,
              fmt::format("the fields of {}, as the launch in the file passes it", name));
        scalars_[name] = std::move(*fields);
        return {{"Name", name}, {"Type", word}, {"MemoryType", "Scalar"}};
      }
    }
    guess(field + ".FillValue",
          fmt::format("1 for every number of {}; Gridsmith.Scalars gives values by field", name));
    miss(fmt::format("--field Gridsmith.Scalars.{}={{…}}", name),
         fmt::format("a {} by value, whose fields the host computes", type.name));
    return {{"Name", name}, {"Type", word}, {"MemoryType", "Scalar"}, {"FillValue", 1}};
  }

  /// The values of a struct of numbers; nothing where one of them is not known.
  std::optional<Ordered> fields_of(std::size_t i, const std::vector<std::string>& fields) const {
    Ordered values = Ordered::object();
    for (const std::string& field : fields) { // "int32 n"
      const std::string type = field.substr(0, field.find(' '));
      const std::string name = field.substr(type.size() + 1);
      const auto value = launch_.member(i, name);
      const bool real = type == "float" || type == "double";
      if (!value || !tunable_in(*value).empty() || !(value->whole || real))
        return std::nullopt;
      if (value->named)
        values[name] = value->text();
      else if (value->whole)
        values[name] = static_cast<std::int64_t>(value->number);
      else
        values[name] = number_as(type, *value);
    }
    return values;
  }

  /// 0.1, not 0.10000000149011612, where both are the same float.
  static double number_as(std::string_view type, const HostValue& value) {
    return value.single && type != "double" ? short_number(value.number) : value.number;
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
      const std::string tuned = tunable_in(*passed);
      const bool number = !passed->named || !tuned.empty();
      if (!number)
        scalars_[name] = passed->text();
      else if (passed->whole)
        made["FillValue"] = static_cast<std::int64_t>(passed->number);
      else
        made["FillValue"] = number_as(types_[i].word, *passed);
      if (!tuned.empty())
        hold(tuned, name, passed->text(), field, made["FillValue"].dump());
      else if (wished(i).empty())
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

  /// "": it is of extents and numbers alone, as a definition's scalars are.
  std::string tunable_in(const HostValue& value) const {
    if (!value.named)
      return "";
    const auto all = Expression::parse(value.text(), Syntax::reals).names();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const std::string& name) { return is_tunable(name); });
    return found == all.end() ? "" : *found;
  }

  /// A scalar has one value in a definition, so what it rests on has its own alone, unless more are asked for.
  void hold(const std::string& tunable, const std::string& scalar, const std::string& text,
            const std::string& field, const std::string& value) {
    if (wishes().tuned.empty())
      held_.insert(tunable);
    guess(field + ".FillValue", fmt::format("{} for {}, which is {}: with the default of {} alone",
                                            value, scalar, text, tunable));
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
    ArgumentType type = types_[i];
    const KernelParameter& parameter = kernel_.parameters[i];
    const std::string name = name_of(parameter, i);
    const auto found = use_.pointers.find(parameter.name);
    PointerUse use = found == use_.pointers.end() ? PointerUse{} : found->second;
    if (type.strange) {
      describe_elements(type);
      use.partly = true; // some of its numbers
    }
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
    } else if (const std::string shape = guessed_shape(use); !shape.empty() && !written) {
      guess(field + ".Size",
            fmt::format("{} elements of {}: they rest on {}, which is a guess", size, name, shape));
    }
    if (const std::string place = launch_.place_inside(i); !place.empty() && wished(i).empty())
      guess(field + ".Size",
            fmt::format("{} elements of {} from its beginning: the launch in the file passes {}",
                        size, name, place));
    if (!type.constant && none_written())
      use.escapes = true;
    const bool output = !type.constant && (use.written || use.escapes);
    const bool in_place = use.read || use.partly || type.count > 1 || use.escapes;
    const bool zeroed = output && !in_place && launch_.is_zeroed(i);
    if (type.strange) {
      miss(fmt::format("--field Gridsmith.Inputs.{}={{…}}", name),
           fmt::format("its elements are {}, filled as bytes", type.name));
      guess(field + ".Type", fmt::format("the bytes of {}, as {}: give them by a File of Inputs",
                                         type.name, type.word));
    }
    Ordered made = {{"Name", name},
                    {"Type", type.word},
                    {"MemoryType", "Vector"},
                    {"AccessType", !output              ? "ReadOnly"
                                   : in_place || zeroed ? "ReadWrite"
                                                        : "WriteOnly"}};
    if (zeroed)
      guess(field + ".AccessType",
            fmt::format("ReadWrite for {}: it starts as zeros, as the file fills it", name));
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

  Ordered space() const {
    Ordered all = Ordered::array();
    std::vector<Tunable> tunables = choice_.tunables;
    tunables.insert(tunables.end(), block_parameters_.begin(), block_parameters_.end());
    for (const Tunable& one : tunables)
      all.push_back(
          {{"Name", one.name},
           {"Type", "int"},
           {"Values", held_.contains(one.name) ? std::vector<std::int64_t>{one.usual} : one.values},
           {"Default", one.usual}});
    Ordered conditions = Ordered::array();
    std::string threads;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!whole_number(block_text_[axis]))
        threads += (threads.empty() ? "" : " * ") + block_text_[axis];
    if (threads.find('*') != std::string::npos || (!threads.empty() && bound() < 1024))
      conditions.push_back({{"Expression", fmt::format("{} <= {}", threads, bound())}});
    return {{"TuningParameters", all}, {"Conditions", conditions}};
  }

  std::map<std::string, std::int64_t> constants_; ///< scalars that are no extents …
  std::set<std::string> held_;                    ///< what is tuned that a scalar rests on
  std::set<std::string> guessed_;                 ///< … and that nothing in the file gives a value
  Ordered inputs_ = Ordered::object(), scalars_ = Ordered::object(), structs_ = Ordered::object();
};

} // namespace

Draft draft_of(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
               const std::optional<std::vector<ResolvedType>>& types, const std::string& file) {
  return Drafting(source, kernel, choice, types).draft(file);
}

} // namespace gridsmith
