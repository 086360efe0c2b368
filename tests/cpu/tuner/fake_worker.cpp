// SPDX-License-Identifier: Apache-2.0
// Stands in for gridsmith-worker where there is no GPU: a real process that speaks the real
// messages. The time of a configuration is a function of its options, longer by as many percent as -DSLOWER=
// says; checks scatter a little. A file "gpus" beside the program has a line for each GPU: how much slower
// than the first, and its product's name; "lost_gpu" names the one that is lost after some launches,
// "hung_gpu" the one on which every launch hangs. -DRUN=crash|hang|wrong|lost|arguments does just that, in every mode; -DRUN=final is wrong in
// finals, and so is everything with a file "wrong_finals"; -DRUN=once is right at the first launch of its process alone. Files
// beside the program: "die_at" holds the number of the message on which the next process dies, once,
// "processes" what it says of the GPU's users, "counters" what came of reading one ("no library": it does not
// start), "room" for how many works there is memory; with "real_time" launches take theirs; "log" gets a line
// for each process, work opened and closed, and session of counters. A kernel "slow_start" or "slow_finals", or a file
// "slow_devices": what is named so never ends.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/open_works.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace gridsmith;

namespace {

namespace fs = std::filesystem;

int messages = -1; // descriptor of what we say
const HostClock clock_of_worker;

constexpr const char* uncounted = "counters are not permitted";

fs::path beside(const char* name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Whether it can: where the file "counts" lies beside the program.
bool counts() {
  return fs::exists(beside("counts"));
}

/// Its own of each folder, as tests run beside each other; none with a file "no_uuid" beside the
/// program.
std::string uuid() {
  return fs::exists(beside("no_uuid"))
             ? ""
             : "FAKE-" + std::to_string(fs::hash_value(beside("gridsmith-worker")));
}

struct FakeGpu {
  double slower = 1;
  std::string name = "Fake GPU";
};

std::vector<FakeGpu> gpus() {
  std::vector<FakeGpu> all;
  std::ifstream file(beside("gpus"));
  for (FakeGpu one; file >> one.slower && std::getline(file >> std::ws, one.name);)
    all.push_back(one);
  return all.empty() ? std::vector{FakeGpu{}} : all;
}

int ordinal = 0; // of the one in use

Device device(int number) {
  Device fake = device_of_capability(90);
  fake.ordinal = number;
  fake.memory_bytes = 80'000'000'000;
  fake.name = gpus().at(static_cast<std::size_t>(number)).name;
  fake.uuid = uuid();
  if (number > 0)
    fake.uuid += "-" + std::to_string(number);
  fake.chip = "GH100";
  fake.driver_version = "1";
  fake.toolkit_version = "1";
  return fake;
}

/// Dies like a crashed process when this message is the chosen one; the choice is used up first.
void maybe_die(int message) {
  const fs::path choice = beside("die_at");
  int at = 0;
  if (std::ifstream(choice) >> at && at == message) {
    fs::remove(choice);
    ::raise(SIGKILL);
  }
}

/// 1 to 2 ms, the same for the same options; X=7 alone takes half a millisecond.
double time_of(std::string options) {
  const std::string word = "-DSLOWER=";
  if (const std::size_t at = options.find(word); at != std::string::npos) {
    const std::size_t end = options.find('\n', at);
    const int percent = std::stoi(options.substr(at + word.size(), end - at - word.size()));
    return time_of(options.erase(at, end - at)) * (1 + percent / 100.0);
  }
  if (options.find("-DX=7\n") != std::string::npos)
    return 0.5;
  std::uint64_t hash = 1469598103934665603ULL; // FNV-1a
  for (const char c : options)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return 1.0 + static_cast<double>(hash % 1000) / 1000.0;
}

void log(const std::string& line) {
  if (fs::exists(beside("log")))
    std::ofstream(beside("log"), std::ios::app) << line + "\n";
}

/// As long as its launches are said to take.
void take_time(Execution& execution) {
  for (const double ms : execution.times_ms) {
    execution.taken_at_ms.push_back(clock_of_worker.ms());
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  }
}

void sleep_for_ever() {
  std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Once it has launched a few: it says so instead of an answer, and so do all that follow.
void maybe_lose(int launched) {
  int lost = -1;
  if (std::ifstream(beside("lost_gpu")) >> lost && lost == ordinal && launched > 3) {
    write_message(messages, WorkRefused{"all CUDA-capable devices are busy or unavailable", true});
    ::_exit(1);
  }
}

/// Whether this launch is one of those that go wrong though others of the same code are right.
bool is_wrong_now(const std::string& options, Mode mode) {
  static std::set<std::string> launched;
  const auto has = [&](const char* text) { return options.find(text) != std::string::npos; };
  const bool again = !launched.insert(options).second;
  return (has("-DRUN=once") && again) ||
         (mode == Mode::final && (has("-DRUN=final") || fs::exists(beside("wrong_finals"))));
}

/// @param samples of a good one
Execution execute(const LaunchJob& job, Mode mode, std::size_t samples,
                  Verification compared_with) {
  const Bytes& cubin = *job.launchable.cubin;
  const std::string options(cubin.begin(), cubin.end());
  const auto has = [&](const char* text) { return options.find(text) != std::string::npos; };
  write_message(messages, StageBegun{job.id, "verify", clock_of_worker.ms()});
  if (int hung = -1; std::ifstream(beside("hung_gpu")) >> hung && hung == ordinal)
    sleep_for_ever();
  if (has("-DRUN=crash"))
    ::raise(SIGSEGV);
  if (has("-DRUN=hang"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (has("-DRUN=lost")) {
    write_message(messages, ContextLost{job.id, Status::runtime, "an illegal memory access"});
    ::_exit(0);
  }
  Execution execution;
  execution.compile_facts.emplace().registers_per_thread = 32;
  if (has("-DRUN=arguments")) {
    execution.reason = "the kernel takes 3 arguments, the definition gives 1";
    return execution;
  }
  if (has("-DRUN=wrong") || is_wrong_now(options, mode)) {
    execution.status = Status::correctness;
    execution.reason = "element 17 of 'out' is 0.5, expected 1.25";
    return execution;
  }
  execution.status = Status::correct;
  execution.verification = compared_with;
  static const double slower = gpus().at(static_cast<std::size_t>(ordinal)).slower;
  execution.times_ms.assign(samples, slower * time_of(options));
  execution.spent.gpu_ms = 8 * execution.times_ms.front();
  if (fs::exists(beside("real_time")))
    take_time(execution);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return execution;
}

/// Peaks of 1, 2, …; where the files "no_peak", "deadly_peak", "lost_peak" and "slow_peak" beside the
/// program name one, none of it, or death, a lost context or sleep in its place; "every" is a name
/// for death.
void measure(const MeasurePeaks& asked) {
  const auto named = [](const char* file) {
    std::string name;
    std::getline(std::ifstream(beside(file)), name);
    return name;
  };
  for (const std::string& name : asked.names) {
    if (name == named("deadly_peak") || named("deadly_peak") == "every")
      ::raise(SIGKILL);
    if (name == named("lost_peak")) {
      write_message(messages, ContextLost{0, Status::runtime, "an illegal memory access"});
      ::_exit(1);
    }
    if (name == named("slow_peak"))
      std::this_thread::sleep_for(std::chrono::hours(1));
    PeakMeasured answer{name, std::nullopt, "not on this fake"};
    const auto* word = find_peak_word(name);
    if (name != named("no_peak"))
      answer = {name,
                Peak{name, 1.0 + static_cast<double>(word - peak_words.data()),
                     std::string(word->unit), "2026-11-22T08:00:00Z", "as the test says", uuid()},
                ""};
    write_message(messages, answer);
  }
}

/// Why it is refused; "" where it is not.
std::string refusal(const OpenWork& work, WorkOpened& opened) {
  if (work.label == "slow_start")
    sleep_for_ever();
  if (work.label == "refused")
    return "the data need 300 GB, the device has 80 GB";
  if (work.reference.default_configuration) {
    const Bytes& cubin = *work.reference.kernel.value().cubin;
    const std::string options(cubin.begin(), cubin.end());
    const auto has = [&](const char* text) { return options.find(text) != std::string::npos; };
    if (has("-DRUN=crash"))
      ::raise(SIGSEGV);
    if (has("-DRUN=lost"))
      return "an illegal memory access";
    if (has("-DRUN=wrong"))
      opened.unverified_because = "the default configuration: element 3 of 'out' is nan";
  }
  opened.device = device(ordinal);
  if (!counts())
    opened.uncounted_because = uncounted;
  opened.at_ms = clock_of_worker.ms();
  opened.peaks = {{"copy", 4000, "GB/s", "2026-11-21T08:00:00Z", "as the test says", uuid()}};
  if (work.label == "doubtful")
    opened.reference_problem = "element 3 of 'out' is nan";
  return "";
}

class FakeWork final : public OpenedWork {
public:
  FakeWork(const OpenWork& open, WorkOpened& answer) : number_(open.work), label_(open.label) {
    if (const std::string why = refusal(open, answer); !why.empty())
      throw Error(why);
    if (open.reference.default_configuration && !answer.unverified_because)
      compared_with_ = Verification::default_configuration;
    log("open " + std::to_string(number_));
    ++works;
  }

  ~FakeWork() override {
    log("close " + std::to_string(number_));
    --works;
  }

  FakeWork(const FakeWork&) = delete;
  FakeWork& operator=(const FakeWork&) = delete;

  void run(const EvaluateBatch& batch) override {
    if (batch.mode == Mode::final && label_ == "slow_finals")
      sleep_for_ever();
    const bool interleaved = batch.mode != Mode::race && batch.order != BatchOrder::one_by_one;
    const auto samples = static_cast<std::size_t>(interleaved ? batch.rounds : 7);
    if (counts() && (batch.count || !batch.time))
      log("count " + std::string(batch.mode == Mode::race ? "race " : "final ") +
          std::to_string(number_));
    for (const LaunchJob& job : batch.jobs) {
      maybe_lose(++launched_);
      Execution execution = execute(job, batch.mode, samples, compared_with_);
      if (batch.mode == Mode::check)
        for (std::size_t i = 0; i < execution.times_ms.size(); ++i)
          execution.times_ms[i] *= 1 + 0.004 * std::sin(static_cast<double>(i * i + job.id));
      if (batch.mode == Mode::race && !counts())
        execution.uncounted_because = uncounted;
      if (counts() && execution.correct() && (batch.count || !batch.time))
        execution.counters = {{"gpu__time_duration.sum", 1e6 * execution.times_ms.front()}};
      if (!batch.time)
        execution.times_ms.clear();
      write_message(messages, Executed{job.id, execution, clock_of_worker.ms()});
    }
  }

  /// As much memory is free as there is room for one more.
  static double free_share() {
    int room = 1000;
    std::ifstream(beside("room")) >> room;
    return works < room ? 1 : 0;
  }

private:
  static inline int works = 0;
  int launched_ = 0;
  std::uint64_t number_;
  std::string label_;
  Verification compared_with_ = Verification::none;
};

} // namespace

/// Until nobody holds the other end any more.
void hold() {
  std::cout << "locked\n" << std::flush;
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

int main(int count, char** words) try {
  if (count > 1 && std::string(words[1]) == "--hold-clocks") {
    hold();
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--devices") {
    end_when_unread(STDOUT_FILENO);
    if (fs::exists(beside("slow_devices")))
      sleep_for_ever();
    maybe_die(0);
    auto list = nlohmann::json::array();
    for (std::size_t i = 0; i < gpus().size(); ++i)
      list.push_back(to_fields(device(static_cast<int>(i))));
    std::cout << nlohmann::json({{"devices", list}, {"reason", ""}});
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--processes") {
    std::string list;
    std::getline(std::ifstream(beside("processes")), list);
    std::cout << (list.empty() ? R"({"processes": [], "reason": ""})" : list);
    return 0;
  }
  if (count > 2 && std::string(words[1]) == "--plan") { // a pass for each
    if (std::string(words[2]) == "GH999") {
      std::cout << R"({"chips": ["GA100", "GH100"]})";
      return 0;
    }
    std::cout << nlohmann::json({{"passes", count - 3}, {"rejected", nlohmann::json::array()}});
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--check") {
    std::cout << R"({"confinement": "fake wall", "devices": 1, "reason": ""})";
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--counters") {
    std::string answer;
    std::getline(std::ifstream(beside("counters")), answer);
    std::cout << (answer.empty() ? R"({"code": 0, "message": ""})" : answer);
    return answer == "no library" ? 127 : 0;
  }
  messages = take_protocol_output();
  end_when_unread(messages);
  write_message(messages, Hello{std::string(version()), "", ""});
  log("worker");
  OpenWorks works([](const OpenWork& open,
                     WorkOpened& answer) { return std::make_unique<FakeWork>(open, answer); },
                  FakeWork::free_share);
  int number = 0;
  while (auto message = read_message(STDIN_FILENO)) {
    maybe_die(++number);
    if (const auto* use = std::get_if<UseDevice>(&*message)) {
      ordinal = use->ordinal;
      if (!use->code_follows)
        write_message(messages, DeviceReady{clock_of_worker.ms()});
    } else if (const auto* work = std::get_if<OpenWork>(&*message)) {
      try {
        write_message(messages, works.open(*work));
      } catch (const Error& error) {
        write_message(messages, WorkRefused{error.what(), false});
      }
    } else if (const auto* batch = std::get_if<EvaluateBatch>(&*message))
      works.run(*batch);
    else if (const auto* peaks = std::get_if<MeasurePeaks>(&*message))
      return measure(*peaks), 0;
  }

} catch (...) {

  return 1;
}
