// The best configurations as one C++17 header without dependencies, for a library to compile in: one
// namespace `tuned::<kernel>` per kernel with constexpr entries and a constexpr lookup(device name,
// compute capability, extents…): entries of that device by name, else of its compute capability,
// else of the first device exported; among them the nearest problem. Of several exports for one
// device and problem the newest counts. Provenance is in the comments.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr std::array keywords = {
    "alignas",   "alignof",  "and",       "asm",        "auto",     "bool",    "break",
    "case",      "catch",    "char",      "class",      "const",    "default", "delete",
    "do",        "double",   "else",      "enum",       "explicit", "extern",  "false",
    "float",     "for",      "friend",    "goto",       "if",       "inline",  "int",
    "long",      "mutable",  "new",       "noexcept",   "not",      "nullptr", "operator",
    "or",        "private",  "public",    "register",   "return",   "short",   "signed",
    "sizeof",    "static",   "struct",    "switch",     "template", "this",    "throw",
    "true",      "try",      "typedef",   "typeid",     "typename", "union",   "unsigned",
    "using",     "virtual",  "void",      "volatile",   "while",    "xor",     "constexpr",
    "namespace", "decltype", "protected", "static_cast"};

/// A C++ identifier that resembles the name.
std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  while (out.starts_with('_')) // a leading underscore may be reserved
    out.erase(0, 1);
  const auto bad_start = out.empty() || std::isdigit(static_cast<unsigned char>(out[0]));
  out.insert(0, bad_start ? "p_" : "");
  const bool keyword = std::find(keywords.begin(), keywords.end(), out) != keywords.end();
  return out + (keyword ? "_" : "");
}

/// What is not plain ASCII is written in octal, which has three digits at most and so cannot take the
/// character after it along.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + '"';
}

/// One line of a comment: nothing may leave it, neither a line end nor a backslash before one.
std::string comment(const std::string& text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\\', ' ');
  return line;
}

enum class FieldType { boolean, integer, wide, real, text };

struct Field {
  std::string parameter;
  std::string name;
  FieldType type = FieldType::boolean;
};

constexpr std::array<std::string_view, 5> type_words = {"bool", "int", "std::int64_t", "double",
                                                        "std::string_view"};

FieldType type_of(const Value& value) {
  if (std::holds_alternative<bool>(value))
    return FieldType::boolean;
  if (std::holds_alternative<double>(value))
    return FieldType::real;
  if (std::holds_alternative<std::string>(value))
    return FieldType::text;
  const auto whole = std::get<std::int64_t>(value);
  const bool narrow =
      whole >= std::numeric_limits<int>::min() && whole <= std::numeric_limits<int>::max();
  return narrow ? FieldType::integer : FieldType::wide;
}

std::string value_text(const Value& value, FieldType type) {
  switch (type) {
  case FieldType::boolean:
    return to_macro(value);
  case FieldType::integer:
  case FieldType::wide:
    return fmt::format("{}", static_cast<std::int64_t>(to_number(value)));
  case FieldType::real:
    return to_text(Value(to_number(value)));
  default:
    return literal(to_text(value));
  }
}

/// Parameters common to all exports of a kernel, with a type that holds all their best values.
std::vector<Field> fields_of(const std::vector<const Export*>& exports) {
  std::vector<Field> fields;
  std::set<std::string> used;
  for (const auto& [name, value] : best_of(*exports.front()).configuration) {
    std::string field = identifier(name);
    while (!used.insert(field).second)
      field += '_';
    fields.push_back({name, std::move(field)});
  }
  for (const Export* exported : exports) {
    const Configuration& configuration = best_of(*exported).configuration;
    bool same = configuration.size() == fields.size();
    for (Field& field : fields) {
      const Value* value = find_value(configuration, field.parameter);
      same &= value != nullptr;
      if (value)
        field.type = std::max(field.type, type_of(*value));
    }
    if (!same)
      throw InputError("recordings of kernel '" + exported->recording.kernel +
                       "' have different parameters; export them into separate headers");
  }
  return fields;
}

/// The day of a timestamp.
std::string day(const std::string& when) {
  return when.empty() ? "on an unknown day" : "on " + when.substr(0, 10);
}

std::string provenance(const Export& exported) {
  const Measurement& best = best_of(exported);
  const Recording& of = exported.recording;
  const Device& device = of.device;
  std::string text = device.name.empty() ? "unknown device" : device.name;
  if (device.compute_capability > 0)
    text += fmt::format(" (compute capability {}.{})", device.compute_capability / 10,
                        device.compute_capability % 10);
  text += fmt::format(", problem {}: {:.6g} ms", of.problem.empty() ? "unknown" : of.problem,
                      cost_ms(best).value_or(0));
  if (const auto times = summarise(best.times_ms); times && times->samples > 1)
    text += fmt::format(", middle half {:.6g} to {:.6g} ms of {} samples", times->first_quartile_ms,
                        times->third_quartile_ms, times->samples);
  if (exported.answer && exported.answer->ties() > 0)
    text += fmt::format(", tied with {} other", exported.answer->ties());
  const bool measured_then = exported.answer && exported.answer->found_by.recording.empty();
  const std::string when = measured_then ? exported.answer->when : of.date;
  std::string origin =
      fmt::format("best of {} configurations, measured {}", of.measurements.size(), day(when));
  if (!device.driver_version.empty())
    origin += ", driver " + device.driver_version;
  if (!device.toolkit_version.empty())
    origin += ", CUDA toolkit " + device.toolkit_version;
  if (!of.conditions.empty())
    origin += ", " + of.conditions;
  return fmt::format("// {}\n//   {}\n", comment(text), comment(origin));
}

std::string entry_text(const Export& exported, const std::vector<Field>& fields, bool fallback) {
  const Measurement& best = best_of(exported);
  const Recording& of = exported.recording;
  std::vector<std::int64_t> extents = extents_of(of.problem);
  extents.resize(3, 1);
  std::string values;
  for (const Field& field : fields) {
    if (!values.empty())
      values += ", ";
    values += value_text(*find_value(best.configuration, field.parameter), field.type);
  }
  const Geometry& shape = best.geometry;
  return fmt::format("    {{{}, {}, {}, {{{}, {}, {}}},\n     {{{}}},\n"
                     "     {{{}, {}, {}}}, {{{}, {}, {}}}, {}, {:.9g}}},\n",
                     literal(of.device.name), of.device.compute_capability, fallback, extents[0],
                     extents[1], extents[2], values, shape.grid[0], shape.grid[1], shape.grid[2],
                     shape.block[0], shape.block[1], shape.block[2], shape.dynamic_shared_bytes,
                     cost_ms(best).value_or(0));
}

constexpr const char* entry_struct = R"(
struct Entry {{
  std::string_view device;       // as the driver names it
  int compute_capability;        // 10 * major + minor; 0: unknown
  bool fallback;                 // serves devices that nothing here was measured on
  std::int64_t problem[3];       // extents; 1 where there are fewer
  Parameters parameters;
  std::int64_t grid[3];          // blocks, for exactly this problem; 1, 1, 1 where not recorded
  unsigned block[3];             // threads; 1, 1, 1 where not recorded
  std::int64_t dynamic_shared_bytes;
  double time_ms;
}};

inline constexpr Entry entries[] = {{
{}}};
)";

constexpr const char* lookup_function = R"(
// How far a problem is from the one that was measured: the product over the extents of the larger
// divided by the smaller; 1 is equal.
constexpr double distance(const Entry& entry, const std::int64_t (&problem)[3]) {
  double product = 1;
  for (int i = 0; i < 3; ++i) {
    const double a = static_cast<double>(entry.problem[i]);
    const double b = problem[i] > 0 ? static_cast<double>(problem[i]) : 1.0;
    product *= a > b ? a / b : b / a;
  }
  return product;
}

// 3: measured on this device, 2: on one of its compute capability, 1: the fallback, 0: no use.
constexpr int fit(const Entry& entry, std::string_view device, int compute_capability) {
  if (entry.device == device && !device.empty())
    return 3;
  if (entry.compute_capability == compute_capability && compute_capability > 0)
    return 2;
  return entry.fallback ? 1 : 0;
}

// The best known configuration. Compute capability as 10 * major + minor (90 for 9.0).
constexpr const Entry& lookup(std::string_view device, int compute_capability, std::int64_t x,
                              std::int64_t y = 1, std::int64_t z = 1) {
  const std::int64_t problem[3] = {x, y, z};
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const int level = fit(entry, device, compute_capability);
    const int best_level = best ? fit(*best, device, compute_capability) : 0;
    if (level > best_level ||
        (level > 0 && level == best_level && distance(entry, problem) < distance(*best, problem)))
      best = &entry;
  }
  return *best; // the fallback's entries fit anything
}
)";

constexpr const char* opening =
    R"(// Best configurations found by Gridsmith. Generated: change it by tuning and exporting again.
// C++17, no dependencies.
//
//   constexpr auto& best = tuned::{0}::lookup("{1}", {2}, {3});
//   best.parameters.{4}, best.block[0], …
//
// For device code, outside of the kernel; inside of it the numbers of P are constants:
//
//   constexpr auto P = tuned::{0}::lookup("{1}", {2}, {3}).parameters;
#pragma once

#include <cstdint>
#include <string_view>
)";

/// The newest export of every device and problem, in the order first given.
std::vector<const Export*> newest(const std::vector<const Export*>& exports) {
  std::vector<const Export*> kept;
  for (const Export* exported : exports) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Export* other) {
      return other->recording.device.name == exported->recording.device.name &&
             other->recording.problem == exported->recording.problem;
    });
    if (same == kept.end())
      kept.push_back(exported);
    else if ((*same)->recording.date < exported->recording.date)
      *same = exported;
  }
  return kept;
}

std::string kernel_text(const std::string& kernel, const std::vector<const Export*>& all) {
  const std::vector<const Export*> exports = newest(all);
  const std::vector<Field> fields = fields_of(exports);
  std::string text = fmt::format("\nnamespace tuned::{} {{\n\n", identifier(kernel));
  for (const Export* exported : exports)
    text += provenance(*exported);
  text += "\nstruct Parameters {\n";
  for (const Field& field : fields)
    text +=
        fmt::format("  {} {};{}\n", type_words[static_cast<std::size_t>(field.type)], field.name,
                    field.name == field.parameter ? "" : " // " + comment(field.parameter));
  text += "};\n";
  std::string entries;
  for (const Export* exported : exports)
    entries +=
        entry_text(*exported, fields,
                   exported->recording.device.name == exports.front()->recording.device.name);
  text += fmt::format(entry_struct, entries);
  text += lookup_function;
  return text + fmt::format("\n}} // namespace tuned::{}\n", identifier(kernel));
}

std::string opening_text(const Export& example) {
  const Recording& of = example.recording;
  const Configuration& configuration = best_of(example).configuration;
  std::vector<std::int64_t> extents = extents_of(of.problem);
  if (extents.empty())
    extents = {1};
  return fmt::format(opening, identifier(of.kernel), comment(of.device.name),
                     of.device.compute_capability, fmt::join(extents, ", "),
                     configuration.empty() ? "" : identifier(configuration.front().first));
}

} // namespace

/// @throws InputError: nothing correct, or exports of one kernel with different parameters.
std::string header_text(std::span<const Export> exports) {
  std::map<std::string, std::vector<const Export*>> kernels;
  for (const Export& exported : exports)
    kernels[exported.recording.kernel].push_back(&exported);
  std::string text = opening_text(exports.front());
  for (const auto& [kernel, of] : kernels)
    text += kernel_text(kernel, of);
  return text;
}

} // namespace gridsmith
