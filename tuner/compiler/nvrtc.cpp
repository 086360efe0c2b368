#include "gridsmith/tuner/compiler/nvrtc.hpp"

#include "gridsmith/tuner/compiler/code_hash.hpp"
#include "gridsmith/tuner/compiler/compile_log.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <chrono>
#include <string_view>
#include <vector>

namespace gridsmith {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_log = 16 * 1024; // bytes; a template error can fill megabytes
constexpr int least_major = 12;                // older ones lack options that we pass

fs::path folder_of(const void* symbol) {
  Dl_info library{};
  std::error_code ignored;
  return ::dladdr(symbol, &library) == 0 ? fs::path()
                                         : fs::canonical(library.dli_fname, ignored).parent_path();
}

/// The folders nvcc would search by itself, beside the library that is loaded: cuda_fp16.h,
/// cooperative_groups.h, and the C++ library for device code.
std::vector<std::string> toolkit_folders(const fs::path& library_folder) {
  std::error_code ignored;
  for (const fs::path& root :
       {library_folder.parent_path(), library_folder.parent_path().parent_path()}) {
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

} // namespace

struct Nvrtc::Functions {
  decltype(&nvrtcVersion) version = nullptr;
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
  std::string version_text;
  std::vector<std::string> options; ///< those of every compilation

  explicit Functions(void* library);
  void check(nvrtcResult result) const;
  void open_builtins(const fs::path& folder, int major, int minor) const;
};

namespace {

struct DestroyProgram {
  using pointer = nvrtcProgram;

  decltype(&nvrtcDestroyProgram) destroy;

  void operator()(nvrtcProgram program) const noexcept { destroy(&program); }
};

using Program = std::unique_ptr<nvrtcProgram, DestroyProgram>;

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

} // namespace

Nvrtc::Functions::Functions(void* library) {
  bind(library, "nvrtcVersion", version);
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
  int major = 0, minor = 0;
  check(version(&major, &minor));
  version_text = fmt::format("{}.{}", major, minor);
  if (major < least_major)
    throw NvrtcError(
        fmt::format("NVRTC {} is too old: {}.0 or newer is needed", version_text, least_major));
  const fs::path folder = folder_of(reinterpret_cast<const void*>(version));
  open_builtins(folder, major, minor);
  for (const std::string& include : toolkit_folders(folder))
    options.push_back("--include-path=" + include);
  // What is beside us on this machine is no part of the bundle, so it is not found either.
  options.insert(options.end(), {"--no-source-include", "--ptxas-options=-v"});
  // NVRTC's own cache (12.9 and newer) answers without the log that holds the compile facts. What
  // is kept between runs is the tuner's to keep.
  if (major > 12 || minor >= 9)
    options.push_back("--no-cache");
}

void Nvrtc::Functions::check(nvrtcResult result) const {
  if (result != NVRTC_SUCCESS)
    throw NvrtcError(error_string(result));
}

/// NVRTC asks the loader for its second library by name alone, which finds it when it is open.
void Nvrtc::Functions::open_builtins(const fs::path& folder, int major, int minor) const {
  const auto file = folder / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL); // absent: the loader may know it
}

namespace {

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,@%") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Template errors fill megabytes: the beginning says what is wrong.
std::string log_of(const auto& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.log_size(program, &size) != NVRTC_SUCCESS || size <= 1)
    return "";
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != NVRTC_SUCCESS)
    return "";
  std::erase(log, '\0'); // at the end, and in front of what ptxas adds
  return log;
}

Program create(const auto& nvrtc, const SourceBundle& bundle) {
  const std::vector<SourceFile> files = with_resolved_includes(bundle);
  std::vector<const char*> texts, names;
  for (auto header = files.begin() + 1; header != files.end(); ++header) {
    texts.push_back(header->text.c_str());
    names.push_back(header->name.c_str());
  }
  nvrtcProgram program = nullptr;
  nvrtc.check(nvrtc.create(&program, files.front().text.c_str(), files.front().name.c_str(),
                           static_cast<int>(texts.size()), texts.data(), names.data()));
  return Program(program, DestroyProgram{nvrtc.destroy});
}

void take_result(const auto& nvrtc, nvrtcProgram program, const std::string& kernel,
                 CodeObject& code) {
  const char* lowered = nullptr;
  nvrtc.check(nvrtc.lowered_name(program, kernel.c_str(), &lowered));
  code.kernel = lowered;
  std::size_t size = 0;
  nvrtc.check(nvrtc.cubin_size(program, &size));
  Bytes cubin(size);
  nvrtc.check(nvrtc.cubin(program, reinterpret_cast<char*>(cubin.data())));
  code.code_hash = code_hash(cubin);
  code.cubin = std::make_shared<const Bytes>(std::move(cubin));
}

void compile_into(const auto& nvrtc, const CompileJob& job, CodeObject& code) {
  if (!job.request.source)
    throw NvrtcError("there is no source");
  const Program program = create(nvrtc, *job.request.source);
  // Also for kernels with C linkage: one way for all, and an unknown name is an error of the
  // compiler with its usual message.
  nvrtc.check(nvrtc.add_name(program.get(), job.request.kernel.c_str()));
  std::vector<std::string> options = job.request.options;
  options.insert(options.end(), nvrtc.options.begin(), nvrtc.options.end());
  options.push_back(fmt::format("--gpu-architecture=sm_{}", job.compute_capability));
  const std::vector<const char*> pointers = pointers_to(options);
  const nvrtcResult result =
      nvrtc.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  const std::string log = log_of(nvrtc, program.get());
  code.log = log.substr(0, longest_log);
  if (result == NVRTC_SUCCESS) {
    take_result(nvrtc, program.get(), job.request.kernel, code);
    code.facts = facts_from_log(log, code.kernel);
    return;
  }
  const std::string error = first_error(log);
  code.error = error.empty() ? nvrtc.error_string(result) : error;
}

} // namespace

Nvrtc::Nvrtc(const std::optional<fs::path>& library)
    : functions_(std::make_unique<const Functions>(open_library(library))) {
}

Nvrtc::~Nvrtc() = default;

const std::string& Nvrtc::version() const {
  return functions_->version_text;
}

CodeObject Nvrtc::compile(const CompileJob& job) const {
  CodeObject code;
  code.command = nvcc_command(job);
  const auto begun = std::chrono::steady_clock::now();
  try {
    compile_into(*functions_, job, code);
  } catch (const std::exception& error) {
    code.cubin = nullptr;
    code.error = error.what();
  }
  code.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return code;
}

std::string nvcc_command(const CompileJob& job) {
  const std::string source = job.request.source ? job.request.source->main.name : "";
  std::string command = fmt::format("nvcc -cubin -arch=sm_{}", job.compute_capability);
  for (const std::string& option : job.request.options)
    command += " " + quoted(option);
  return command + " -I. -o " + quoted(fs::path(source).replace_extension(".cubin").string()) +
         " " + quoted(source);
}

} // namespace gridsmith
