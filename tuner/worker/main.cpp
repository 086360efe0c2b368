// gridsmith-worker: owns one device's context and measures what it is told to. Started by
// gridsmith; `gridsmith-worker --devices` lists the devices of this machine as JSON, or the reason
// why there are none.
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"
#include "gridsmith/tuner/worker/device_query.hpp"
#include "gridsmith/tuner/worker/hold_clocks.hpp"
#include "gridsmith/tuner/worker/work.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace gridsmith;

constexpr int exit_failed = 1, exit_usage = 2, exit_no_device = 3;

int print_devices() {
  const DeviceList list = list_devices();
  const nlohmann::json json = {{"devices", list.devices}, {"reason", list.reason}};
  fmt::print("{}\n", json.dump(2));
  return list.devices.empty() ? exit_no_device : 0;
}

/// Nothing when the work was refused, which has then been said.
std::unique_ptr<Work> open_work(int output, Inbox& inbox, Work::Clock::time_point started) {
  auto message = inbox.next();
  if (!message)
    return nullptr;
  auto* open = std::get_if<OpenWork>(&*message);
  if (!open)
    throw ProtocolError("the first message must open the work");
  std::string why;
  const int devices = count_devices(why);
  if (open->ordinal < 0 || open->ordinal >= devices) {
    if (devices > 0)
      why = fmt::format("there are {}, and number {} was asked for", devices, open->ordinal);
    write_message(output, WorkRefused{"no usable device: " + why, true});
    return nullptr;
  }
  try {
    auto work = std::make_unique<Work>(std::move(*open), output, inbox, started);
    write_message(output, work->opened());
    return work;
  } catch (const std::exception& error) {
    write_message(output, WorkRefused{error.what(), false});
    return nullptr;
  }
}

int serve(Work::Clock::time_point started) {
  const int output = take_protocol_output();
  end_when_unread(output);
  Inbox inbox(STDIN_FILENO);
  const auto work = open_work(output, inbox, started);
  if (!work)
    return exit_failed;
  while (auto message = inbox.next()) {
    if (auto* job = std::get_if<EvaluateJob>(&*message)) {
      std::vector<EvaluateJob> batch;
      batch.push_back(std::move(*job));
      while (batch.size() < Work::largest_batch) {
        auto more = inbox.next_evaluation();
        if (!more)
          break;
        batch.push_back(std::move(*more));
      }
      work->evaluate(std::move(batch));
    } else if (auto* finals = std::get_if<FinalsJob>(&*message)) {
      work->finals(std::move(*finals));
    } else if (std::holds_alternative<CloseWork>(*message)) {
      return 0;
    } else {
      throw ProtocolError("a worker takes evaluations, finals and the end");
    }
  }
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  const auto started = Work::Clock::now();
  try {
    if (count == 2 && std::string_view(arguments[1]) == "--devices")
      return print_devices();
    if (count == 4 && std::string_view(arguments[1]) == "--hold-clocks")
      return hold_clocks(arguments[2], static_cast<unsigned>(std::stoul(arguments[3])));
    if (count > 1) {
      fmt::print(stderr,
                 "gridsmith-worker: unknown argument '{}'; it knows --devices and --hold-clocks "
                 "and is otherwise "
                 "started by gridsmith\n",
                 arguments[1]);
      return exit_usage;
    }
    return serve(started);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-worker: {}\n", error.what());
    return exit_failed;
  }
}
