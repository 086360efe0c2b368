// SPDX-License-Identifier: Apache-2.0
// A definition drafted from a source: the arguments of a kernel as they are declared, and what a text
// cannot tell, sizes, values and the launch, guessed from names and use. Each guess is noted.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/draft/type_probe.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

/// A source as far as it is understood without a compiler.
struct ReadSource {
  /// @param own texts of the headers that it includes, which are looked at for structs and constants alone
  explicit ReadSource(std::string source, std::vector<std::string> own = {});

  std::shared_ptr<const std::string> text;                      ///< that the tokens point into
  std::shared_ptr<const std::vector<std::string>> header_texts; ///< likewise
  Tokens tokens;
  std::vector<Tokens> headers;
  std::vector<KernelSignature> kernels;
  std::vector<Constant> constants;
  std::vector<Constant> header_constants; ///< that a header defines once
};

/// The kernel of this name; "": the only one. @throws InputError listing those that are there
const KernelSignature& kernel_named(const ReadSource& source, const std::string& name,
                                    const std::string& file);

/// A value of a template's parameter or of a macro that is tuned.
struct Tunable {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t usual = 0; ///< the default
  std::string guess;
};

/// What has to be known before the compiler can be asked.
struct KernelChoice {
  std::string name;              ///< "ns::scale<float, 4>" with macros of tunables
  std::string plain_name;        ///< with their usual values
  std::vector<Tunable> tunables; ///< of macros, constants and template parameters
  std::set<std::string> macros;  ///< of the source, that a copy of it has to let go
  bool needs_guard = false;      ///< one that is tuned is defined without #ifndef
  std::vector<FieldGuess> guesses;
};

KernelChoice choice_of(const ReadSource& source, const KernelSignature& kernel);

struct Draft {
  nlohmann::ordered_json json;
  std::vector<FieldGuess> guesses; ///< also in the JSON
};

/// @param types as the compiler has them; none: as they are written
/// @param file the KernelFile
/// @throws InputError: an argument that no definition can describe
Draft draft_of(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
               const std::optional<std::vector<ResolvedType>>& types, const std::string& file);

} // namespace gridsmith
