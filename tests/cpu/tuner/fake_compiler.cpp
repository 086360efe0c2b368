// SPDX-License-Identifier: Apache-2.0
// Stands in for gridsmith-compiler where there is no GPU to run what it makes: a real process that
// speaks the real messages and does what fake_script.hpp says. The "cubin" is the list of options;
// -DCOMPILE=crash|hang|error|header|garbage|killed|short|litter does just that; -DTWIN= changes nothing of
// its "machine code", -DREGISTERS=255 makes the kernel need so many; vanish: the program is then one that
// cannot start, rot: all that follow crash.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

using namespace gridsmith;

namespace {

using test::Script;

/// As in the middle of an upgrade.
void replace_program() {
  namespace fs = std::filesystem;
  // A name of its own: what another compiler still writes to cannot be started.
  const fs::path fresh = test::own_folder() / ("new" + std::to_string(::getpid()));
  test::write(fresh, "#!/bin/sh\nexit 127\n");
  fs::permissions(fresh, fs::perms::owner_all);
  fs::rename(fresh, test::own_folder() / "gridsmith-compiler");
}

/// The lines that do not begin so.
std::string without(const std::string& text, const std::string& beginning) {
  std::string left;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(beginning))
      left += line + "\n";
  return left;
}

/// @param run_folder where it may write
CodeObject compile(const CompileJob& job, int output, const std::filesystem::path& run_folder) {
  std::string text = "fake cubin\n";
  for (const std::string& option : job.request.options)
    text += option + "\n";
  const Script script = test::script(test::own_folder());
  const auto has = [&](const char* part) {
    return !script.value("healthy", false) && text.find(part) != std::string::npos;
  };
  if (has("-DCOMPILE=vanish"))
    replace_program();
  if (has("-DCOMPILE=rot"))
    test::script(test::own_folder(), {{"rotten", true}});
  if (has("-DCOMPILE=crash") || has("-DCOMPILE=vanish") ||
      test::script(test::own_folder()).value("rotten", false))
    ::raise(SIGSEGV);
  if (has("-DCOMPILE=killed"))
    ::raise(SIGKILL);
  if (has("-DCOMPILE=hang"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  for (int i = 0; has("-DCOMPILE=litter"); ++i) {
    std::ofstream(run_folder / std::to_string(i)) << std::string(1 << 20, 'x');
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (has("-DCOMPILE=garbage") && ::write(output, "\1\0\0\0\0\0\0\0~", 9) < 0)
    ::_exit(1);
  CodeObject code;
  code.kernel = job.request.kernel;
  code.facts.registers_per_thread = 32;
  code.command = "nvcc";
  for (const std::string& option : job.request.options)
    code.command += " " + option;
  code.ms = script.value("compile_ms", 1.0);
  if (code.ms > 1)
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(code.ms));
  if (text.find("-DTWIN=") != std::string::npos)
    code.code_hash = without(text, "-DTWIN=");
  if (has("-DREGISTERS=255"))
    code.facts.registers_per_thread = 255;
  code.of_machine = has("-DCOMPILE=short");
  if (has("-DCOMPILE=error"))
    code.error = "fake.cu(3): error: identifier \"x\" is undefined";
  else if (has("-DCOMPILE=header"))
    code.error = "fake.cu(1): catastrophic error: cannot open source file \"x.h\"";
  else if (code.of_machine)
    code.error = "fake.cu(3): catastrophic error: out of memory";
  else
    code.cubin = std::make_shared<const Bytes>(text.begin(), text.end());
  code.log = code.error ? *code.error + "\n1 error detected\n" : "";
  if (job.ptx && code.cubin)
    code.ptx = "// fake PTX\n";
  return code;
}

} // namespace

int main(int count, char** words) {
  if (count > 1 && std::string(words[count - 1]) == "--check") {
    std::puts(R"({"nvrtc": "13.0", "library": "/fake/libnvrtc.so", "headers": "/fake/include",)"
              R"( "confinement": "fake wall", "error": "", "ms": 12})");
    return 0;
  }
  const int output = take_protocol_output();
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  test::log(rank ? std::string("compiler of rank ") + rank : "compiler");
  end_when_unread(output);
  const Script script = test::script(test::own_folder());
  const std::string refusal = script.value("refusal", "");
  write_message(output, Hello{script.value("version", std::string(version())),
                              refusal.empty() ? "fake 1" : "", script.value("headers", ""),
                              script.value("capabilities", std::vector<int>{})});
  if (!refusal.empty()) {
    write_message(output, WorkRefused{refusal, false});
    return 1;
  }
  while (auto message = read_message(STDIN_FILENO))
    if (const auto* job = std::get_if<CompileJob>(&*message))
      write_message(output, compile(*job, output, words[2])); // after --run-folder
}
