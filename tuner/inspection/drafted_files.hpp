// SPDX-License-Identifier: Apache-2.0
// A definition written for a kernel that a file has, with a copy of its device code where the file
// has more than that.
#pragma once

#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct DraftedFiles {
  std::string kernel;
  std::filesystem::path definition, source;
  std::string definition_text;
  std::string source_text;  ///< "": the file is used as it is
  std::size_t left_out = 0; ///< declarations of the host that the copy lacks
  bool by_nvcc = false;     ///< NVRTC takes neither the file nor its device part
  std::vector<FieldGuess> guesses;
  std::vector<std::string> missing; ///< of Draft
  std::string diff;                 ///< what is put into a copy of the source; "": nothing
  std::string uncompiled;           ///< why it does not compile, or was not; "": it does
};

struct DraftOrder {
  std::filesystem::path file;
  std::string kernel;           ///< "scale" or "scale<float, 4>"; "": the only one
  std::string name;             ///< of the definition; "": the kernel's
  std::filesystem::path folder; ///< "": the file's
  std::vector<std::filesystem::path> include;
  HelperSettings helpers;
  DraftWishes wishes = {};
  std::vector<std::string> units =
      {}; ///< other sources that are linked with it, from its folder; only in place
  std::vector<std::string> macros = {}; ///< "NAME" or "NAME=VALUE", with which it is compiled
  bool in_place =
      false; ///< the file itself is compiled, not its device part; the folder is its own, or above
};

/// @throws InputError: there is such a file
void check_absent(const std::filesystem::path& file);

/// As files have it: an argument or a parameter is a line.
std::string definition_text(const nlohmann::ordered_json& definition);

/// Writes nothing. @throws InputError: the file, the kernel, or an argument of it
DraftedFiles draft_files(const DraftOrder& order);

} // namespace gridsmith
