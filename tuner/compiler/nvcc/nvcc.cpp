// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvcc/nvcc.hpp"

#include "gridsmith/kernels/source/kernel_expression.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tuner/compiler/log/code_hash.hpp"
#include "gridsmith/tuner/compiler/log/compile_hint.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"
#include "gridsmith/tuner/compiler/log/parameter_macros.hpp"
#include "gridsmith/tuner/compiler/nvcc/nvcc_command.hpp"
#include "gridsmith/tuner/compiler/nvcc/started_program.hpp"
#include "gridsmith/tuner/compiler/nvcc/toolkit_files.hpp"
#include "gridsmith/tuner/compiler/nvcc/wrapped_source.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr const char* wrapper = "gridsmith_kernel.cu";

/// "gcc" of "…: NAME=gcc", of the line that nvcc --dryrun says; "" where there is none.
std::string said(const std::string& text, const std::string& name) {
  const std::string start = "#$ " + name + "=";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start))
      return line.substr(start.size());
  return "";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The word behind the last of these, up to a comma or the end of the line.
std::string behind(const std::string& text, const std::string& mark) {
  const std::size_t at = text.rfind(mark);
  if (at == text.npos)
    return "";
  const std::string rest = text.substr(at + mark.size());
  return rest.substr(0, rest.find_first_of(", \n"));
}

fs::path real(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::canonical(path, error);
  return error ? path : found;
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush())
    throw NvccError(file.string() + ": cannot be written");
}

std::optional<Bytes> read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return std::nullopt;
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// How many folders above the main source's its headers lie.
std::ptrdiff_t folders_above(const SourceBundle& bundle) {
  std::ptrdiff_t most = 0;
  const auto look = [&](const std::string& name) {
    const fs::path path = fs::path(name).lexically_normal();
    most = std::max(most, std::count(path.begin(), path.end(), fs::path("..")));
  };
  for (const SourceFile& header : bundle.headers)
    look(header.name);
  for (const std::string& folder : bundle.folders)
    look(folder);
  return most;
}

/// nvcc has its commands run by a shell and leaves these as they are.
void refuse_for_shell(const std::string& argument) {
  if (argument.find_first_of("$`\\\"\n") != argument.npos)
    throw NvccError(fmt::format("'{}': nvcc would pass $, `, \\ or \" to a shell", argument));
}

std::string plain_error(const std::string& log, const CompileJob& job) {
  std::string error = first_error(log);
  if (const std::size_t at = error.find("error: ");
      at != error.npos && error.starts_with(asking_file))
    return unknown_kernel(job.request.source->main, job.request.kernel, error.substr(at + 7));
  if (error.find("No such file or directory") != error.npos)
    error += "; name its folder in CompilerOptions (-I) or with --include";
  return error;
}

} // namespace

struct Nvcc::Ran : Started {};

Nvcc::Nvcc(const fs::path& program, const fs::path& host, fs::path folder)
    : host_(real(host)), folder_(std::move(folder)) {
  home_ = folder_;
  const fs::path trial = folder_ / wrapper;
  write_file(trial, "");
  nvcc_ = program;
  learn_toolkit(answer(program, {"-cubin", "--dryrun", "-ccbin", host_.string(), trial.string()}));
  learn_host(answer(host_, {"-E", "-v", "-x", "c++", "/dev/null"}));
  const std::string release = answer(nvcc_, {"--version"});
  version_ =
      fmt::format("{}, {} {}, glibc {}; {}", behind(release, ", V"), host.filename().string(),
                  first_line(answer(host_, {"-dumpfullversion", "-dumpversion"})),
                  ::gnu_get_libc_version(), listing_hash({readable_.front()}, {nvcc_, host_}));
}

Nvcc::Ran Nvcc::run(const fs::path& program, const std::vector<std::string>& arguments) const {
  // Made, not inherited: nvcc and g++ obey a dozen variables.
  return {start_program(program, arguments,
                        {"PATH=" + host_.parent_path().string() + ":/usr/bin:/bin",
                         "TMPDIR=" + folder_.string(), "LC_ALL=C"},
                        home_)};
}

std::string Nvcc::answer(const fs::path& program, const std::vector<std::string>& arguments) const {
  const Ran ran = run(program, arguments);
  if (!ran.good)
    throw NvccError(fmt::format("{} {}: {}", program.string(), ran.ended, first_line(ran.output)));
  return ran.output;
}

/// Debian's nvcc is a script that starts another.
void Nvcc::learn_toolkit(const std::string& dry_run) {
  const std::string here = said(dry_run, "_HERE_"), cicc = said(dry_run, "CICC_PATH"),
                    top = said(dry_run, "TOP");
  if (here.empty() || cicc.empty() || top.empty())
    throw NvccError(nvcc_.string() + " --dryrun does not say where its programs are");
  nvcc_ = fs::path(here) / "nvcc";
  nvlink_ = fs::path(here) / "nvlink";
  readable_ = {real(fs::path(top) / "include"), real(top)};
  std::istringstream words(said(dry_run, "INCLUDES") + " " + said(dry_run, "SYSTEM_INCLUDES"));
  for (std::string word; words >> word;) {
    std::erase(word, '"');
    word = word.starts_with("-I") ? word.substr(2) : word;
    if (word.starts_with('/'))
      readable_.push_back(real(word));
  }
  for (const fs::path& program :
       {nvcc_, nvlink_, fs::path(here) / "ptxas", fs::path(cicc) / "cicc", fs::path("/bin/sh")})
    programs_.push_back(real(program));
}

/// @param searched what g++ -E -v says
void Nvcc::learn_host(const std::string& searched) {
  const std::string program = first_line(answer(host_, {"-print-prog-name=cc1plus"}));
  if (!program.starts_with('/'))
    throw NvccError(host_.string() + " has no cc1plus: install g++");
  programs_.push_back(real(program));
  programs_.push_back(host_);
  programs_.push_back(program_loader());
  std::istringstream lines(searched); // " /usr/include/c++/12", a folder a line
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(" /"))
      readable_.push_back(real(line.substr(1)));
  readable_.push_back(real(program).parent_path());
  for (const char* system : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"})
    readable_.push_back(real(system));
  if (const fs::path prefix = host_.parent_path().parent_path(); prefix != "/usr" && prefix != "/")
    for (const char* libraries : {"lib", "lib64", "libexec"})
      readable_.push_back(prefix / libraries);
}

void Nvcc::write_sources(const SourceBundle& bundle) {
  if (written_ == bundle.hash)
    return;
  written_.clear();
  const fs::path top = folder_ / "source";
  std::error_code error;
  fs::remove_all(top, error);
  home_ = top;
  for (auto above = folders_above(bundle); above > 0; --above)
    home_ /= "above";
  const auto write = [&](const SourceFile& file) {
    const fs::path place = (home_ / file.name).lexically_normal();
    if (fs::path(file.name).is_relative() && place.string().starts_with(top.string() + "/"))
      write_file(place, file.text);
  };
  write(bundle.main);
  for (const SourceFile& header : bundle.headers)
    write(header);
  for (const std::string& folder : bundle.folders)
    fs::create_directories(home_ / folder, error); // "sub/..", where nothing is in sub
  written_ = bundle.hash;
}

void Nvcc::compile_into(CompileJob job, CodeObject& code) {
  if (!job.request.source)
    throw NvccError("there is no source");
  write_sources(*job.request.source);
  job.request = with_watched_parameters(std::move(job.request));
  const WrappedSource wrapped = wrap(job.request);
  write_file(home_ / wrapper, wrapped.text);
  std::vector<std::string> arguments{fmt::format("-arch=sm_{}", job.compute_capability), "-ccbin",
                                     host_.string(), "--ptxas-options=-v", "-I."};
  for (const std::string& folder : job.request.source->folders)
    arguments.push_back("-I" + folder);
  arguments.insert(arguments.end(), wrapped.options.begin(), wrapped.options.end());
  std::for_each(arguments.begin(), arguments.end(), refuse_for_shell);
  const auto with = [&](const char* what, const std::string& in, const std::string& out) {
    std::vector<std::string> all{what, in, "-o", out};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(nvcc_, all);
  };
  const fs::path cubin = home_ / "gridsmith_kernel.cubin";
  const auto& units = job.request.units;
  if (!units.empty())
    arguments.push_back("-rdc=true");
  Ran ran = with("-cubin", wrapper, cubin.filename());
  std::vector<std::string> parts{cubin.filename()};
  for (std::size_t i = 0; ran.good && i < units.size(); ++i) {
    const std::string unit = fmt::format("gridsmith_unit_{}", i);
    write_file(home_ / (unit + ".cu"), wrap_unit(job.request, units[i]));
    parts.push_back(unit + ".cubin");
    ran = with("-cubin", unit + ".cu", parts.back());
  }
  if (ran.good && !units.empty()) {
    const std::string compiled = ran.output;
    std::vector<std::string> linking{fmt::format("--arch=sm_{}", job.compute_capability), "-o",
                                     "gridsmith_linked.cubin"};
    linking.insert(linking.end(), parts.begin(), parts.end());
    ran = run(nvlink_, linking);
    std::error_code error;
    fs::rename(home_ / "gridsmith_linked.cubin", cubin, error);
    ran.output = compiled + ran.output;
  }
  code.log = ran.output.substr(0, longest_log);
  code.error = redefined_parameter(ran.output, job.request);
  if (code.error)
    return;
  const auto bytes = ran.good ? read_bytes(cubin) : std::nullopt;
  if (!bytes) {
    const std::string error = plain_error(ran.output, job);
    code.error = error.empty() ? fmt::format("nvcc {}", ran.ended) : error;
    code.of_machine = ran.by_signal || ran.output.find("No space left") != std::string::npos;
    return;
  }
  code.kernel = named_kernel(*bytes);
  if (code.kernel.empty()) {
    code.error = fmt::format("nvcc made no code for '{}'", job.request.kernel);
    return;
  }
  take_code(*bytes, ran.output, code);
  if (job.ptx && with("-ptx", wrapper, "gridsmith_kernel.ptx").good)
    if (const auto ptx = read_bytes(home_ / "gridsmith_kernel.ptx"))
      code.ptx.assign(ptx->begin(), ptx->end());
}

CodeObject Nvcc::compile(const CompileJob& job) {
  return compiled([&](CodeObject& code) {
    code.command = nvcc_command(job);
    compile_into(job, code);
  });
}

} // namespace gridsmith
