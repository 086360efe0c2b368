// gridsmith-compiler: compile jobs in, code objects out, until the input ends. One job at a time;
// the tuner runs several of these.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

/// So that a source that makes the compiler grow without end costs one compilation, not the
/// machine. 4 GiB is ten times what a large kernel was seen to need.
void bound_memory() {
  const rlimit limit{4ull << 30, 4ull << 30};
  ::setrlimit(RLIMIT_DATA, &limit);
}

int serve(const std::optional<std::filesystem::path>& library) {
  const int output = gridsmith::take_protocol_output();
  gridsmith::end_when_unread(output);
  bound_memory();
  const std::string version(gridsmith::version());
  std::optional<gridsmith::Nvrtc> nvrtc;
  try {
    nvrtc.emplace(library);
  } catch (const gridsmith::NvrtcError& error) {
    gridsmith::write_message(output, gridsmith::Hello{version, ""});
    gridsmith::write_message(output, gridsmith::WorkRefused{error.what(), false});
    return 1;
  }
  gridsmith::write_message(output, gridsmith::Hello{version, nvrtc->version()});
  while (const auto message = gridsmith::read_message(STDIN_FILENO)) {
    if (const auto* job = std::get_if<gridsmith::CompileJob>(&*message))
      gridsmith::write_message(output, nvrtc->compile(*job));
    else
      throw gridsmith::ProtocolError("a compiler takes compile jobs only");
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments == std::vector<std::string>{"--version"}) {
    fmt::print("gridsmith-compiler {}\n", gridsmith::version());
    return 0;
  }
  const bool with_library = arguments.size() == 2 && arguments[0] == "--nvrtc";
  if (!arguments.empty() && !with_library) {
    fmt::print(stderr,
               "gridsmith-compiler: unknown argument '{}'; it takes --version or --nvrtc FILE, and "
               "is started by gridsmith\n",
               arguments[0]);
    return 2;
  }
  try {
    return serve(with_library ? std::optional<std::filesystem::path>(arguments[1]) : std::nullopt);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-compiler: {}\n", error.what());
    return 1;
  }
}
