// SPDX-License-Identifier: Apache-2.0
// NVRTC as it was opened: its functions, what it is and where its toolkit lies.
#pragma once

#include "gridsmith/tuner/compiler/nvrtc.hpp"

#include <nvrtc.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct NvrtcLibrary {
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) capability_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) capability_list = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  std::string version_text;
  std::vector<int> capabilities;
  std::filesystem::path file, second_file;
  std::vector<std::filesystem::path> include_folders; ///< the toolkit's headers
  std::vector<std::string> options;                   ///< those of every compilation
  std::string headers;                                ///< listing() at the start
  bool precompiles = false;                           ///< headers, as 12.8 and newer do

  /// Opens it. @param library as of Nvrtc. @throws NvrtcError
  explicit NvrtcLibrary(const std::optional<std::filesystem::path>& library);

  /// Hash of all that a compilation reads of the toolkit.
  std::string listing() const;
  /// @throws NvrtcError: what NVRTC says of a result that is no success
  void check(nvrtcResult result) const;

private:
  void bind_all(void* library);
};

} // namespace gridsmith
