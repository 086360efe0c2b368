// Stands in for gridsmith-worker where there is no GPU: a real process that speaks the real
// messages. The time of a configuration is a function of its options; -DRUN=crash|hang|wrong|lost
// does just that. The file "die_at" beside the program holds the number of the message on which the
// next process dies, once.
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

using namespace gridsmith;

namespace {

namespace fs = std::filesystem;

Device device() {
  Device fake = device_of_capability(90);
  fake.name = "Fake GPU";
  fake.uuid = "fake-0";
  fake.chip = "GH100";
  fake.driver_version = "1";
  fake.toolkit_version = "1";
  return fake;
}

/// Dies like a crashed process when this message is the chosen one; the choice is used up first.
void maybe_die(int message) {
  const fs::path choice = fs::read_symlink("/proc/self/exe").parent_path() / "die_at";
  int at = 0;
  if (std::ifstream(choice) >> at && at == message) {
    fs::remove(choice);
    ::raise(SIGKILL);
  }
}

/// 1 to 2 ms, the same for the same options; X=7 alone takes half a millisecond.
double time_of(const std::string& options) {
  if (options.find("-DX=7\n") != std::string::npos)
    return 0.5;
  std::uint64_t hash = 1469598103934665603ULL; // FNV-1a
  for (const char c : options)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return 1.0 + static_cast<double>(hash % 1000) / 1000.0;
}

EvaluateOutcome evaluate(const EvaluateJob& job) {
  const std::string options(job.launchable.cubin.begin(), job.launchable.cubin.end());
  const auto has = [&](const char* text) { return options.find(text) != std::string::npos; };
  write_message(STDOUT_FILENO, StageBegun{job.id, "verify"});
  if (has("-DRUN=crash"))
    ::raise(SIGSEGV);
  if (has("-DRUN=hang"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (has("-DRUN=lost")) {
    write_message(STDOUT_FILENO, ContextLost{job.id, Status::runtime, "an illegal memory access"});
    ::_exit(0);
  }
  EvaluateOutcome outcome;
  outcome.id = job.id;
  outcome.facts.registers_per_thread = 32;
  if (has("-DRUN=wrong")) {
    outcome.status = Status::correctness;
    outcome.reason = "element 17 of 'out' is 0.5, expected 1.25";
    return outcome;
  }
  outcome.status = Status::correct;
  outcome.times_ms.assign(7, time_of(options));
  outcome.gpu_ms = 8 * outcome.times_ms.front();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return outcome;
}

} // namespace

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "--devices") {
    std::cout << nlohmann::json({{"devices", std::vector<Device>{device()}}, {"reason", ""}});
    return 0;
  }
  int number = 0;
  while (auto message = read_message(STDIN_FILENO)) {
    maybe_die(++number);
    if (const auto* open = std::get_if<OpenWork>(&*message)) {
      if (open->label == "refused") {
        write_message(STDOUT_FILENO,
                      WorkRefused{"the data need 300 GB, the device has 80 GB", false});
        continue;
      }
      write_message(STDOUT_FILENO, WorkOpened{device(), "counters are not permitted", 0, 1, ""});
    } else if (const auto* job = std::get_if<EvaluateJob>(&*message)) {
      write_message(STDOUT_FILENO, evaluate(*job));
    } else if (const auto* finals = std::get_if<FinalsJob>(&*message)) {
      FinalsOutcome outcome;
      for (const EvaluateJob& one : finals->jobs)
        outcome.outcomes.push_back(evaluate(one));
      write_message(STDOUT_FILENO, outcome);
    }
  }
}
