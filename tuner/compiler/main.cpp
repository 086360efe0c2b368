// gridsmith-compiler: compile jobs in, outcomes out, until the input ends. One job at a time; the
// tuner runs several of these.
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace {

/// So that a source that makes the compiler grow without end costs one compilation, not the
/// machine. 4 GiB is ten times what a large kernel was seen to need.
void bound_memory() {
  const rlimit limit{4ull << 30, 4ull << 30};
  ::setrlimit(RLIMIT_DATA, &limit);
}

int serve() {
  const int output = gridsmith::take_protocol_output();
  gridsmith::end_when_unread(output);
  bound_memory();
  gridsmith::write_message(output, gridsmith::CompilerHello{gridsmith::nvrtc_version()});
  while (const auto message = gridsmith::read_message(STDIN_FILENO)) {
    if (const auto* job = std::get_if<gridsmith::CompileJob>(&*message))
      gridsmith::write_message(output, gridsmith::compile(*job));
    else
      throw gridsmith::ProtocolError("a compiler takes compile jobs only");
  }
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    fmt::print(stderr,
               "gridsmith-compiler: unknown argument '{}'; it takes none and is started by "
               "gridsmith\n",
               arguments[1]);
    return 2;
  }
  try {
    return serve();
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-compiler: {}\n", error.what());
    return 1;
  }
}
