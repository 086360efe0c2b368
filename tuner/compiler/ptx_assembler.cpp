// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/ptx_assembler.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// As nvJitLink.h declares them; not every toolkit that compiles has the header.
struct JitLink {
  using Handle = struct nvJitLink*;
  static constexpr int ptx_input = 2; // NVJITLINK_INPUT_PTX

  int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubin_size)(Handle, std::size_t*) = nullptr;
  int (*cubin)(Handle, void*) = nullptr;
  int (*log_size)(Handle, std::size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;

  /// @throws InputError
  explicit JitLink(const fs::path& libraries) {
    void* library = opened(libraries);
    const auto bind = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          library ? ::dlsym(library, name) : nullptr);
      if (!function)
        throw InputError("PTX is assembled by nvJitLink of a CUDA toolkit, which cannot be opened "
                         "(libnvJitLink.so in " +
                         libraries.string() + ")");
    };
    bind("nvJitLinkCreate", create);
    bind("nvJitLinkDestroy", destroy);
    bind("nvJitLinkAddData", add);
    bind("nvJitLinkComplete", complete);
    bind("nvJitLinkGetLinkedCubinSize", cubin_size);
    bind("nvJitLinkGetLinkedCubin", cubin);
    bind("nvJitLinkGetErrorLogSize", log_size);
    bind("nvJitLinkGetErrorLog", log);
  }

private:
  static void* opened(const fs::path& libraries) {
    for (const std::string name : {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"})
      for (const fs::path& file : {libraries / name, fs::path(name)})
        if (void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
          return library;
    return nullptr;
  }
};

/// "sm_90a" of ".target sm_90a, debug"; "" if there is none.
std::string target_of(const std::string& ptx) {
  constexpr std::string_view word = ".target";
  const std::size_t at = ptx.find(word);
  const std::size_t begin =
      at == std::string::npos ? at : ptx.find_first_not_of(" \t", at + word.size());
  return begin == std::string::npos
             ? ""
             : ptx.substr(begin, ptx.find_first_of(", \t\r\n", begin) - begin);
}

/// Code for one generation alone (sm_90a) goes by its own name, all other by the device's.
std::string architecture(const std::string& ptx, int compute_capability) {
  const std::string device = fmt::format("sm_{}", compute_capability), target = target_of(ptx);
  return target.size() == device.size() + 1 && target.starts_with(device) ? target : device;
}

std::string complaint(const std::string& log) {
  const std::string first = first_error(log);
  return first.empty() ? log.substr(0, log.find('\n')) : first;
}

} // namespace

bool is_ptx(const std::string& text) {
  // A cubin may carry the PTX that it was made of.
  return !text.starts_with("\x7f"
                           "ELF") &&
         text.find(".version") != std::string::npos && !target_of(text).empty();
}

Bytes assembled(const SourceFile& ptx, int compute_capability, const fs::path& libraries) {
  static const JitLink link{libraries};
  const std::string option = "-arch=" + architecture(ptx.text, compute_capability);
  const char* options[] = {option.c_str()};
  JitLink::Handle handle = nullptr;
  if (link.create(&handle, 1, options) != 0)
    throw InputError(ptx.name + ": nvJitLink refuses " + option);
  const std::string text = ptx.text.substr(0, ptx.text.find('\0'));
  std::size_t size = 0;
  Bytes cubin;
  if (link.add(handle, JitLink::ptx_input, text.data(), text.size(), ptx.name.c_str()) == 0 &&
      link.complete(handle) == 0 && link.cubin_size(handle, &size) == 0) {
    cubin.resize(size);
    link.cubin(handle, cubin.data());
  }
  std::string log;
  if (link.log_size(handle, &size) == 0 && size > 0) {
    log.resize(size);
    link.log(handle, log.data());
  }
  link.destroy(&handle);
  if (cubin.empty())
    throw InputError(ptx.name + ": " + complaint(log));
  return cubin;
}

} // namespace gridsmith
