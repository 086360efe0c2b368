#include "gridsmith/tests/gpu/worker_driver.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/tuner/processes/utilities_source.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>

namespace gridsmith::testing {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::optional<Programs> find_programs(const std::filesystem::path& folder) {
  Programs programs{folder / "gridsmith-compiler", folder / "gridsmith-worker", {}};
  const std::string command = "'" + programs.worker.string() + "' --devices";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    text += static_cast<char>(c);
  const auto devices = nlohmann::json::parse(text).at("devices").get<std::vector<Device>>();
  if (devices.empty())
    return std::nullopt;
  programs.device = devices.front();
  return programs;
}

double ms_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::optional<Message> wait_message(ChildProcess& child, std::chrono::milliseconds limit) {
  const auto give_up = Clock::now() + limit;
  while (true) {
    if (auto message = child.next())
      return message;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(give_up - Clock::now());
    if (left <= 0ms)
      return std::nullopt;
    pollfd entry{.fd = child.descriptor(),
                 .events = static_cast<short>(POLLIN | (child.has_unsent() ? POLLOUT : 0)),
                 .revents = 0};
    ::poll(&entry, 1, static_cast<int>(left.count()));
    child.send_rest();
    if (!child.receive())
      return child.next();
  }
}

Compilers::Compilers(const std::filesystem::path& program) {
  const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i)
    children_.push_back(ChildProcess::start(program));
}

std::vector<CompileOutcome> Compilers::all(const std::vector<CompileRequest>& requests,
                                           int compute_capability) {
  const std::size_t count = requests.size();
  for (std::size_t i = 0; i < count; ++i)
    children_[i % children_.size()].send(
        CompileJob{.id = i, .request = requests[i], .compute_capability = compute_capability});
  std::vector<CompileOutcome> outcomes(count);
  for (std::size_t i = 0; i < count; ++i) {
    ChildProcess& child = children_[i % children_.size()];
    for (bool done = false; !done;) {
      auto message = wait_message(child, 60s);
      if (!message)
        throw std::runtime_error("a compiler " + child.reap());
      if (auto* outcome = std::get_if<CompileOutcome>(&*message)) {
        outcomes[i] = std::move(*outcome);
        done = true;
      }
    }
  }
  return outcomes;
}

Bytes Compilers::utilities(int compute_capability) {
  const auto outcome = all({utilities_request()}, compute_capability).front();
  if (!outcome.ok)
    throw std::runtime_error("the utilities do not compile: " + outcome.reason);
  fmt::print("utilities compiled in {:.0f} ms\n", outcome.ms);
  return outcome.cubin;
}

Driver::Driver(const std::filesystem::path& program, const OpenWork& open,
               std::optional<WorkRefused>& refused)
    : child_(ChildProcess::start(program)) {
  child_.send(open);
  auto message = wait_message(child_, 60s);
  if (!message)
    throw std::runtime_error("the worker " + child_.reap());
  if (auto* opened = std::get_if<WorkOpened>(&*message))
    opened_ = std::move(*opened);
  else
    refused = std::get<WorkRefused>(*message);
}

Driver Driver::open(const std::filesystem::path& program, const OpenWork& open) {
  std::optional<WorkRefused> refused;
  Driver driver(program, open, refused);
  if (refused)
    throw std::runtime_error("refused: " + refused->reason);
  return driver;
}

std::optional<WorkRefused> Driver::refusal(const std::filesystem::path& program,
                                           const OpenWork& open) {
  std::optional<WorkRefused> refused;
  const Driver driver(program, open, refused);
  return refused;
}

std::map<std::uint64_t, EvaluateOutcome> Driver::evaluate(const std::vector<EvaluateJob>& jobs) {
  for (const EvaluateJob& job : jobs)
    child_.send(job);
  std::map<std::uint64_t, EvaluateOutcome> outcomes;
  while (outcomes.size() < jobs.size()) {
    auto message = wait_message(child_, 60s);
    if (!message)
      throw std::runtime_error("the worker " + child_.reap());
    if (auto* outcome = std::get_if<EvaluateOutcome>(&*message)) {
      outcomes[outcome->id] = std::move(*outcome);
    } else if (auto* lost = std::get_if<ContextLost>(&*message)) {
      lost_ = std::move(*lost);
      break;
    }
  }
  return outcomes;
}

FinalsOutcome Driver::finals(const FinalsJob& job) {
  child_.send(job);
  while (auto message = wait_message(child_, 60s))
    if (auto* outcome = std::get_if<FinalsOutcome>(&*message))
      return std::move(*outcome);
  throw std::runtime_error("the worker " + child_.reap());
}

std::optional<StageBegun> Driver::last_stage_after(std::chrono::milliseconds wait) {
  std::optional<StageBegun> last;
  while (auto message = wait_message(child_, wait))
    if (auto* stage = std::get_if<StageBegun>(&*message))
      last = *stage;
  return last;
}

bool Driver::ends() {
  const auto give_up = Clock::now() + 10s;
  while (Clock::now() < give_up) {
    if (!child_.receive())
      return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

} // namespace gridsmith::testing
