// SPDX-License-Identifier: Apache-2.0
// The declarations of a source and its kernels as they are written, found without a compiler.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// A declaration outside of functions and types: tokens from `first` to before `last`.
struct Declaration {
  enum class Kind { directive, function, other };

  Kind kind = Kind::other;
  std::size_t first = 0, last = 0;
  std::size_t body = 0; ///< of a function: its brace
  std::string scope;    ///< "a::b::"
};

/// Those inside of namespaces and extern "C" too, whose own lines are not among them.
std::vector<Declaration> declarations_of(const Tokens& tokens);

struct KernelParameter {
  std::string type, name;
  std::string otherwise = {}; ///< its default; "": it has none
};

struct TemplateParameter {
  std::string kind;      ///< "typename", "int"
  std::string name;      ///< "" where it has none
  std::string otherwise; ///< its default; "": it has none
};

struct KernelSignature {
  std::string name, scope; ///< "scale" and "ns::"
  std::vector<TemplateParameter> templates;
  std::vector<KernelParameter> parameters;
  std::vector<std::string> bounds; ///< of __launch_bounds__
  Declaration declaration;
};

/// The kernels that have a body, in order.
std::vector<KernelSignature> kernels_of(const Tokens& tokens,
                                        const std::vector<Declaration>& declarations);

/// "a::add(float*, int)"
std::string signature_text(const KernelSignature& kernel);

/// Both are called so, with parameters of the same types: branches of the preprocessor.
bool is_same_kernel(const KernelSignature& a, const KernelSignature& b);

/// Of `template <class T, int N = 4>` before a function; empty: it is no template.
std::vector<TemplateParameter> templates_of(const Tokens& tokens, const Declaration& function);

/// The bracket that opens a function's parameters; its body where there is none.
std::size_t parameters_of(const Tokens& tokens, const Declaration& function);

/// Parts between commas outside of any brackets, angle brackets too.
std::vector<std::span<const Token>> parts_of(std::span<const Token> tokens);

} // namespace gridsmith
