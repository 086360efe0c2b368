// Stands in for gridsmith-compiler where there is no GPU to run what it makes: a real process that
// speaks the real messages. The "cubin" is the list of options; -DCOMPILE=crash|hang|error|nonsense
// does just that.
#include "gridsmith/tuner/protocol/messages.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

using namespace gridsmith;

int main() {
  write_message(STDOUT_FILENO, CompilerHello{"fake 1"});
  while (auto message = read_message(STDIN_FILENO)) {
    const auto* job = std::get_if<CompileJob>(&*message);
    if (!job)
      continue;
    std::string text = "fake cubin\n";
    for (const std::string& option : job->request.options)
      text += option + "\n";
    if (text.find("-DCOMPILE=crash") != std::string::npos)
      ::raise(SIGSEGV);
    if (text.find("-DCOMPILE=hang") != std::string::npos)
      std::this_thread::sleep_for(std::chrono::hours(1));
    if (text.find("-DCOMPILE=nonsense") != std::string::npos &&
        ::write(STDOUT_FILENO, "\1\0\0\0\0\0\0\0~", 9) < 0)
      return 1;
    CompileOutcome outcome;
    outcome.id = job->id;
    outcome.ok = text.find("-DCOMPILE=error") == std::string::npos;
    outcome.reason = outcome.ok ? "" : "fake.cu(3): error: identifier \"x\" is undefined";
    outcome.cubin = Bytes(text.begin(), text.end());
    outcome.kernel = job->request.kernel;
    outcome.facts.registers_per_thread = 32;
    outcome.ms = 1;
    write_message(STDOUT_FILENO, outcome);
  }
}
