// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/argument_type.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <map>

namespace gridsmith {
namespace {

struct Known {
  std::string_view word;
  int bytes;
  bool real;
};

/// Without const and typedefs; also what the text has where no compiler was asked.
const std::map<std::string_view, Known>& known_types() {
  static const std::map<std::string_view, Known> types{{"float", {"float", 4, true}},
                                                       {"double", {"double", 8, true}},
                                                       {"__half", {"half", 2, true}},
                                                       {"half", {"half", 2, true}},
                                                       {"char", {"int8", 1, false}},
                                                       {"signed char", {"int8", 1, false}},
                                                       {"unsigned char", {"uint8", 1, false}},
                                                       {"uchar", {"uint8", 1, false}},
                                                       {"bool", {"uint8", 1, false}},
                                                       {"short", {"int16", 2, false}},
                                                       {"unsigned short", {"uint16", 2, false}},
                                                       {"ushort", {"uint16", 2, false}},
                                                       {"int", {"int32", 4, false}},
                                                       {"unsigned int", {"uint32", 4, false}},
                                                       {"unsigned", {"uint32", 4, false}},
                                                       {"uint", {"uint32", 4, false}},
                                                       {"long", {"int64", 8, false}},
                                                       {"unsigned long", {"uint64", 8, false}},
                                                       {"long long", {"int64", 8, false}},
                                                       {"unsigned long long", {"uint64", 8, false}},
                                                       {"longlong", {"int64", 8, false}},
                                                       {"ulonglong", {"uint64", 8, false}},
                                                       {"ulong", {"uint64", 8, false}},
                                                       {"size_t", {"uint64", 8, false}},
                                                       {"int8_t", {"int8", 1, false}},
                                                       {"uint8_t", {"uint8", 1, false}},
                                                       {"int16_t", {"int16", 2, false}},
                                                       {"uint16_t", {"uint16", 2, false}},
                                                       {"int32_t", {"int32", 4, false}},
                                                       {"uint32_t", {"uint32", 4, false}},
                                                       {"int64_t", {"int64", 8, false}},
                                                       {"uint64_t", {"uint64", 8, false}}};
  return types;
}

bool take(ArgumentType& type, const Known& known) {
  type.word = known.word;
  type.bytes = known.bytes;
  type.real = known.real;
  return true;
}

/// "float", "float4", "__half2"; false for what is neither.
bool take_word(const std::string& name, ArgumentType& type) {
  const auto& types = known_types();
  if (constexpr std::string_view more = " int"; name.ends_with(more) && name != "unsigned int")
    return take_word(name.substr(0, name.size() - more.size()), type); // "unsigned long int"
  if (const auto found = types.find(name); found != types.end())
    return take(type, found->second);
  const auto one = name.empty() ? types.end() : types.find(name.substr(0, name.size() - 1));
  if (one == types.end() || std::string_view("1234").find(name.back()) == std::string_view::npos)
    return false;
  type.count = name.back() - '0';
  return take(type, one->second);
}

/// "float const*" without const, volatile and the pointer; "struct" too.
std::string bare(std::string name) {
  for (const std::string_view word : {"const", "volatile", "struct ", "*"})
    for (std::size_t at = 0; (at = name.find(word, at)) != name.npos;)
      name.erase(at, word.size());
  return std::string(trimmed(name));
}

/// "POS" of "const POS* __restrict__".
std::string written_type(const std::string& text) {
  std::string type = bare(text);
  for (const std::string_view word : {"__restrict__", "__restrict", "&"})
    for (std::size_t at = 0; (at = type.find(word, at)) != type.npos;)
      type.erase(at, word.size());
  return std::string(trimmed(type));
}

void take_numbers(const ResolvedType& resolved, ArgumentType& type) {
  using Kind = ResolvedType::Kind;
  if (take_word(bare(resolved.name), type))
    return;
  if (resolved.kind == Kind::other) {
    type.strange = true;
    const bool words = resolved.bytes > 0 && resolved.bytes % 4 == 0;
    type.bytes = words ? 4 : 1;
    type.word = words ? "int32" : "uint8";
    type.count = static_cast<int>(std::max<std::int64_t>(1, resolved.bytes / type.bytes));
    type.real = false;
    return;
  }
  const bool is_signed = resolved.kind == Kind::signed_integer; // an enumeration
  type.word = fmt::format("{}int{}", is_signed ? "" : "u", 8 * resolved.bytes);
  type.bytes = static_cast<int>(resolved.bytes);
  type.real = false;
}

[[noreturn]] void refuse_pointers(std::size_t i, const KernelParameter& parameter,
                                  const std::string& type) {
  throw InputError(fmt::format("argument {} ({}) is a pointer to pointers{}; no definition can "
                               "describe it: give the kernel pointers to numbers",
                               i + 1, parameter.name, type.empty() ? "" : ", " + type));
}

ArgumentType of_compiler(std::size_t i, const KernelParameter& parameter,
                         const ResolvedType& resolved) {
  ArgumentType type;
  type.name = bare(resolved.name);
  type.pointer = resolved.pointer;
  type.constant = resolved.constant;
  if (resolved.pointer && std::count(resolved.name.begin(), resolved.name.end(), '*') > 1)
    refuse_pointers(i, parameter, resolved.name);
  take_numbers(resolved, type);
  type.by_value = !resolved.pointer && (type.strange || type.count > 1);
  return type;
}

ArgumentType of_text(std::size_t i, const KernelParameter& parameter,
                     std::vector<FieldGuess>& guesses) {
  ArgumentType type;
  type.pointer = parameter.type.find('*') != std::string::npos;
  type.constant = parameter.type.substr(0, parameter.type.find('*')).find("const") !=
                  std::string::npos; // `float* const` may be written
  type.name = bare(parameter.type);
  if (std::count(parameter.type.begin(), parameter.type.end(), '*') > 1)
    refuse_pointers(i, parameter, "");
  if (take_word(type.name, type))
    return type;
  type.word = type.pointer ? "float" : "int32";
  type.real = type.pointer;
  guesses.push_back({fmt::format("KernelSpecification.Arguments[{}].Type", i),
                     fmt::format("{} for {}: no compiler said what {} is", type.word,
                                 parameter.name, parameter.type)});
  return type;
}

} // namespace

std::optional<ArgumentType> type_of_word(const std::string& name) {
  ArgumentType type;
  type.name = name;
  return take_word(name, type) ? std::optional(type) : std::nullopt;
}

bool is_type_of_cuda(std::string_view name) {
  return name.starts_with("__nv_") || name.starts_with("nv_bfloat16");
}

std::vector<ArgumentType> argument_types(const KernelSignature& kernel,
                                         const std::optional<std::vector<ResolvedType>>& types,
                                         std::vector<FieldGuess>& guesses) {
  std::vector<ArgumentType> all;
  all.reserve(kernel.parameters.size());
  const bool known = types && types->size() == kernel.parameters.size();
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    all.push_back(known ? of_compiler(i, kernel.parameters[i], (*types)[i])
                        : of_text(i, kernel.parameters[i], guesses));
    all.back().written = written_type(kernel.parameters[i].type);
  }
  return all;
}

} // namespace gridsmith
