// SPDX-License-Identifier: Apache-2.0
// Stands in for gridsmith-worker where there is no GPU: a real process that speaks the real
// messages and does what fake_script.hpp says. The time of a configuration is a function of its options, longer by as many
// percent as -DSLOWER= says; checks scatter a little. -DRUN=crash|hang|wrong|lost|arguments does just that, in every
// mode; -DRUN=final is wrong in finals, -DRUN=once right at the first launch of its process alone.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"
#include "gridsmith/tuner/worker/steps/open_works.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <set>
#include <thread>
#include <vector>

using namespace gridsmith;

namespace {

using test::Script;

int messages = -1; // descriptor of what we say
const HostClock clock_of_worker;

constexpr const char* uncounted = "counters are not permitted";

/// What the script says of this; else what is usual.
template <class Value>
Value scripted(const char* word, const Value& usual) {
  return test::script(test::own_folder()).value(word, usual);
}

bool counts() {
  return scripted("counts", false);
}

/// Its own of each folder, as tests run at the same time.
std::string uuid() {
  return scripted("uuid", "FAKE-" + std::to_string(std::filesystem::hash_value(
                                        test::own_folder() / "gridsmith-worker")));
}

Script gpus() {
  return scripted("gpus", Script::array({Script::object()}));
}

int ordinal = 0; // of the one in use

Device device(int number) {
  Device fake = device_of_capability(90);
  fake.ordinal = number;
  fake.memory_bytes = 80'000'000'000;
  fake.name = gpus().at(static_cast<std::size_t>(number)).value("name", "Fake GPU");
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
  if (scripted("die_at", -1) != message)
    return;
  test::script(test::own_folder(), {{"die_at", nullptr}});
  ::raise(SIGKILL);
}

/// 1 to 2 ms, the same for the same options; X=7 alone takes half a millisecond.
double time_of(std::string options) {
  if (const std::string percent = test::value_after(options, "-DSLOWER="); !percent.empty()) {
    const std::string option = "-DSLOWER=" + percent;
    options.erase(options.find(option), option.size());
    return time_of(options) * (1 + std::stoi(percent) / 100.0);
  }
  if (test::has_option(options, "-DX=7"))
    return 0.5;
  std::uint64_t hash = 1469598103934665603ULL; // FNV-1a
  for (const char c : options)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return 1.0 + static_cast<double>(hash % 1000) / 1000.0;
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

/// The next process finds the GPU as it should be.
[[noreturn]] void lose_context(std::uint64_t id, int code) {
  write_message(messages, ContextLost{id, Status::runtime, "an illegal memory access"});
  ::_exit(code);
}

/// Instead of an answer, and of all that follow.
[[noreturn]] void lose_gpu() {
  write_message(messages, WorkRefused{"all CUDA-capable devices are busy or unavailable", true});
  ::_exit(1);
}

/// What this launch comes to: what the script says, else what its options ask for.
std::string fate(const std::string& options, Mode mode, const Script& rule) {
  static std::set<std::string> launched;
  const bool again = !launched.insert(options).second;
  std::string word = rule.value("does", test::value_after(options, "-DRUN="));
  if ((word == "once" && again) || (word == "final" && mode == Mode::final))
    return "wrong";
  return word;
}

/// Of a launch that is right: seven of the same, where no rule says otherwise.
std::vector<double> times_of(const std::string& options, std::size_t samples, const Script& rule) {
  static const double slower = gpus().at(static_cast<std::size_t>(ordinal)).value("slower", 1.0);
  std::vector<double> times(samples, slower * rule.value("ms", time_of(options)));
  const std::vector<double> factors = rule.value("samples", std::vector<double>{1});
  for (std::size_t i = 0; i < samples; ++i)
    times[i] *= factors[i % factors.size()];
  return times;
}

/// @param samples of a good one
Execution execute(const LaunchJob& job, const EvaluateBatch& batch, std::size_t samples,
                  int launched, Verification compared_with, bool moved) {
  static constexpr std::array modes{"race", "final", "check", "anchor"};
  const Bytes& cubin = *job.launchable.cubin;
  const std::string options(cubin.begin(), cubin.end());
  const Script rule = test::rule_for(scripted("launches", Script::array()), options, launched,
                                     {{"mode", modes.at(static_cast<std::size_t>(batch.mode))},
                                      {"data", batch.change > 0 ? "changed" : "own"},
                                      {"side", job.label},
                                      {"vectors", moved ? "moved" : "aligned"},
                                      {"scratch", batch.keep_scratch ? "kept" : "restored"},
                                      {"gpu", ordinal},
                                      {"blocks", job.launchable.geometry.grid[0]}});
  const std::string fated = fate(options, batch.mode, rule);
  if (fated == "gone")
    lose_gpu();
  write_message(messages, StageBegun{job.id, "verify", clock_of_worker.ms()});
  if (fated == "crash")
    ::raise(SIGSEGV);
  if (fated == "hang")
    sleep_for_ever();
  if (fated == "lost")
    lose_context(job.id, 0);
  Execution execution;
  execution.compile_facts.emplace().registers_per_thread = 32;
  if (fated.starts_with("arguments")) { // "argumentss" too, where two values are wanted
    execution.reason = "the kernel takes 3 arguments, the definition gives 1";
    return execution;
  }
  if (fated == "wrong") {
    execution.status = Status::correctness;
    execution.reason = "element 17 of 'out' is 0.5, expected 1.25";
    return execution;
  }
  execution.status = Status::correct;
  execution.verification = compared_with;
  execution.times_ms = times_of(options, samples, rule);
  execution.counters = rule.value("counters", CounterValues());
  execution.spent.gpu_ms = 8 * execution.times_ms.front();
  execution.spent.time_ms = scripted("says_ms", 0.0);
  if (scripted("real_time", false))
    take_time(execution);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return execution;
}

/// Peaks of 1, 2, …
void measure(const MeasurePeaks& asked) {
  const Script fates = scripted("peaks", Script::object());
  for (const std::string& name : asked.names) {
    const std::string fated = fates.value(name, fates.value("every", ""));
    if (fated == "crash")
      ::raise(SIGKILL);
    if (fated == "lost")
      lose_context(0, 1);
    if (fated == "hang")
      sleep_for_ever();
    PeakMeasured answer{name, std::nullopt, "not on this fake"};
    const auto* word = find_peak_word(name);
    if (fated != "none")
      answer = {name,
                Peak{name, 1.0 + static_cast<double>(word - peak_words.data()),
                     std::string(word->unit), "2026-11-22T08:00:00Z", "as the test says", uuid()},
                ""};
    write_message(messages, answer);
  }
}

/// What -DRUN= makes of the default configuration. Why the work is refused; "" where it is not.
std::string refusal_of_default(const OpenWork& work, WorkOpened& opened) {
  const Bytes& cubin = *work.reference.kernel.value().cubin;
  const std::string fated = test::value_after({cubin.begin(), cubin.end()}, "-DRUN=");
  if (fated == "crash")
    ::raise(SIGSEGV);
  if (fated == "lost")
    return "an illegal memory access";
  if (fated == "wrong")
    opened.unverified_because = "the default configuration: element 3 of 'out' is nan";
  if (fated == "sparse" && work.reference.only_written)
    opened.only_written = WrittenPart{.written = 1024, .elements = 4096};
  return "";
}

/// Why it is refused; "" where it is not.
std::string refusal(const OpenWork& work, WorkOpened& opened) {
  const Script rule =
      test::rule_for(scripted("works", Script::array()), "", 1, {{"kernel", work.label}});
  if (rule.value("does", "") == "hang")
    sleep_for_ever();
  std::string refused = rule.value("refused", "");
  if (refused.empty() && work.reference.default_configuration)
    refused = refusal_of_default(work, opened);
  opened.device = device(ordinal);
  if (!counts())
    opened.uncounted_because = uncounted;
  opened.at_ms = clock_of_worker.ms();
  opened.peaks = {{"copy", 4000, "GB/s", "2026-11-21T08:00:00Z", "as the test says", uuid()}};
  if (rule.contains("unverified"))
    opened.unverified_because = rule["unverified"];
  if (rule.contains("reference_problem"))
    opened.reference_problem = rule["reference_problem"];
  return refused;
}

class FakeWork final : public OpenedWork {
public:
  FakeWork(const OpenWork& open, WorkOpened& answer) : number_(open.work) {
    if (const std::string why = refusal(open, answer); !why.empty())
      throw Error(why);
    moved_ = std::any_of(open.arguments.begin(), open.arguments.end(), [](const auto& argument) {
      return argument.buffer && argument.buffer->offset > 0;
    });
    if (open.reference.default_configuration && !answer.unverified_because)
      compared_with_ = Verification::default_configuration;
    test::log("open " + std::to_string(number_));
    ++works;
  }

  ~FakeWork() override {
    test::log("close " + std::to_string(number_));
    --works;
  }

  FakeWork(const FakeWork&) = delete;
  FakeWork& operator=(const FakeWork&) = delete;

  void run(const EvaluateBatch& batch) override {
    const bool interleaved = batch.mode != Mode::race && batch.order != BatchOrder::one_by_one;
    const auto samples = static_cast<std::size_t>(interleaved ? batch.rounds : 7);
    if (counts() && (batch.count || !batch.time))
      test::log("count " + std::string(batch.mode == Mode::race ? "race " : "final ") +
                std::to_string(number_));
    for (const LaunchJob& job : batch.jobs) {
      Execution execution = execute(job, batch, samples, ++launched_, compared_with_, moved_);
      if (batch.mode == Mode::check)
        for (std::size_t i = 0; i < execution.times_ms.size(); ++i)
          execution.times_ms[i] *= 1 + 0.004 * std::sin(static_cast<double>(i * i + job.id));
      if (batch.mode == Mode::race && !counts())
        execution.uncounted_because = uncounted;
      if (counts() && execution.correct() && (batch.count || !batch.time))
        execution.counters["gpu__time_duration.sum"] = 1e6 * execution.times_ms.front();
      else
        execution.counters.clear();
      if (!batch.time)
        execution.times_ms.clear();
      write_message(messages, Executed{job.id, execution, clock_of_worker.ms()});
    }
  }

  /// As much memory is free as there is room for one more.
  static double free_share() { return works < scripted("room", 1000) ? 1 : 0; }

private:
  static inline int works = 0;
  int launched_ = 0;
  bool moved_ = false; ///< vectors begin elsewhere than where they are aligned
  std::uint64_t number_;
  Verification compared_with_ = Verification::none;
};

} // namespace

/// Until nobody holds the other end any more.
void hold() {
  std::cout << "locked\n" << std::flush;
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

/// What the script says to this question, else what is usual; a text as it is, also one that is no JSON.
std::string say(const char* question, const Script& usual) {
  const Script answer = scripted(question, usual);
  const std::string text = answer.is_string() ? answer.get<std::string>() : answer.dump();
  std::cout << text;
  return text;
}

int main(int count, char** words) try {
  if (count > 1 && std::string(words[1]) == "--hold-clocks") {
    hold();
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--devices") {
    end_when_unread(STDOUT_FILENO);
    if (scripted("devices", std::string()) == "hang")
      sleep_for_ever();
    maybe_die(0);
    auto list = Script::array();
    for (std::size_t i = 0; i < gpus().size(); ++i)
      list.push_back(to_fields(device(static_cast<int>(i))));
    std::cout << Script({{"devices", list}, {"reason", ""}});
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--processes") {
    say("processes", {{"processes", Script::array()}, {"reason", ""}});
    return 0;
  }
  if (count > 2 && std::string(words[1]) == "--plan") { // a pass for each
    if (std::string(words[2]) == "GH999") {
      std::cout << R"({"chips": ["GA100", "GH100"]})";
      return 0;
    }
    std::cout << Script({{"passes", count - 3}, {"rejected", Script::array()}});
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--check") {
    std::cout << R"({"confinement": "fake wall", "devices": 1, "reason": ""})";
    return 0;
  }
  if (count > 1 && std::string(words[1]) == "--counters") {
    return say("counters", {{"code", 0}, {"message", ""}}) == "no library" ? 127 : 0;
  }
  messages = take_protocol_output();
  end_when_unread(messages);
  write_message(messages, Hello{std::string(version()), "", ""});
  test::log("worker");
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
