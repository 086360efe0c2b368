// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_types.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/read_element_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr std::size_t most_types = 64; // types name each other, one within the other
constexpr std::size_t most_dimensions = 8;
constexpr std::size_t longest_name = 256; // of a number in a struct, which may have thousands
constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view digits = "0123456789";

bool is_identifier(const std::string& name) {
  return !name.empty() && letters.find(name.front()) != letters.npos &&
         name.find_first_not_of(std::string(letters).append(digits)) == name.npos;
}

std::vector<std::string> valid_types(const std::vector<std::string>& own) {
  std::vector<std::string> valid = own;
  for (const std::string& name : number_names())
    valid.push_back(name);
  return valid;
}

/// "float x[2][3]"
struct Declaration {
  std::string type, name;
  std::vector<std::uint64_t> counts;
};

[[noreturn]] void refuse_declaration(const JsonField& field) {
  field.fail("'" + field.text() +
             "' is no field; expected a type and a name, as \"float x\" or "
             "\"int32 n[3]\"");
}

std::vector<std::uint64_t> read_counts(const JsonField& field, std::string_view text) {
  std::vector<std::uint64_t> counts;
  for (std::size_t end = 0; !text.empty(); text = trimmed(text.substr(end + 1))) {
    end = text.find(']');
    if (text.front() != '[' || end == text.npos)
      refuse_declaration(field);
    const std::string_view count = trimmed(text.substr(1, end - 1));
    std::uint64_t& number = counts.emplace_back(0);
    const auto [rest, error] = std::from_chars(count.data(), count.data() + count.size(), number);
    if (error != std::errc() || rest != count.data() + count.size() || number == 0 ||
        number > largest_struct_bytes)
      field.fail(fmt::format("'{}' elements; expected a number from 1 to {}", count,
                             largest_struct_bytes));
  }
  if (counts.size() > most_dimensions)
    field.fail(
        fmt::format("has {} dimensions; expected at most {}", counts.size(), most_dimensions));
  return counts;
}

Declaration read_declaration(const JsonField& field) {
  const std::string whole = field.text();
  const std::string_view text = whole;
  const std::size_t bracket = std::min(text.find('['), text.size());
  const std::string_view head = trimmed(text.substr(0, bracket));
  const std::size_t blank = head.rfind(' ');
  if (blank == head.npos || !is_identifier(std::string(head.substr(blank + 1))))
    refuse_declaration(field);
  std::string_view type = trimmed(head.substr(0, blank));
  if (constexpr std::string_view fixed = "const "; type.starts_with(fixed)) // as sources have it
    type = trimmed(type.substr(fixed.size()));
  return {std::string(type), std::string(head.substr(blank + 1)),
          read_counts(field, text.substr(bracket))};
}

class TypesReader {
public:
  TypesReader(const JsonField& types, Reading& reading)
      : types_(types), reading_(reading), names_(types.names()) {}

  void run() {
    if (names_.size() > most_types)
      types_.fail(fmt::format("has {} types; expected at most {}", names_.size(), most_types));
    for (const std::string& name : names_) {
      const JsonField entry = types_.find(name);
      if (!is_identifier(name) || builtin_layout(name))
        entry.fail("the name of a type is a name in C++ that no built-in type has");
      layout_of_own(name, entry);
    }
    for (const std::string& name : names_)
      if (const JsonField source = types_.find(name).find("Source"); source.present())
        add_checks(source, name);
  }

private:
  const Layout& layout_of_own(const std::string& name, const JsonField& from) {
    if (const auto known = reading_.layouts.find(name); known != reading_.layouts.end())
      return known->second;
    if (!open_.insert(name).second)
      from.fail("'" + name + "' contains itself; a struct has numbers and other structs");
    Layout layout = read(types_.find(name));
    open_.erase(name);
    return reading_.layouts.emplace(name, std::move(layout)).first->second;
  }

  Layout read(const JsonField& entry) {
    entry.only({"Fields", "Bytes", "Alignment", "Source"});
    if (entry.find("Fields").present() == entry.find("Bytes").present())
      entry.fail("Fields or Bytes is needed, not both");
    Layout layout = entry.find("Bytes").present() ? read_bytes(entry.find("Bytes"))
                                                  : read_fields(entry.find("Fields"));
    const std::uint64_t least = read_alignment(entry.find("Alignment"));
    if (entry.find("Bytes").present() && layout.bytes % least != 0)
      entry.find("Bytes").fail(
          fmt::format("{} is no multiple of the Alignment {}", layout.bytes, least));
    finish(layout, least);
    check_bytes(entry, layout.bytes);
    return layout;
  }

  static Layout read_bytes(const JsonField& field) {
    const std::int64_t bytes = field.integer();
    if (bytes < 1 || bytes > static_cast<std::int64_t>(largest_struct_bytes))
      field.fail(fmt::format("{}; expected 1 to {} bytes", bytes, largest_struct_bytes));
    return array_of(layout_of(ElementType::uint8), static_cast<std::uint64_t>(bytes));
  }

  static std::uint64_t read_alignment(const JsonField& field) {
    constexpr std::int64_t most = 256;
    if (!field.present())
      return 1;
    const std::int64_t bytes = field.integer();
    if (bytes < 1 || bytes > most || (bytes & (bytes - 1)) != 0)
      field.fail(fmt::format("{}; expected a power of two up to {}", bytes, most));
    return static_cast<std::uint64_t>(bytes);
  }

  Layout read_fields(const JsonField& list) {
    Layout layout;
    std::set<std::string> seen;
    for (const JsonField& field : list.elements()) {
      const Declaration one = read_declaration(field);
      if (!seen.insert(one.name).second)
        field.fail("a field '" + one.name + "' appears twice");
      Layout member = member_layout(field, one.type);
      for (std::size_t i = one.counts.size(); i-- > 0;) {
        check_bytes(field, member.bytes * one.counts[i]);
        member = array_of(member, one.counts[i]);
      }
      check_bytes(field, layout.bytes + member.bytes);
      if (one.name.size() + member.fields.back().name.size() > longest_name)
        field.fail(fmt::format("gives names of more than {} characters", longest_name));
      add_member(layout, one.name, member);
    }
    if (layout.fields.empty())
      list.fail("expected at least one field, as \"float x\"");
    return layout;
  }

  Layout member_layout(const JsonField& field, const std::string& type) {
    if (auto builtin = builtin_layout(type))
      return *std::move(builtin);
    if (std::find(names_.begin(), names_.end(), type) == names_.end())
      field.fail(unknown_name("type", type, valid_types(names_)));
    return layout_of_own(type, field);
  }

  static void check_bytes(const JsonField& field, std::uint64_t bytes) {
    if (bytes > largest_struct_bytes)
      field.fail(fmt::format("the type would have {} bytes; a kernel takes at most {}", bytes,
                             largest_struct_bytes));
  }

  /// The text is compiled: a name and its template arguments, nothing else.
  void add_checks(const JsonField& source, const std::string& name) {
    const std::string type = source.text();
    if (type.empty() || letters.find(type.front()) == letters.npos ||
        type.find_first_not_of(std::string(letters).append(digits).append(":<>, ")) != type.npos)
      source.fail("'" + type +
                  "' is no type of the source; expected its name in C++, as "
                  "\"Grid<float>\"");
    reading_.definition.layout_checks += layout_checks(
        reading_.layouts.at(name), type, "Gridsmith.Types." + name + " of the definition");
  }

  JsonField types_;
  Reading& reading_;
  std::vector<std::string> names_;
  std::set<std::string> open_;
};

/// By name, where they are in the layout: what is part of something stands together.
using Places = std::map<std::string_view, std::size_t>;

/// Those of the field of this name, or of its parts; "" is all.
std::vector<std::size_t> fields_in(const Places& places, const std::string& name) {
  std::vector<std::size_t> found;
  if (const auto itself = places.find(name); itself != places.end())
    found.push_back(itself->second);
  for (const std::string& parts : {name + ".", name + "["})
    for (auto at = places.lower_bound(parts); at != places.end() && at->first.starts_with(parts);
         ++at)
      found.push_back(at->second);
  return found;
}

[[noreturn]] void refuse_name(const JsonField& value, const std::string& name,
                              const Layout& layout) {
  std::vector<std::string> valid;
  valid.reserve(layout.fields.size());
  for (const PlacedNumber& field : layout.fields)
    valid.push_back(field.name.substr(field.name.front() == '.' ? 1 : 0));
  value.fail(unknown_name("field of the struct", name.substr(1), valid));
}

void read_values(const JsonField& value, const std::string& name, const Places& places,
                 Argument& argument, Reading& reading) {
  const std::vector<std::size_t> fields = fields_in(places, name);
  if (fields.empty())
    refuse_name(value, name, *argument.layout);
  if (value.json().is_object()) {
    for (const std::string& part : value.names())
      read_values(value.find(part), fmt::format("{}.{}", name, part), places, argument, reading);
  } else if (value.json().is_array()) {
    if (const auto at = places.lower_bound(name + "[");
        at == places.end() || !at->first.starts_with(name + "["))
      value.fail("a list is of an array; the values of a struct are an object, {\"x\": 1}");
    std::size_t i = 0;
    for (const JsonField& element : value.elements())
      read_values(element, fmt::format("{}[{}]", name, i++), places, argument, reading);
  } else {
    const Expression expression = reading.number(value);
    for (const std::size_t field : fields)
      argument.field_values[field] = expression;
  }
}

} // namespace

void read_types(const JsonField& types, Reading& reading) {
  if (types.present())
    TypesReader(types, reading).run();
}

void read_type(const JsonField& field, Argument& argument, const Reading& reading) {
  const std::string name = field.text();
  const auto own = reading.layouts.find(name);
  std::optional<Layout> layout = own == reading.layouts.end() ? builtin_layout(name) : own->second;
  if (!layout) {
    std::vector<std::string> names;
    names.reserve(reading.layouts.size());
    for (const auto& [known, of] : reading.layouts)
      names.push_back(known);
    field.fail(unknown_name("type", name, valid_types(names)) +
               "; a struct is described in Gridsmith.Types");
  }
  argument.type = layout->fields.front().type;
  if (layout->fields.size() == 1 && layout->fields.front().name.empty())
    return;
  if (!argument.is_vector) {
    argument.type = ElementType::uint8; // what is no number is bytes
    argument.layout = std::make_shared<const Layout>(*std::move(layout));
    return;
  }
  if (!is_uniform(*layout))
    field.fail("'" + name +
               "' has fields of several types, or gaps; give the bytes of a vector of "
               "them as int32, with a File");
  argument.numbers_each = layout->fields.size();
}

void read_struct_values(const JsonField& values, Argument& argument, Reading& reading) {
  argument.field_values.resize(argument.layout->fields.size());
  Places places;
  for (std::size_t i = 0; i < argument.layout->fields.size(); ++i)
    places.emplace(argument.layout->fields[i].name, i);
  read_values(values, "", places, argument, reading);
  for (std::size_t i = 0; i < argument.field_values.size(); ++i)
    if (!argument.field_values[i])
      values.fail("has no value for '" + argument.layout->fields[i].name.substr(1) +
                  "'; each field needs one");
}

} // namespace gridsmith
