// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/type_probe.hpp"

#include "gridsmith/base/demangled.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"

#include <charconv>

namespace gridsmith {
namespace {

constexpr const char* probe = R"gs(
template <typename gridsmith_t, bool = __is_enum(gridsmith_t)> struct gridsmith_kind { static constexpr int is = 4; };
template <typename gridsmith_t> struct gridsmith_kind<gridsmith_t, true> : gridsmith_kind<__underlying_type(gridsmith_t)> {};
template <> struct gridsmith_kind<float, false> { static constexpr int is = 1; };
template <> struct gridsmith_kind<double, false> { static constexpr int is = 1; };
template <> struct gridsmith_kind<char, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<signed char, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<short, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<int, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<long, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<long long, false> { static constexpr int is = 2; };
template <> struct gridsmith_kind<bool, false> { static constexpr int is = 3; };
template <> struct gridsmith_kind<unsigned char, false> { static constexpr int is = 3; };
template <> struct gridsmith_kind<unsigned short, false> { static constexpr int is = 3; };
template <> struct gridsmith_kind<unsigned int, false> { static constexpr int is = 3; };
template <> struct gridsmith_kind<unsigned long, false> { static constexpr int is = 3; };
template <> struct gridsmith_kind<unsigned long long, false> { static constexpr int is = 3; };
template <typename gridsmith_t> struct gridsmith_size { static constexpr int is = sizeof(gridsmith_t); };
template <> struct gridsmith_size<void> { static constexpr int is = 0; };
template <typename gridsmith_p, int gridsmith_pointer, int gridsmith_constant, int gridsmith_k, int gridsmith_s> struct gridsmith_item {};
template <typename gridsmith_p, typename gridsmith_t, int gridsmith_pointer, int gridsmith_constant>
struct gridsmith_plain { using type = gridsmith_item<gridsmith_p, gridsmith_pointer, gridsmith_constant, gridsmith_kind<gridsmith_t>::is, gridsmith_size<gridsmith_t>::is>; };
template <typename gridsmith_p, typename gridsmith_t, int gridsmith_pointer, int gridsmith_constant>
struct gridsmith_plain<gridsmith_p, volatile gridsmith_t, gridsmith_pointer, gridsmith_constant> : gridsmith_plain<gridsmith_p, gridsmith_t, gridsmith_pointer, gridsmith_constant> {};
template <typename gridsmith_t> struct gridsmith_described : gridsmith_plain<gridsmith_t, gridsmith_t, 0, 0> {};
template <typename gridsmith_t> struct gridsmith_described<gridsmith_t*> : gridsmith_plain<gridsmith_t*, gridsmith_t, 1, 0> {};
template <typename gridsmith_t> struct gridsmith_described<const gridsmith_t*> : gridsmith_plain<const gridsmith_t*, gridsmith_t, 1, 1> {};
template <typename... gridsmith_i> struct gridsmith_list {};
template <typename gridsmith_f> struct gridsmith_items;
template <typename... gridsmith_p> struct gridsmith_items<void (*)(gridsmith_p...)> { using type = gridsmith_list<typename gridsmith_described<gridsmith_p>::type...>; };
template <typename gridsmith_l> __global__ void gridsmith_types() {}
)gs";

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "gridsmith_item<float const*, 1, 1, 1, 4>"
std::optional<ResolvedType> type_of(std::string_view item) {
  constexpr std::string_view head = "gridsmith_item<";
  const std::size_t at = item.find(head);
  const std::size_t end = item.rfind('>');
  if (at == item.npos || end == item.npos || end < at + head.size())
    return std::nullopt;
  item = item.substr(at + head.size(), end - at - head.size());
  int numbers[4] = {};
  for (int i = 3; i >= 0; --i) {
    const std::size_t comma = item.rfind(", ");
    if (comma == item.npos)
      return std::nullopt;
    numbers[i] = number_of(item.substr(comma + 2));
    item = item.substr(0, comma);
  }
  using Kind = ResolvedType::Kind;
  const Kind kind = numbers[2] == 1   ? Kind::real
                    : numbers[2] == 2 ? Kind::signed_integer
                    : numbers[2] == 3 ? Kind::unsigned_integer
                                      : Kind::other;
  return ResolvedType{std::string(item), numbers[0] == 1, numbers[1] == 1, kind, numbers[3]};
}

} // namespace

std::string type_probe(const std::string& kernel) {
  return asking_lines(kernel_expression(kernel)) + probe;
}

std::string type_probe_name(const std::string& kernel) {
  return "gridsmith_types<typename gridsmith_items<decltype(" + kernel_expression(kernel).address +
         ")>::type>";
}

std::optional<std::vector<ResolvedType>> types_of_probe(const std::string& lowered) {
  const std::string name = demangled(lowered);
  constexpr std::string_view head = "gridsmith_list<";
  const std::size_t at = name.find(head);
  const std::size_t end = name.rfind('>');
  if (at == name.npos || end == name.npos || end < at + head.size())
    return std::nullopt;
  const std::string list =
      name.substr(at + head.size(), name.rfind('>', end - 1) - at - head.size());
  std::vector<ResolvedType> types;
  std::size_t item = list.find("gridsmith_item<");
  while (item != list.npos) {
    const std::size_t next = list.find("gridsmith_item<", item + 1);
    const auto type = type_of(std::string_view(list).substr(item, next - item));
    if (!type)
      return std::nullopt;
    types.push_back(*type);
    item = next;
  }
  return types;
}

} // namespace gridsmith
