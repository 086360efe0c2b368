// SPDX-License-Identifier: Apache-2.0
// A kernel's parameter as a definition can say it.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/host_code/type_probe.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct ArgumentType {
  bool pointer = false, constant = false;
  std::string word;    ///< "float", "int32"
  std::string name;    ///< "float4"
  std::string written; ///< in the source, which may have another name for it
  int count = 1;       ///< of a vector type: how many of them an element is
  int bytes = 4;       ///< of one of them
  bool real = true;
  bool strange = false;  ///< a struct, given as its bytes
  bool by_value = false; ///< a struct, or a vector type, that is no pointer

  bool is_integer() const { return !real && !strange; }
};

/// Of a number's or a vector's type without const: "unsigned char", "float4"; nothing for another.
std::optional<ArgumentType> type_of_word(const std::string& name);

/// "__nv_bfloat16", "nv_bfloat162": a type that the toolkit's headers define for numbers of other forms.
bool is_type_of_cuda(std::string_view name);

/// @param types none: read from the text, noted as guesses where they are no plain words
/// @throws InputError: a pointer to pointers
std::vector<ArgumentType> argument_types(const KernelSignature& kernel,
                                         const std::optional<std::vector<ResolvedType>>& types,
                                         std::vector<FieldGuess>& guesses);

} // namespace gridsmith
