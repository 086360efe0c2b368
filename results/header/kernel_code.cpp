// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/kernel_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/expression_code.hpp"
#include "gridsmith/results/header/plain_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

namespace gridsmith {
namespace {

/// Names of the generated functions and of what they call: no parameter may hide them.
const std::set<std::string>& reserved() {
  static const std::set<std::string> names = {"c",           "p",
                                              "d",           "min",
                                              "max",         "absolute",
                                              "floor",       "ceil",
                                              "round",       "truncate",
                                              "log2",        "power",
                                              "select",      "integer",
                                              "covering",    "fact",
                                              "mixed",       "text",
                                              "grid",        "block",
                                              "holds",       "both",
                                              "one_of",      "in_steps",
                                              "launch",      "allowed",
                                              "consistent",  "work",
                                              "fits",        "check",
                                              "valid",       "extent",
                                              "Number",      "Device",
                                              "Problem",     "Configuration",
                                              "Launch",      "Maybe",
                                              "shared",      "std",
                                              "tuned",       "same_text",
                                              "ceil_divide", "floor_divide",
                                              "launch_of",   "limit_blocks",
                                              "text_of",     "aligned",
                                              "leads",       "extents",
                                              "alignment_of"};
  return names;
}

bool is_text(const Value& value) {
  return std::holds_alternative<std::string>(value);
}

template <class T>
bool all_hold(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const Value& value) { return std::holds_alternative<T>(value); });
}

std::string type_of(const std::vector<Value>& values) {
  if (all_hold<bool>(values))
    return "bool";
  if (std::any_of(values.begin(), values.end(),
                  [](const Value& value) { return std::holds_alternative<double>(value); }))
    return "double";
  const auto narrow = [](const Value& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    return !whole ||
           (*whole >= std::numeric_limits<int>::min() && *whole <= std::numeric_limits<int>::max());
  };
  return std::all_of(values.begin(), values.end(), narrow) ? "int" : "std::int64_t";
}

std::string number_literal(const Value& value, const std::string& type) {
  if (type == "double")
    return real_literal(to_number(value));
  if (type == "bool")
    return to_macro(value);
  const auto* truth = std::get_if<bool>(&value);
  const std::int64_t whole = truth ? (*truth ? 1 : 0) : std::get<std::int64_t>(value);
  return whole == std::numeric_limits<std::int64_t>::min() ? "INT64_MIN" : fmt::format("{}", whole);
}

ConfigurationField field_of(const Parameter& parameter, std::set<std::string>& used) {
  ConfigurationField field{parameter.name, identifier_beside(parameter.name, used), "",
                           parameter.values};
  if (std::none_of(field.values.begin(), field.values.end(), is_text)) {
    field.type = type_of(field.values);
    return field;
  }
  if (!all_hold<std::string>(field.values))
    throw InputError(fmt::format("parameter '{}' has texts and numbers among its values; a header "
                                 "needs one type",
                                 parameter.name));
  field.type = identifier_beside(field.name + "_value", used);
  std::set<std::string> enumerators;
  for (const Value& value : field.values)
    field.enumerators[std::get<std::string>(value)] =
        field.type + "::" + identifier_beside(std::get<std::string>(value), enumerators);
  return field;
}

std::string plain_enumerator(const std::string& qualified) {
  return qualified.substr(qualified.rfind(':') + 1);
}

std::string enumeration(const ConfigurationField& field) {
  std::vector<std::string> names, texts;
  for (const Value& value : field.values) {
    names.push_back(plain_enumerator(field.enumerators.at(std::get<std::string>(value))));
    texts.push_back(string_literal(std::get<std::string>(value)));
  }
  return fmt::format("enum class {0} : unsigned {3} {{ {1} }};\n"
                     "GRIDSMITH_TUNED_FN const char* text({0} value) {{\n"
                     "  const char* const words[] = {{{2}}};\n"
                     "  return words[static_cast<int>(value)];\n}}\n",
                     field.type, fmt::join(names, ", "), fmt::join(texts, ", "),
                     names.size() > 255 ? "short" : "char");
}

std::string value_code(const ConfigurationField& field, const Value& value) {
  if (field.enumerators.empty())
    return number_literal(value, field.type);
  const auto found = field.enumerators.find(to_text(value));
  return found == field.enumerators.end() ? "" : found->second;
}

std::string structs(const KernelCode& code) {
  std::string text = "// Extents in elements.\nstruct Problem {\n";
  for (const std::string& extent : code.extents)
    text += fmt::format("  std::int64_t {} = 0;\n", extent);
  if (!code.layout.empty())
    text +=
        "  // Of pointers; 0: as assumed below. Bytes that one is a multiple of, alignment_of(), or "
        "elements\n  // from a row to the next.\n";
  for (const LayoutField& field : code.layout)
    text += fmt::format("  std::int64_t {} = 0;\n", field.name);
  text += fmt::format("  static constexpr int extents = {};\n}};\n", code.extents.size());
  std::string fields;
  for (const ConfigurationField& field : code.fields) {
    if (!field.enumerators.empty())
      text += enumeration(field);
    fields += fmt::format(
        "  {} {} = {};{}\n", field.type, field.name, value_code(field, field.values.front()),
        field.name == field.parameter ? "" : " // " + comment_text(field.parameter));
  }
  return text + "struct Configuration {\n" + fields + "};\n";
}

const std::string arguments =
    "([[maybe_unused]] const Configuration& c,\n"
    "    [[maybe_unused]] const Problem& p, [[maybe_unused]] const Device& d)";

/// One kernel's expressions in C++.
class Emitter {
public:
  explicit Emitter(const KernelDefinition& definition) : definition_(definition) {}

  KernelCode code() {
    code_.name = kernel_namespace(definition_.name);
    name_parameters();
    name_extents();
    name_layout();
    name_facts();
    code_.text = structs(code_) + consistency() + permission() + geometry() +
                 quantity("work", definition_.flops ? definition_.flops : definition_.bytes) +
                 quantity("least_bytes", definition_.bytes);
    return std::move(code_);
  }

private:
  void name_parameters() {
    std::vector<Parameter> parameters = definition_.parameters;
    if (definition_.automatic)
      for (Parameter& one : automatic_parameters(*definition_.automatic, Device{}))
        parameters.push_back(std::move(one));
    for (const Parameter& parameter : parameters) {
      const ConfigurationField& field = code_.fields.emplace_back(field_of(parameter, used_));
      const std::string of_field = "c." + field.name;
      if (!field.enumerators.empty()) {
        names_[parameter.name] = {of_field, field.enumerators};
        continue;
      }
      const bool mixed = field.type == "double" && !all_hold<double>(field.values);
      bind(parameter.name, field.name, mixed ? fmt::format("mixed({})", of_field) : of_field);
      if (!is_automatic(parameter.name))
        names_["max(" + parameter.name + ")"] = {
            fmt::format("Number({})", number_literal(largest(parameter), field.type))};
    }
  }

  static Value largest(const Parameter& parameter) {
    return *std::max_element(
        parameter.values.begin(), parameter.values.end(),
        [](const Value& a, const Value& b) { return to_number(a) < to_number(b); });
  }

  bool is_automatic(const std::string& name) const {
    const auto names = automatic_names(definition_.automatic);
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void name_extents() {
    const std::size_t count = definition_.default_problem().extents.size();
    const auto& given = definition_.extent_names;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string wanted = i < given.size() ? given[i] : std::string(1, "xyz"[i % 3]);
      const std::string& name = code_.extents.emplace_back(identifier_beside(wanted, used_));
      extents_.push_back(name);
      bind(fmt::format("ProblemSize[{}]", i), name, "p." + name);
      if (i < given.size() && !names_.contains(given[i]))
        bind(given[i], name, "p." + name);
    }
  }

  void name_layout() {
    for (const Argument& argument : definition_.arguments) {
      const auto add = [&](const std::optional<Expression>& needed, const char* what,
                           bool alignment) {
        if (needed)
          code_.layout.push_back(
              {identifier_beside(argument.name + what, used_), *needed, alignment});
      };
      add(argument.alignment, "_alignment", true);
      add(argument.leading_dimension, "_leading", false);
    }
  }

  /// What parameters and extents leave.
  void name_facts() {
    for (const auto& [name, number] : device_facts(Device{}))
      if (!names_.contains(name))
        bind(name, identifier_beside(name, used_), fmt::format("fact(d.{})", name));
  }

  void bind(const std::string& name, const std::string& local, const std::string& from) {
    names_[name] = {local};
    from_[local] = from;
  }

  /// @throws InputError with the field
  std::string written(const Expression& expression, std::string_view field) {
    for (const std::string& name : expression.names())
      if (const auto found = names_.find(name); found != names_.end())
        locals_.insert(found->second.code);
    try {
      return expression_code(expression, [this](std::string_view name) -> const CodeName* {
        const auto found = names_.find(std::string(name));
        return found == names_.end() ? nullptr : &found->second;
      });
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{}: {}: {}", definition_.file.filename().string(), field, error.what()));
    }
  }

  /// A function whose body may use the names that were written since the last one.
  std::string function(const std::string& head, const std::string& body,
                       bool takes_extents = false) {
    std::string binding;
    for (const auto& [local, from] : from_)
      if (locals_.contains(local))
        binding += fmt::format("  const Number {} = {};\n", local,
                               takes_extents && from.starts_with("p.") ? extent_of(local) : from);
    locals_.clear();
    return fmt::format("GRIDSMITH_TUNED_FN {} {{\n{}{}}}\n", head, binding, body);
  }

  std::string extent_of(const std::string& local) const {
    const auto at = std::find(extents_.begin(), extents_.end(), local) - extents_.begin();
    return fmt::format("extent[{}]", at);
  }

  bool of_parameters(const Expression& expression) const {
    const auto& names = expression.names();
    return std::all_of(names.begin(), names.end(), [this](const std::string& name) {
      const auto found = names_.find(name);
      return found != names_.end() && (!from_.contains(found->second.code) ||
                                       from_.at(found->second.code).starts_with("c.") ||
                                       from_.at(found->second.code).starts_with("mixed("));
    });
  }

  std::string member(const ConfigurationField& field) const {
    if (!field.enumerators.empty() ||
        (is_automatic(field.parameter) && field.parameter != "blocks_per_sm"))
      return "";
    std::vector<std::string> values;
    values.reserve(field.values.size());
    for (const Value& value : field.values)
      values.push_back(number_literal(value, field.type));
    return fmt::format("  holds = both(holds, one_of(c.{}, {}));\n", field.name,
                       fmt::join(values, ", "));
  }

  std::string constraints(bool alone) {
    std::string body;
    for (std::size_t i = 0; i < definition_.constraints.size(); ++i) {
      const Expression& expression = definition_.constraints[i].expression;
      if (of_parameters(expression) == alone)
        body += fmt::format(
            "  holds = both(holds, {});\n",
            written(expression, fmt::format("ConfigurationSpace.Conditions[{}].Expression", i)));
    }
    return body;
  }

  std::string consistency() {
    std::string body = "  Number holds = true;\n";
    for (const ConfigurationField& field : code_.fields)
      body += member(field);
    body += constraints(true);
    return "// Listed values, and constraints among them.\n" +
           function("Number consistent([[maybe_unused]] const Configuration& c)",
                    body + "  return holds;\n");
  }

  std::string permission() {
    std::string body = "  Number holds = true;\n" + constraints(false);
    for (const LayoutField& field : code_.layout)
      body += fmt::format("  holds = both(holds, {}(p.{}, {}));\n",
                          field.alignment ? "aligned" : "leads", field.name,
                          written(field.needed, "Gridsmith.Needs"));
    if (const auto& shape = definition_.automatic) {
      std::string threads;
      for (int axis = 0; axis < shape->dimensions; ++axis) {
        const CodeName& block = names_.at(block_names[static_cast<std::size_t>(axis)]);
        threads += (axis ? " * " : "") + block.code;
        locals_.insert(block.code);
      }
      locals_.insert(names_.at("warp_size").code);
      body += fmt::format("  holds = both(holds, {} % {} == 0);\n",
                          shape->dimensions > 1 ? "(" + threads + ")" : threads,
                          names_.at("warp_size").code);
    }
    return "// Constraints that the problem or the device has a part in.\n" +
           function("Number allowed" + arguments, body + "  return holds;\n");
  }

  bool automatic_axis(std::size_t axis) const {
    return definition_.automatic && static_cast<int>(axis) < definition_.automatic->dimensions;
  }

  std::string block_of(std::size_t axis) {
    const auto& own = definition_.block[axis];
    if (own && !automatic_axis(axis))
      return fmt::format("integer({}, 1, INT32_MAX)",
                         written(*own, fmt::format("LocalSize.{}", axis_names[axis])));
    if (const auto found = names_.find(block_names[axis]);
        found != names_.end() && is_field(axis)) {
      locals_.insert(found->second.code);
      return fmt::format("integer({}, 1, INT32_MAX)", found->second.code);
    }
    return definition_.automatic || axis > 0 ? "1" : "256"; // Kernel Tuner's
  }

  bool is_field(std::size_t axis) const {
    return std::any_of(code_.fields.begin(), code_.fields.end(), [&](const auto& field) {
      return field.parameter == block_names[axis] && field.enumerators.empty();
    });
  }

  std::string extent(std::size_t axis) {
    if (axis >= extents_.size())
      return "Number(1)";
    locals_.insert(extents_[axis]);
    return extents_[axis];
  }

  std::string divisor(std::size_t axis) {
    const auto& factors = definition_.grid_div[axis];
    const bool by_threads = !factors && axis_cover(definition_, axis) == AxisCover::by_threads;
    std::string product = by_threads ? fmt::format("block[{}]", axis) : "Number(1)";
    for (const Expression& factor : factors.value_or(std::vector<Expression>{}))
      product +=
          fmt::format(" * ({})", written(factor, fmt::format("GridDiv{}", axis_names[axis])));
    return product;
  }

  std::string grid_of(std::size_t axis) {
    const AxisCover unsaid = axis_cover(definition_, axis);
    if (definition_.has_grid_div())
      return unsaid == AxisCover::once && !definition_.grid_div[axis]
                 ? "1"
                 : fmt::format("covering({}, {})", extent(axis), divisor(axis));
    if (const auto& size = definition_.grid[axis]) {
      const std::string whole = fmt::format(
          "integer({}, 1)", written(*size, fmt::format("GlobalSize.{}", axis_names[axis])));
      return definition_.grid_unit == GridUnit::threads
                 ? fmt::format("ceil_divide({}, block[{}])", whole, axis)
                 : whole;
    }
    if (definition_.grid[0] || definition_.grid[1] || definition_.grid[2])
      return "1";
    return unsaid == AxisCover::by_threads
               ? fmt::format("ceil_divide({}, block[{}])", extent(axis), axis)
           : unsaid == AxisCover::once ? "1"
                                       : extent(axis);
  }

  std::string geometry() {
    std::string body = "  const Number block[3] = {";
    for (std::size_t axis = 0; axis < 3; ++axis)
      body += (axis ? ",\n                           " : "") + block_of(axis);
    body += "};\n  Number grid[3] = {";
    for (std::size_t axis = 0; axis < 3; ++axis)
      body += (axis ? ",\n                    " : "") + grid_of(axis);
    body += "};\n";
    if (definition_.automatic && !definition_.automatic->blocks_per_sm.empty()) {
      const std::string &blocks = names_.at("blocks_per_sm").code,
                        &sms = names_.at("sm_count").code;
      locals_.insert({blocks, sms});
      body += fmt::format("  limit_blocks(grid, {}, {});\n", blocks, sms);
    }
    const auto& bytes = definition_.dynamic_shared_bytes;
    body +=
        fmt::format("  return launch_of(grid, block, {});\n",
                    bytes ? fmt::format("integer({}, 0)", written(*bytes, "SharedMemory")) : "0");
    return "// None where an expression gives no launch.\n" +
           function("Maybe<Launch> launch" + arguments, body);
  }

  /// Of the work model; without one, of its elements. In doubles, which hold any extents.
  std::string quantity(const std::string& name, const std::optional<Expression>& expression) {
    std::string value = "0";
    if (!expression && name == "work") {
      value = "1.0";
      for (std::size_t i = 0; i < extents_.size(); ++i)
        value += fmt::format(" * extent[{}]", i);
    }
    if (expression) {
      const auto plain = real_code(*expression, [this](std::string_view word) {
        const auto found = names_.find(word);
        return found == names_.end() || !from_.contains(found->second.code) ||
                       !from_.at(found->second.code).starts_with("p.")
                   ? ""
                   : extent_of(found->second.code);
      });
      value = plain ? *plain : "(" + written(*expression, "Gridsmith.WorkModel") + ").as_real()";
    }
    return function(fmt::format("double {}(const Problem&, [[maybe_unused]] const double "
                                "(&extent)[{}],\n    [[maybe_unused]] const Device& d)",
                                name, extents_.size()),
                    "  return " + value + ";\n", true);
  }

  const KernelDefinition& definition_;
  KernelCode code_;
  std::set<std::string> used_ = reserved();
  std::vector<std::string> extents_;
  std::map<std::string, CodeName, std::less<>> names_;
  std::map<std::string, std::string> from_; ///< by local name
  std::set<std::string> locals_;            ///< of the function being written
};

} // namespace

std::string KernelCode::configuration(const Configuration& configuration) const {
  std::string list;
  bool same = configuration.size() == fields.size();
  for (const ConfigurationField& field : fields) {
    const Value* value = find_value(configuration, field.parameter);
    const bool typed = value && is_text(*value) == !field.enumerators.empty();
    const std::string code = typed ? value_code(field, *value) : "";
    same &= !code.empty();
    list += (list.empty() ? "" : ", ") + code;
  }
  if (!same)
    throw InputError(fmt::format("kernel '{}': configuration '{}' has other parameters than the "
                                 "header's",
                                 name, gridsmith::to_text(configuration)));
  return "{" + list + "}";
}

KernelCode kernel_code(const KernelDefinition& definition) {
  return Emitter(definition).code();
}

KernelCode kernel_code(const std::string& kernel, const std::vector<Parameter>& parameters,
                       std::size_t extents, const std::string& lacks) {
  KernelCode code;
  code.name = kernel_namespace(kernel);
  code.defined = false;
  code.lacks = lacks;
  std::set<std::string> used = reserved();
  for (const Parameter& parameter : parameters)
    code.fields.push_back(field_of(parameter, used));
  for (std::size_t i = 0; i < extents; ++i)
    code.extents.emplace_back(1, "xyz"[i % 3]);
  code.text = structs(code);
  return code;
}

} // namespace gridsmith
