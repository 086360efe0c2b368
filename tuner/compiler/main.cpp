// SPDX-License-Identifier: Apache-2.0
// gridsmith-compiler: compile jobs in, code objects out, until the input ends. One job at a time;
// the tuner runs several of these. It confines itself before it reads the first job.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/compiler/nvcc/nvcc.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/compiler/ready_code.hpp"
#include "gridsmith/tuner/confinement/wall.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "it takes --version, or --check or nothing with --nvrtc FILE, --nvcc FILE --host-compiler FILE, "
    "--read DIR, --run-folder DIR, --unconfined, and is started by gridsmith";

struct Arguments {
  fs::path nvrtc;         ///< "": the compiler finds one
  fs::path nvcc;          ///< its programs may be started, …
  fs::path host_compiler; ///< … and this one's
  std::vector<fs::path> readable;
  fs::path run_folder;
  bool unconfined = false;
  bool check = false; ///< says what it can do, and ends
};

/// Nothing where a word is not known.
std::optional<Arguments> parse(const std::vector<std::string>& words) {
  Arguments arguments;
  const std::map<std::string_view, fs::path*> files{{"--nvrtc", &arguments.nvrtc},
                                                    {"--nvcc", &arguments.nvcc},
                                                    {"--host-compiler", &arguments.host_compiler},
                                                    {"--run-folder", &arguments.run_folder}};
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto file = files.find(*word);
    if (*word == "--unconfined")
      arguments.unconfined = true;
    else if (*word == "--check")
      arguments.check = true;
    else if (word + 1 == words.end() || (file == files.end() && *word != "--read"))
      return std::nullopt;
    else if (file != files.end())
      *file->second = *++word;
    else
      arguments.readable.emplace_back(*++word);
  }
  return arguments;
}

/// So that a source that makes the compiler grow without end costs one compilation, not the
/// machine. 4 GiB is ten times what a large kernel was seen to need.
void bound_memory() {
  const rlimit limit{4ull << 30, 4ull << 30};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// The compilers of this process.
struct Compilers {
  explicit Compilers(const Arguments& arguments)
      : nvrtc(arguments.nvrtc.empty() ? std::nullopt : std::make_optional(arguments.nvrtc)) {
    if (!arguments.nvcc.empty())
      nvcc.emplace(arguments.nvcc, arguments.host_compiler, arguments.run_folder);
  }

  gridsmith::Nvrtc nvrtc;
  std::optional<gridsmith::Nvcc> nvcc;

  gridsmith::CodeObject compile(const gridsmith::CompileJob& job) {
    if (job.request.compiler == gridsmith::Compiler::nvrtc)
      return nvrtc.compile(job);
    if (job.request.compiler == gridsmith::Compiler::none)
      return gridsmith::ready_code(job, nvrtc.file().parent_path());
    if (!nvcc)
      throw gridsmith::ProtocolError("this compiler was started without nvcc");
    return nvcc->compile(job);
  }
};

/// @pre NVRTC is open: its libraries need not be read any more. There is no second thread.
std::string put_up_wall(const Arguments& arguments, const Compilers& compilers) {
  bound_memory();
  if (!arguments.run_folder.empty() && ::chdir(arguments.run_folder.c_str()) == 0)
    ::setenv("TMPDIR", arguments.run_folder.c_str(), 1);
  if (arguments.unconfined)
    return "not confined: --unconfined";
  const gridsmith::Nvrtc& nvrtc = compilers.nvrtc;
  std::vector<fs::path> readable = arguments.readable, programs;
  if (compilers.nvcc) {
    const auto& more = compilers.nvcc->readable();
    readable.insert(readable.end(), more.begin(), more.end());
    programs = compilers.nvcc->programs();
  }
  for (const fs::path& folder : nvrtc.include_folders())
    readable.push_back(folder);
  readable.push_back(nvrtc.file().parent_path()); // where its second library was not found by us
  return to_text(confine(
      gridsmith::compiler_wall(std::move(readable), arguments.run_folder, std::move(programs))));
}

/// NVRTC's front end lists headers there, and may do so when the process ends.
void drop_standard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0)
    ::dup2(nowhere, STDOUT_FILENO);
  ::close(nowhere);
}

int serve(const Arguments& arguments) {
  const int output = gridsmith::take_protocol_output();
  drop_standard_output();
  const std::string version(gridsmith::version());
  std::optional<Compilers> compilers;
  try {
    compilers.emplace(arguments);
  } catch (const gridsmith::Error& error) { // no NVRTC, or no nvcc that works
    gridsmith::write_message(output, gridsmith::Hello{version, "", ""});
    gridsmith::write_message(output, gridsmith::WorkRefused{error.what(), false});
    return 1;
  }
  put_up_wall(arguments, *compilers);
  gridsmith::Nvrtc& nvrtc = compilers->nvrtc;
  if (!arguments.run_folder.empty())
    nvrtc.keep_headers_in(arguments.run_folder);
  gridsmith::end_when_unread(output);
  gridsmith::write_message(
      output, gridsmith::Hello{version, nvrtc.version(), nvrtc.headers(), nvrtc.capabilities(),
                               compilers->nvcc ? compilers->nvcc->version() : ""});
  while (const auto message = gridsmith::read_message(STDIN_FILENO)) {
    if (const auto* job = std::get_if<gridsmith::CompileJob>(&*message))
      gridsmith::write_message(output, compilers->compile(*job));
    else
      throw gridsmith::ProtocolError("a compiler takes compile jobs only");
  }
  return 0;
}

/// For 'gridsmith doctor': what there is, as JSON, and whether a kernel with a header of the toolkit
/// compiles behind the wall.
int check(const Arguments& arguments) {
  nlohmann::json said = {{"nvrtc", ""}, {"error", ""}};
  try {
    Compilers compilers(arguments);
    const gridsmith::Nvrtc& nvrtc = compilers.nvrtc;
    said["nvrtc"] = nvrtc.version();
    said["library"] = nvrtc.file().string();
    said["headers"] = nvrtc.include_folders().empty() ? "" : nvrtc.include_folders()[0].string();
    said["confinement"] = put_up_wall(arguments, compilers);
    said["unseen"] = nvrtc.unseen_reading().value_or("");
    const auto source = gridsmith::make_bundle(
        {"trial.cu", "#include <cuda_fp16.h>\n"
                     "extern \"C\" __global__ void trial(__half* x) { *x = __half(1.0f); }\n"});
    const gridsmith::CodeObject code = nvrtc.compile({{source, "trial", {}}, 90});
    said["error"] = code.error.value_or("");
    said["ms"] = code.ms;
    if (compilers.nvcc) {
      said["nvcc"] = compilers.nvcc->version();
      const auto whole = gridsmith::make_bundle(
          {"trial.cu",
           "#include <cstdio>\n__global__ void trial() {}\nint main() { trial<<<1, 1>>>(); }\n"});
      said["nvcc_error"] =
          compilers.compile({{whole, "trial", {}, {}, gridsmith::Compiler::nvcc}, 90})
              .error.value_or("");
    }
  } catch (const gridsmith::Error& error) {
    said["error"] = error.what();
  }
  fmt::print("{}\n", said.dump());
  return said["error"].get<std::string>().empty() ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  if (given == std::vector<std::string>{"--version"}) {
    fmt::print("gridsmith-compiler {}\n", gridsmith::version());
    return 0;
  }
  const std::optional<Arguments> arguments = parse(given);
  if (!arguments) {
    fmt::print(stderr, "gridsmith-compiler: unknown arguments '{}'; {}\n", fmt::join(given, " "),
               usage);
    return 2;
  }
  try {
    return arguments->check ? check(*arguments) : serve(*arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-compiler: {}\n", error.what());
    return 1;
  }
}
