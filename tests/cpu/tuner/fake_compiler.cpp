// Stands in for gridsmith-compiler where there is no GPU to run what it makes: a real process that
// speaks the real messages. The "cubin" is the list of options; -DCOMPILE=crash|hang|error|garbage
// does just that. A file "version" beside the program holds what it says its version is, a file
// "refusal" why it has no NVRTC.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace gridsmith;

namespace {

/// First line of a file beside the program; "" where there is none.
std::string beside(const char* name) {
  std::string line;
  std::ifstream file(std::filesystem::read_symlink("/proc/self/exe").parent_path() / name);
  std::getline(file, line);
  return line;
}

CodeObject compile(const CompileJob& job, int output) {
  std::string text = "fake cubin\n";
  for (const std::string& option : job.request.options)
    text += option + "\n";
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("-DCOMPILE=crash"))
    ::raise(SIGSEGV);
  if (has("-DCOMPILE=hang"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (has("-DCOMPILE=garbage") && ::write(output, "\1\0\0\0\0\0\0\0~", 9) < 0)
    ::_exit(1);
  CodeObject code;
  code.kernel = job.request.kernel;
  code.facts.registers_per_thread = 32;
  code.ms = 1;
  if (has("-DCOMPILE=error"))
    code.error = "fake.cu(3): error: identifier \"x\" is undefined";
  else
    code.cubin = std::make_shared<const Bytes>(text.begin(), text.end());
  return code;
}

} // namespace

int main() {
  const int output = take_protocol_output();
  end_when_unread(output);
  const std::string said = beside("version"), refusal = beside("refusal");
  write_message(
      output, Hello{said.empty() ? std::string(version()) : said, refusal.empty() ? "fake 1" : ""});
  if (!refusal.empty()) {
    write_message(output, WorkRefused{refusal, false});
    return 1;
  }
  while (auto message = read_message(STDIN_FILENO))
    if (const auto* job = std::get_if<CompileJob>(&*message))
      write_message(output, compile(*job, output));
}
