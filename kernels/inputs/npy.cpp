// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/npy.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

namespace gridsmith {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_extents = 32; // NumPy's own limit for long

struct TypeWord {
  std::string_view word;
  ElementType type;
};

constexpr TypeWord type_words[] = {
    {"<f2", ElementType::float16}, {"<f4", ElementType::float32}, {"<f8", ElementType::float64},
    {"|i1", ElementType::int8},    {"|u1", ElementType::uint8},   {"|b1", ElementType::uint8},
    {"<i2", ElementType::int16},   {"<u2", ElementType::uint16},  {"<i4", ElementType::int32},
    {"<u4", ElementType::uint32},  {"<i8", ElementType::int64},   {"<u8", ElementType::uint64},
};

[[noreturn]] void fail(const std::string& what) {
  throw InputError("is no .npy file that can be read: " + what);
}

ElementType type_of(std::string_view word) {
  for (const TypeWord& known : type_words)
    if (known.word == word)
      return known.type;
  std::string valid;
  for (const TypeWord& known : type_words)
    valid += (valid.empty() ? "" : ", ") + std::string(known.word);
  const bool printed =
      word.size() < 20 &&
      std::all_of(word.begin(), word.end(), [](char c) { return c > 31 && c < 127; });
  fail(fmt::format("its elements are of the type '{}'; choose from {} (little-endian)",
                   printed ? word : "?", valid));
}

/// The dictionary's text, front to back.
class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool accept(char wanted) {
    skip();
    if (rest_.empty() || rest_.front() != wanted)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted))
      fail(fmt::format("'{}' is missing in its head", wanted));
  }

  std::string_view text() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'')
      expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos)
      fail("a text in its head does not end");
    return take(end, 1);
  }

  bool truth() {
    skip();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (!accept(')')) {
      numbers.push_back(number());
      if (numbers.size() > most_extents)
        fail("its shape has too many extents");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  bool at_end() {
    skip();
    return rest_.empty();
  }

private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  std::string_view take(std::size_t count, std::size_t dropped) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count + dropped);
    return taken;
  }

  std::uint64_t number() {
    skip();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{})
      fail("its shape is no tuple of whole numbers");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
};

std::uint64_t product_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product) || product >> 60 != 0)
      fail("its shape has too many elements");
  return product;
}

NpyHead head_of(std::string_view dictionary) {
  std::optional<std::string_view> type;
  std::optional<bool> columns_first;
  std::optional<std::vector<std::uint64_t>> shape;
  Reader reader(dictionary);
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string_view key = reader.text();
    reader.expect(':');
    if (key == "descr")
      type = reader.text();
    else if (key == "fortran_order")
      columns_first = reader.truth();
    else if (key == "shape")
      shape = reader.tuple();
    else
      fail("its head has more than descr, fortran_order and shape");
    if (!reader.accept(',')) {
      reader.expect('}');
      break;
    }
  }
  if (!type || !columns_first || !shape || !reader.at_end())
    fail("its head is not one dictionary of descr, fortran_order and shape");
  if (*columns_first && shape->size() > 1)
    fail("its columns come first (fortran_order); write it from numpy.ascontiguousarray");
  return {type_of(*type), *shape, product_of(*shape), 0};
}

} // namespace

NpyHead read_npy_head(std::string_view start) {
  if (!start.starts_with(magic) || start.size() < magic.size() + 4)
    fail("it does not begin as one");
  const auto byte = [&](std::size_t at) {
    return std::uint64_t{static_cast<std::uint8_t>(start[at])};
  };
  const std::uint64_t version = byte(magic.size());
  if (version < 1 || version > 3)
    fail(fmt::format("it is of version {}; versions 1 to 3 are read", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4, begin = magic.size() + 2 + length_bytes;
  if (start.size() < begin)
    fail("it ends in its head");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= byte(magic.size() + 2 + i) << (8 * i);
  if (length > longest_npy_head - begin)
    fail(fmt::format("its head has {} bytes, more than are read", length));
  if (start.size() < begin + length)
    fail("it ends in its head");
  NpyHead head = head_of(start.substr(begin, length));
  head.bytes = begin + length;
  return head;
}

std::string npy_head(ElementType type, std::uint64_t elements) {
  constexpr std::size_t alignment = 64, before = magic.size() + 4;
  const auto* const known = std::find_if(std::begin(type_words), std::end(type_words),
                                         [&](const TypeWord& one) { return one.type == type; });
  std::string dictionary = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", known->word, elements);
  dictionary.append(alignment - (before + dictionary.size()) % alignment, ' ').back() = '\n';
  std::string head(magic);
  head += {1, 0, static_cast<char>(dictionary.size()), 0}; // version 1.0; its length, below 256
  return head + dictionary;
}

} // namespace gridsmith
