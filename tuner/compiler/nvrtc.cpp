// The one door to NVRTC.
#include "gridsmith/tuner/compiler/nvrtc.hpp"

#include "gridsmith/tuner/compiler/compile_log.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace gridsmith {

namespace {

constexpr std::size_t longest_log = 16 * 1024; // bytes; a template error can fill megabytes

struct DestroyProgram {
  using pointer = nvrtcProgram;

  void operator()(nvrtcProgram program) const noexcept { nvrtcDestroyProgram(&program); }
};

using Program = std::unique_ptr<nvrtcProgram, DestroyProgram>;

void check(nvrtcResult result) {
  if (result != NVRTC_SUCCESS)
    throw std::runtime_error(nvrtcGetErrorString(result));
}

Program create(const CompileRequest& request) {
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, request.source.c_str(), request.source_name.c_str(), 0,
                           nullptr, nullptr));
  return Program(program);
}

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1)
    return "";
  std::string log(size, '\0');
  if (nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS)
    return "";
  std::erase(log, '\0'); // at the end, and in front of what ptxas adds
  return log;
}

/// The folders nvcc would search by itself, beside the library that is loaded: cuda_fp16.h,
/// cooperative_groups.h, and the C++ library for device code.
std::vector<std::string> toolkit_folders() {
  namespace fs = std::filesystem;
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&nvrtcVersion), &library) == 0)
    return {};
  std::error_code ignored;
  const fs::path folder = fs::canonical(library.dli_fname, ignored).parent_path();
  for (const fs::path& root : {folder.parent_path(), folder.parent_path().parent_path()}) {
    const fs::path include = root / "include";
    if (!fs::exists(include / "cuda_fp16.h", ignored))
      continue;
    std::vector<std::string> found{include.string()};
    if (fs::exists(include / "cccl", ignored))
      found.push_back((include / "cccl").string());
    return found;
  }
  return {};
}

bool has_cache() {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor));
  return major > 12 || (major == 12 && minor >= 9);
}

std::vector<std::string> options_of(const CompileJob& job) {
  std::vector<std::string> options = job.request.options;
  for (const std::string& folder : job.request.include_directories)
    options.push_back("--include-path=" + folder);
  for (const std::string& folder : toolkit_folders())
    options.push_back("--include-path=" + folder);
  options.push_back(fmt::format("--gpu-architecture=sm_{}", job.compute_capability));
  options.push_back("--ptxas-options=-v");
  // NVRTC's own cache (12.9 and newer) answers without the log that holds the compile facts. What
  // is kept between runs is the tuner's to keep.
  if (has_cache())
    options.push_back("--no-cache");
  return options;
}

void take_result(nvrtcProgram program, const std::string& kernel, CompileOutcome& outcome) {
  const char* lowered = nullptr;
  check(nvrtcGetLoweredName(program, kernel.c_str(), &lowered));
  outcome.kernel = lowered;
  std::size_t size = 0;
  check(nvrtcGetCUBINSize(program, &size));
  outcome.cubin.resize(size);
  check(nvrtcGetCUBIN(program, reinterpret_cast<char*>(outcome.cubin.data())));
}

void compile_into(const CompileJob& job, CompileOutcome& outcome) {
  const Program program = create(job.request);
  // Also for kernels with C linkage: one way for all, and an unknown name is an error of the
  // compiler with its usual message.
  check(nvrtcAddNameExpression(program.get(), job.request.kernel.c_str()));
  const std::vector<std::string> options = options_of(job);
  std::vector<const char*> pointers;
  for (const std::string& option : options)
    pointers.push_back(option.c_str());
  const nvrtcResult result =
      nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  const std::string log = log_of(program.get());
  outcome.log = log.substr(0, longest_log);
  if (result == NVRTC_SUCCESS) {
    take_result(program.get(), job.request.kernel, outcome);
    outcome.facts = facts_from_log(log, outcome.kernel);
    outcome.ok = true;
    return;
  }
  outcome.reason = first_error(log);
  if (outcome.reason.empty())
    outcome.reason = nvrtcGetErrorString(result);
}

} // namespace

std::string nvrtc_version() {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor));
  return fmt::format("{}.{}", major, minor);
}

CompileOutcome compile(const CompileJob& job) {
  CompileOutcome outcome;
  outcome.id = job.id;
  const auto begun = std::chrono::steady_clock::now();
  try {
    compile_into(job, outcome);
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  }
  outcome.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return outcome;
}

} // namespace gridsmith
