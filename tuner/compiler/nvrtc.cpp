// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvrtc.hpp"

#include "gridsmith/kernels/source/host_headers.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"
#include "gridsmith/tuner/compiler/header_door.hpp"
#include "gridsmith/tuner/compiler/kept_headers.hpp"
#include "gridsmith/tuner/compiler/log/code_hash.hpp"
#include "gridsmith/tuner/compiler/log/compile_hint.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"
#include "gridsmith/tuner/compiler/log/parameter_macros.hpp"
#include "gridsmith/tuner/compiler/nvcc/nvcc_command.hpp"
#include "gridsmith/tuner/compiler/nvrtc_library.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr int least_capability = 75; // that all NVRTC know which we serve

} // namespace

/// The library, and what one compilation leaves to the next.
struct Nvrtc::State : NvrtcLibrary {
  using NvrtcLibrary::NvrtcLibrary;

  /// Of the last source: all configurations of one run have the same.
  std::string resolved_hash;
  std::vector<SourceFile> resolved;
  fs::path kept_folder; ///< of precompiled headers; "": there are none
  KeptHeaders kept;
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

/// Template errors fill megabytes: the beginning says what is wrong.
std::string log_of(const NvrtcLibrary& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.log_size(program, &size) != NVRTC_SUCCESS || size <= 1)
    return "";
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != NVRTC_SUCCESS)
    return "";
  std::erase(log, '\0'); // at the end, and in front of what ptxas adds
  return log;
}

void resolve(auto& nvrtc, const SourceBundle& bundle) {
  if (nvrtc.resolved.empty() || nvrtc.resolved_hash != bundle.hash) {
    nvrtc.resolved = with_resolved_includes(bundle);
    nvrtc.resolved_hash = bundle.hash;
  }
}

/// @param text of the main source, in its form
Program create(auto& nvrtc, const std::string& text) {
  const std::vector<SourceFile>& files = nvrtc.resolved;
  std::vector<const char*> texts, names;
  for (auto header = files.begin() + 1; header != files.end(); ++header) {
    texts.push_back(header->text.c_str());
    names.push_back(header->name.c_str());
  }
  for (const HostHeader& header : host_headers())
    if (std::none_of(files.begin(), files.end(),
                     [&](const SourceFile& own) { return own.name == header.name; })) {
      texts.push_back(header.text.c_str());
      names.push_back(header.name.c_str());
    }
  nvrtcProgram program = nullptr;
  nvrtc.check(nvrtc.create(&program, text.c_str(), files.front().name.c_str(),
                           static_cast<int>(texts.size()), texts.data(), names.data()));
  return Program(program, DestroyProgram{nvrtc.destroy});
}

/// @param kernel as it was asked for
void take_result(const NvrtcLibrary& nvrtc, nvrtcProgram program, const std::string& kernel,
                 std::string_view log, CodeObject& code) {
  const char* lowered = nullptr;
  nvrtc.check(nvrtc.lowered_name(program, kernel.c_str(), &lowered));
  code.kernel = lowered;
  std::size_t size = 0;
  nvrtc.check(nvrtc.cubin_size(program, &size));
  Bytes cubin(size);
  nvrtc.check(nvrtc.cubin(program, reinterpret_cast<char*>(cubin.data())));
  take_code(std::move(cubin), log, code);
}

/// Of the same compilation: what ptxas was given.
std::string ptx_of(const NvrtcLibrary& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  nvrtc.check(nvrtc.ptx_size(program, &size));
  std::string ptx(size, '\0');
  nvrtc.check(nvrtc.ptx(program, ptx.data()));
  std::erase(ptx, '\0'); // at the end
  return ptx;
}

/// Near the limit that main.cpp sets: then it is the source that needs so much, not the machine that
/// has so little.
bool used_all_that_is_allowed() {
  constexpr long most_kib = 3L << 20; // of 4 GiB
  rusage used{};
  return ::getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > most_kib;
}

/// Whether another time, or on another machine, it may compile.
bool is_of_machine(const NvrtcLibrary& nvrtc, nvrtcResult result, const std::string& log) {
  const auto says = [&](const char* text) { return log.find(text) != std::string::npos; };
  if (result == NVRTC_ERROR_OUT_OF_MEMORY || says("catastrophic error: out of memory") ||
      says("unable to obtain mapped memory"))
    return !used_all_that_is_allowed();
  if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    return true; // its second library is gone
  return says("open source file") && nvrtc.listing() != nvrtc.headers;
}

/// NVRTC looks the kernel's name up in a file of its own, which says nothing to people.
std::string in_plain_words(const std::string& error, const CompileJob& job) {
  const std::size_t what = error.find("error: ");
  if ((!error.starts_with("__nv_name_map") && !error.starts_with(asking_file)) ||
      what == std::string::npos)
    return with_hint(error);
  return unknown_kernel(job.request.source->main, job.request.kernel, error.substr(what + 7));
}

/// What a header that is there and was not opened is told apart by.
std::string about_refused(const HeaderDoor& door) {
  std::error_code ignored;
  for (const std::string& path : door.refused())
    if (fs::exists(path, ignored))
      return fmt::format(" ({} is not part of the kernel's sources and was not read)", path);
  return "";
}

/// What is printed while it lives goes nowhere.
class Silence {
public:
  Silence() : kept_{::dup(STDOUT_FILENO), ::dup(STDERR_FILENO)} {
    const int nowhere = ::memfd_create("silence", MFD_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
  }

  ~Silence() {
    std::fflush(nullptr); // the library prints through buffers
    for (int i = 0; i < 2; ++i) {
      ::dup2(kept_[i], STDOUT_FILENO + i);
      ::close(kept_[i]);
    }
  }

  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

private:
  int kept_[2];
};

std::vector<std::string> all_options(const NvrtcLibrary& nvrtc, std::vector<std::string> options,
                                     int compute_capability) {
  options.insert(options.end(), nvrtc.options.begin(), nvrtc.options.end());
  options.push_back(fmt::format("--gpu-architecture=sm_{}", compute_capability));
  return options;
}

/// Toolkit headers that a text opens: lists them and compiles nothing, in a tenth of the time. Where this
/// NVRTC does not know how, it opens none.
std::vector<std::string> opened_by(auto& nvrtc, const HeaderDoor& door, const std::string& text,
                                   std::vector<std::string> options) {
  options.insert(options.end(), {"-Xcudafe", "-M"});
  const std::vector<const char*> pointers = pointers_to(options);
  const Silence silence;
  const Program program = create(nvrtc, text);
  nvrtc.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  return door.opened();
}

std::optional<KeptHeaders::Form> form_of(auto& nvrtc, const CompileJob& job,
                                         const HeaderDoor& door) {
  if (nvrtc.kept_folder.empty())
    return std::nullopt;
  return nvrtc.kept.form(job, nvrtc.resolved, nvrtc.kept_folder,
                         [&](const std::string& text, const std::vector<std::string>& options) {
                           return opened_by(nvrtc, door, text,
                                            all_options(nvrtc, options, job.compute_capability));
                         });
}

void compile_as(auto& nvrtc, const CompileJob& job, const HeaderDoor& door,
                const std::optional<KeptHeaders::Form>& form, CodeObject& code) {
  const KernelExpression kernel = kernel_expression(job.request.kernel);
  const Program program = create(nvrtc, (form ? form->text : nvrtc.resolved.front().text) +
                                            asking_lines(kernel) + watching_lines(job.request));
  // Also for kernels with C linkage: one way for all, and an unknown name is an error of the
  // compiler with its usual message.
  nvrtc.check(nvrtc.add_name(program.get(), kernel.address.c_str()));
  std::vector<std::string> options =
      all_options(nvrtc, form ? form->options : job.request.options, job.compute_capability);
  if (form)
    options.insert(options.end(), {"--pch", "--diag-suppress=20283"}); // the line after the stop
  const std::vector<const char*> pointers = pointers_to(options);
  const nvrtcResult result =
      nvrtc.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  std::string log = log_of(nvrtc, program.get());
  if (form)
    code.headers = take_headers_lines(log);
  code.log = log.substr(0, longest_log);
  code.error = redefined_parameter(log, job.request);
  if (code.error)
    return;
  if (result == NVRTC_SUCCESS) {
    take_result(nvrtc, program.get(), kernel.address, log, code);
    if (job.ptx)
      code.ptx = ptx_of(nvrtc, program.get());
    return;
  }
  const std::string error = in_plain_words(first_error(log), job);
  code.error = (error.empty() ? nvrtc.error_string(result) : error) + about_refused(door);
  code.of_machine = is_of_machine(nvrtc, result, log);
}

void compile_into(auto& nvrtc, CompileJob job, const HeaderDoor& door, CodeObject& code) {
  if (!job.request.source)
    throw NvrtcError("there is no source");
  job.request = with_watched_parameters(std::move(job.request));
  resolve(nvrtc, *job.request.source);
  const auto form = form_of(nvrtc, job, door);
  compile_as(nvrtc, job, door, form, code);
  if (form && !code.error && code.headers.empty())
    nvrtc.kept.give_up(); // its memory for them is full
  if (!form || !code.error || (code.headers == "used" && !code.of_machine))
    return; // what was right once is not why this one fails
  CodeObject again;
  again.command = code.command;
  compile_as(nvrtc, job, door, std::nullopt, again);
  if (!again.error)
    nvrtc.kept.give_up();
  code = std::move(again);
}

/// Never throws for what is wrong with the source: that is in the result.
CodeObject compile_behind(auto& nvrtc, const CompileJob& job, const HeaderDoor& door) {
  return compiled([&](CodeObject& code) {
    code.command = nvcc_command(job);
    try {
      compile_into(nvrtc, job, door, code);
    } catch (const std::bad_alloc&) {
      code.of_machine = !used_all_that_is_allowed();
      throw NvrtcError("out of memory");
    }
  });
}

} // namespace

Nvrtc::Nvrtc(const std::optional<fs::path>& library) : state_(std::make_unique<State>(library)) {
}

Nvrtc::~Nvrtc() = default;

const std::string& Nvrtc::version() const {
  return state_->version_text;
}

const std::vector<int>& Nvrtc::capabilities() const {
  return state_->capabilities;
}

const fs::path& Nvrtc::file() const {
  return state_->file;
}

const std::vector<fs::path>& Nvrtc::include_folders() const {
  return state_->include_folders;
}

const std::string& Nvrtc::headers() const {
  return state_->headers;
}

CodeObject Nvrtc::compile(const CompileJob& job) const {
  return compile_behind(*state_, job, HeaderDoor(state_->include_folders, state_->kept_folder));
}

void Nvrtc::keep_headers_in(const fs::path& folder) {
  if (state_->precompiles)
    state_->kept_folder = folder;
}

std::optional<std::string> Nvrtc::unseen_reading() const {
  // A file that every system has and no compilation needs; then any header of the toolkit.
  const std::string probe =
      std::string("#if __has_include(\"/proc/self/stat\")\n#error seen\n#endif\n") +
      (state_->include_folders.empty() ? "" : "#include <cuda_fp16.h>\n") +
      "extern \"C\" __global__ void probe() {}\n";
  const HeaderDoor door(state_->include_folders);
  const CodeObject code = compile_behind(
      *state_, {{make_bundle({"probe.cu", probe}), "probe", {}}, least_capability}, door);
  if (!code.cubin)
    return "a probe does not compile: " + code.error.value_or("");
  if (door.refused().empty() || (!state_->include_folders.empty() && door.asked() == 0))
    return fmt::format("NVRTC {} opens headers in a way that Gridsmith does not see", version());
  return std::nullopt;
}

} // namespace gridsmith
