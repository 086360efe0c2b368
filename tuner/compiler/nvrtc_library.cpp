// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvrtc_library.hpp"

#include "gridsmith/tuner/compiler/nvcc/toolkit_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr int least_major = 12; // older ones lack options that we pass

fs::path file_of(const void* symbol) {
  Dl_info library{};
  std::error_code ignored;
  return ::dladdr(symbol, &library) == 0 ? fs::path() : fs::canonical(library.dli_fname, ignored);
}

/// The folders nvcc would search by itself, beside the library that is loaded: cuda_fp16.h,
/// cooperative_groups.h, and the C++ library for device code.
std::vector<fs::path> toolkit_folders(const fs::path& library_folder) {
  std::error_code ignored;
  for (const fs::path& root :
       {library_folder.parent_path(), library_folder.parent_path().parent_path()}) {
    const fs::path include = root / "include";
    if (!fs::exists(include / "cuda_fp16.h", ignored))
      continue;
    std::vector<fs::path> found{include};
    if (fs::exists(include / "cccl", ignored))
      found.push_back(include / "cccl");
    return found;
  }
  return {};
}

/// In the order of trial.
std::vector<std::string> candidates(const std::optional<fs::path>& library) {
  const std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::error_code ignored;
  std::vector<std::string> found;
  const auto add_folder = [&](const fs::path& folder) {
    for (const std::string& name : names)
      found.push_back((folder / name).string());
  };
  if (library && !fs::is_directory(*library, ignored))
    return {fs::absolute(*library).string()};
  if (library) {
    add_folder(fs::absolute(*library));
    return found;
  }
  add_folder(GRIDSMITH_NVRTC_FOLDER);
  found.insert(found.end(), names.begin(), names.end()); // by the loader's own search
  return found;
}

void* open_library(const std::optional<fs::path>& library) {
  std::string last;
  for (const std::string& name : candidates(library)) {
    if (void* opened = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return opened;
    std::error_code ignored;
    if (const char* why = ::dlerror(); last.empty() || fs::exists(name, ignored))
      last = why;
  }
  throw NvrtcError("NVRTC, CUDA's compiler as a library, cannot be opened: " + last);
}

template <typename Function>
void bind(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (!function)
    throw NvrtcError(fmt::format("this NVRTC has no {}: it is too old", name));
}

/// NVRTC asks the loader for its second library by name alone, which finds it when it is open.
void open_builtins(const fs::path& file) {
  ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL); // absent: the loader may know it
}

} // namespace

void NvrtcLibrary::bind_all(void* library) {
  bind(library, "nvrtcVersion", version);
  bind(library, "nvrtcGetNumSupportedArchs", capability_count);
  bind(library, "nvrtcGetSupportedArchs", capability_list);
  bind(library, "nvrtcGetErrorString", error_string);
  bind(library, "nvrtcCreateProgram", create);
  bind(library, "nvrtcDestroyProgram", destroy);
  bind(library, "nvrtcAddNameExpression", add_name);
  bind(library, "nvrtcCompileProgram", compile);
  bind(library, "nvrtcGetLoweredName", lowered_name);
  bind(library, "nvrtcGetProgramLogSize", log_size);
  bind(library, "nvrtcGetProgramLog", log);
  bind(library, "nvrtcGetCUBINSize", cubin_size);
  bind(library, "nvrtcGetCUBIN", cubin);
  bind(library, "nvrtcGetPTXSize", ptx_size);
  bind(library, "nvrtcGetPTX", ptx);
  precompiles = ::dlsym(library, "nvrtcGetPCHCreateStatus") != nullptr;
}

NvrtcLibrary::NvrtcLibrary(const std::optional<fs::path>& library) {
  bind_all(open_library(library));
  int major = 0, minor = 0;
  check(version(&major, &minor));
  version_text = fmt::format("{}.{}", major, minor);
  if (major < least_major)
    throw NvrtcError(
        fmt::format("NVRTC {} is too old: {}.0 or newer is needed", version_text, least_major));
  int count = 0;
  check(capability_count(&count));
  capabilities.resize(static_cast<std::size_t>(count));
  check(capability_list(capabilities.data()));
  file = file_of(reinterpret_cast<const void*>(version));
  const fs::path folder = file.parent_path();
  second_file = folder / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  open_builtins(second_file);
  include_folders = toolkit_folders(folder);
  headers = listing();
  for (const fs::path& include : include_folders)
    options.push_back("--include-path=" + include.string());
  // Not --no-source-include, which also hides a toolkit's header from the one beside it that includes
  // it (crt/mma.h: "mma.hpp"); what is beside us on this machine is kept out by the door.
  options.push_back("--ptxas-options=-v");
  // NVRTC's own cache (12.9 and newer) answers without the log that holds the compile facts. What
  // is kept between runs is the tuner's to keep.
  if (major > 12 || minor >= 9)
    options.push_back("--no-cache");
}

void NvrtcLibrary::check(nvrtcResult result) const {
  if (result != NVRTC_SUCCESS)
    throw NvrtcError(error_string(result));
}

std::string NvrtcLibrary::listing() const {
  std::vector<fs::path> first;
  if (!include_folders.empty())
    first.push_back(include_folders.front()); // the others lie below it
  return listing_hash(first, {file, second_file});
}

} // namespace gridsmith
