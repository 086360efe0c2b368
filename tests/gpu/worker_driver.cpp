// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/gpu/worker_driver.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace gridsmith::testing {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

Programs find_programs() {
  const std::filesystem::path folder = GRIDSMITH_PROGRAMS_DIR;
  Programs programs{folder / "gridsmith-compiler", folder / "gridsmith-worker", {}};
  const ProgramOutput output = run_program(programs.worker, {"--devices"}, 60s);
  const nlohmann::json devices = nlohmann::json::parse(output.text).at("devices");
  if (devices.empty())
    throw std::runtime_error("no device: " + output.text);
  read_fields(devices.front(), programs.device);
  return programs;
}

double ms_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

double median_of(std::vector<double> values) {
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

std::vector<CodeObject> Compilers::all(const std::vector<CompileRequest>& requests,
                                       int compute_capability) {
  const std::size_t count = requests.size();
  for (std::size_t i = 0; i < count; ++i)
    children_[i % children_.size()].send(CompileJob{requests[i], compute_capability});
  std::vector<CodeObject> compiled(count);
  for (std::size_t i = 0; i < count; ++i) {
    ChildProcess& child = children_[i % children_.size()];
    for (bool done = false; !done;) {
      auto message = wait_message(child, 60s);
      if (!message)
        throw std::runtime_error("a compiler " + child.reap());
      if (auto* code = std::get_if<CodeObject>(&*message)) {
        compiled[i] = std::move(*code);
        done = true;
      }
    }
  }
  return compiled;
}

std::shared_ptr<const Bytes> Compilers::device_code(int compute_capability) {
  const CodeObject code = all({device_code_request()}, compute_capability).front();
  if (!code.cubin)
    throw std::runtime_error("the device code does not compile: " + code.error.value_or(""));
  return code.cubin;
}

Driver::Driver(const std::filesystem::path& program, const UseDevice& device, const OpenWork& open,
               std::optional<WorkRefused>& refused)
    : child_(ChildProcess::start(program)), work_(open.work) {
  child_.send(device);
  child_.send(open);
  auto message = wait_message(child_, 60s);
  const auto* hello = message ? std::get_if<Hello>(&*message) : nullptr;
  if (!hello || hello->version != version())
    throw std::runtime_error("the worker does not say hello first");
  wait_for_opened(refused);
}

void Driver::wait_for_opened(std::optional<WorkRefused>& refused) {
  while (auto message = wait_message(child_, 60s)) {
    if (auto* opened = std::get_if<WorkOpened>(&*message)) {
      opened_ = std::move(*opened);
      return;
    }
    if (auto* why = std::get_if<WorkRefused>(&*message)) {
      refused = std::move(*why);
      return;
    }
    if (!std::holds_alternative<DeviceReady>(*message))
      throw std::runtime_error("the worker says something before its work is open");
  }
  throw std::runtime_error("the worker " + child_.reap());
}

double Driver::open_too(const OpenWork& open) {
  const auto begun = Clock::now();
  std::optional<WorkRefused> refused;
  child_.send(open);
  wait_for_opened(refused);
  if (refused)
    throw std::runtime_error("refused: " + refused->reason);
  work_ = open.work;
  return ms_since(begun);
}

Driver Driver::open(const std::filesystem::path& program, const UseDevice& device,
                    const OpenWork& open) {
  std::optional<WorkRefused> refused;
  Driver driver(program, device, open, refused);
  if (refused)
    throw std::runtime_error("refused: " + refused->reason);
  return driver;
}

std::optional<WorkRefused> Driver::refusal(const std::filesystem::path& program,
                                           const UseDevice& device, const OpenWork& open) {
  std::optional<WorkRefused> refused;
  const Driver driver(program, device, open, refused);
  return refused;
}

std::map<std::uint64_t, Execution> Driver::race(const std::vector<LaunchJob>& jobs) {
  for (const LaunchJob& job : jobs)
    child_.send(EvaluateBatch{.work = work_, .jobs = {job}, .best_ms = std::nullopt});
  return executions(jobs.size());
}

std::map<std::uint64_t, Execution> Driver::run(EvaluateBatch batch) {
  const std::size_t count = batch.jobs.size();
  batch.work = work_;
  child_.send(std::move(batch));
  return executions(count);
}

std::map<std::uint64_t, Execution> Driver::executions(std::size_t count) {
  std::map<std::uint64_t, Execution> done;
  while (done.size() < count) {
    auto message = wait_message(child_, 60s);
    if (!message)
      throw std::runtime_error("the worker " + child_.reap());
    if (auto* executed = std::get_if<Executed>(&*message)) {
      done[executed->id] = std::move(executed->execution);
    } else if (auto* lost = std::get_if<ContextLost>(&*message)) {
      lost_ = std::move(*lost);
      break;
    }
  }
  return done;
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
