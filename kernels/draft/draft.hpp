// SPDX-License-Identifier: Apache-2.0
// A definition drafted from a source: the arguments of a kernel as they are declared, and what a text
// cannot tell, sizes, values and the launch, guessed from names and use. Each guess is noted.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/draft/read_source.hpp"
#include "gridsmith/kernels/host_code/type_probe.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// What a person says of a kernel in addition to what its file says.
struct DraftWishes {
  struct Tuned {
    std::string
        name; ///< of a macro, a constant, a template's parameter, a variable of the launch, or block_size_x
    std::vector<std::int64_t> values;
  };

  std::vector<Tuned> tuned = {}; ///< empty: what looks like a block or an unrolling
  /// Of the program that the file is; none: they are not known.
  std::optional<std::vector<std::string>> run = {};
  std::vector<std::string> templates =
      {}; ///< arguments of the kernel's template; empty: as the file launches it
  std::vector<std::int64_t> sizes = {}; ///< of the extents; empty: as the file launches it
  std::map<std::string, std::string> arguments = {}; ///< a scalar's value, a vector's elements
  std::array<std::string, 3> grid = {},
                             block = {}; ///< blocks and threads; "": as the file launches it
  std::string shared = {};               ///< dynamic bytes; "": likewise
  std::string reference = {};            ///< kernel of the file whose results are right; "": none
  bool overload = false; ///< the types of the kernel's parameters were given with its name
};

/// A value of a template's parameter or of a macro that is tuned.
struct Tunable {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t usual = 0; ///< the default
  std::string guess;
  std::string parameter = {}; ///< of the template; "": it is none
};

/// What has to be known before the compiler can be asked.
struct KernelChoice {
  std::string name;                ///< "ns::scale<float, 4>" with macros of tunables
  std::string plain_name;          ///< with their usual values
  std::vector<Tunable> tunables;   ///< of macros, constants and template parameters
  std::set<std::string> rewritten; ///< of them, those that the source gives values without #ifndef
  std::array<std::vector<std::int64_t>, 3> block_values; ///< of block_size_x, …, as wished
  std::vector<std::string>
      unsaid; ///< template's parameters whose arguments nothing in the file says
  std::vector<std::string> namesakes; ///< which may be meant as well as this one: no launch says it
  std::vector<FieldGuess> guesses;
  DraftWishes wishes;
};

/// @throws InputError: a name that is tuned and means nothing in the file, or several things
KernelChoice choice_of(const ReadSource& source, const KernelSignature& kernel,
                       DraftWishes wishes = {});

struct Draft {
  nlohmann::ordered_json json;
  std::vector<FieldGuess> guesses; ///< also in the JSON
  /// What nothing in the file says, by the option of `tune` that says it: "--argument alpha=VALUE: …".
  std::vector<std::string> missing;
};

/// @param types as the compiler has them; none: as they are written
/// @param file the KernelFile
/// @throws InputError: an argument that no definition can describe, or a wish for what is not there
Draft draft_of(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
               const std::optional<std::vector<ResolvedType>>& types, const std::string& file);

} // namespace gridsmith
