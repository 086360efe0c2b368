// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/words_in_use.hpp"

namespace gridsmith {

const std::set<std::string_view>& words_in_use() {
  static const std::set<std::string_view> words{
      // expressions
      "True", "False", "in", "is", "max", "min", "abs", "ceil", "floor", "log2", "round",
      // C++20, with its alternative spellings
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
      "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
      "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
      "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
      "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
      "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
      "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // CUDA
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "defined"};
  return words;
}

} // namespace gridsmith
