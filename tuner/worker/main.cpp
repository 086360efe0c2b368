// SPDX-License-Identifier: Apache-2.0
// gridsmith-worker: owns one device's context and measures what it is told to: kernels, or peaks.
// Started by gridsmith, it confines itself first; `gridsmith-worker --devices` lists the devices of
// this machine as JSON, or the reason why there are none; `gridsmith-worker --plan CHIP NAME…` says
// in how many passes counters by CUPTI's names are read on a chip, which needs no device.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/metrics/cupti/counter_plan.hpp"
#include "gridsmith/tuner/confinement/wall.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/protocol/protocol_streams.hpp"
#include "gridsmith/tuner/worker/counter_probe.hpp"
#include "gridsmith/tuner/worker/device_query.hpp"
#include "gridsmith/tuner/worker/hold_clocks.hpp"
#include "gridsmith/tuner/worker/message_observer.hpp"
#include "gridsmith/tuner/worker/nvml.hpp"
#include "gridsmith/tuner/worker/peaks/peak_bench.hpp"
#include "gridsmith/tuner/worker/steps/inbox.hpp"
#include "gridsmith/tuner/worker/steps/open_works.hpp"
#include "gridsmith/tuner/worker/work.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace gridsmith;

constexpr int exit_failed = 1, exit_usage = 2, exit_no_device = 3;

/// Who uses the device of this UUID, as the driver's management library says.
nlohmann::json users_of(const Nvml& nvml, const std::string& uuid) {
  nlohmann::json list = nlohmann::json::array();
  for (const Nvml::Process& one : nvml.processes(nvml.device(uuid)))
    list.push_back({{"pid", one.pid}, {"mib", one.bytes >> 20}});
  return list;
}

/// With their users, which costs nothing here: that library is opened beside the driver.
int print_devices() {
  end_when_unread(STDOUT_FILENO); // a driver that hangs does not outlive who asks; so below
  auto opening = std::async(std::launch::async, [] { return std::make_unique<Nvml>(); });
  const QueriedDevices list = list_devices();
  nlohmann::json devices = nlohmann::json::array(), users = nlohmann::json::object();
  for (const Device& device : list.devices)
    devices.push_back(to_fields(device));
  nlohmann::json json = {{"devices", devices}, {"reason", list.reason.value_or("")}};
  try {
    const std::unique_ptr<Nvml> nvml = opening.get();
    for (const Device& device : list.devices)
      users[device.uuid] = users_of(*nvml, device.uuid);
    json["users"] = users;
  } catch (const std::exception&) { // asked for apart, if at all
  }
  fmt::print("{}\n", json_text(json, 2));
  return list.devices.empty() ? exit_no_device : 0;
}

int print_processes(const std::string& uuid) {
  end_when_unread(STDOUT_FILENO);
  nlohmann::json list = nlohmann::json::array();
  std::string reason;
  try {
    list = users_of(Nvml(), uuid);
  } catch (const std::exception& error) {
    reason = error.what();
  }
  fmt::print("{}\n", nlohmann::json({{"processes", list}, {"reason", reason}}).dump());
  return 0;
}

int print_plan(const std::string& chip, std::vector<std::string> names) {
  end_when_unread(STDOUT_FILENO);
  if (const auto chips = supported_chips();
      std::find(chips.begin(), chips.end(), chip) == chips.end()) {
    fmt::print("{}\n", json_text(nlohmann::json({{"chips", chips}})));
    return 0;
  }
  const std::vector<std::string> rejected = rejected_metrics(chip, names);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(rejected.begin(), rejected.end(), name) != rejected.end();
  });
  const std::size_t passes = names.empty() ? 0 : planned_passes(chip, names);
  fmt::print("{}\n", json_text(nlohmann::json({{"passes", passes}, {"rejected", rejected}})));
  return 0;
}

/// For 'gridsmith doctor': whether the devices are seen behind the wall too.
int check_wall() {
  const std::string wall = to_text(confine(worker_wall()));
  end_when_unread(STDOUT_FILENO);
  const DeviceCount there = count_devices();
  const nlohmann::json json = {
      {"confinement", wall}, {"devices", there.count}, {"reason", there.reason.value_or("")}};
  fmt::print("{}\n", json.dump());
  return 0;
}

/// Why the work cannot be opened on that device; nothing when it is there.
std::optional<std::string> missing_device(int ordinal) {
  const DeviceCount there = count_devices();
  if (there.reason)
    return there.reason;
  if (ordinal < 0 || ordinal >= there.count)
    return fmt::format("there are {}, and number {} was asked for", there.count, ordinal);
  return std::nullopt;
}

/// For 'gridsmith doctor': what comes of reading a counter on that device, behind the wall.
int print_counters(int ordinal) {
  confine(worker_wall());
  end_when_unread(STDOUT_FILENO);
  constexpr int no_driver = 15; // CUPTI's NOT_INITIALIZED
  CounterProbe probe;
  if (const auto missing = missing_device(ordinal)) {
    probe.message = *missing;
    if (count_devices().count == 0)
      probe.code = no_driver;
  } else {
    probe = probe_counters(ordinal);
  }
  nlohmann::json json = {{"code", nullptr}, {"message", well_formed(probe.message)}};
  if (probe.code)
    json["code"] = *probe.code;
  fmt::print("{}\n", json.dump());
  return 0;
}

/// Whether that was possible; else it is said why, and the process is of no use.
bool opens(int output, const std::function<void()>& open) {
  try {
    open();
    return true;
  } catch (const std::exception& error) {
    write_message(output, WorkRefused{error.what(), false});
    return false;
  }
}

/// Works and their batches until there are no more.
int serve_works(int output, Inbox& inbox, OpenedDevice& device, OpenWorks& works) {
  constexpr std::chrono::milliseconds quiet{20}; // compilers are what is waited for
  while (true) {
    if (device.counting().cold() && inbox.quiet_for(quiet))
      device.warm_up_counters();
    auto message = inbox.next();
    if (!message)
      return 0;
    if (const auto* open = std::get_if<OpenWork>(&*message)) {
      WorkOpened answer;
      if (!opens(output, [&] { answer = works.open(*open); }))
        return exit_failed;
      write_message(output, answer);
      continue;
    }
    auto* batch = std::get_if<EvaluateBatch>(&*message);
    if (!batch)
      throw ProtocolError("a worker takes works and batches of configurations");
    if (batch->mode == Mode::race)
      inbox.add_waiting(*batch, largest_batch);
    works.run(*batch);
  }
}

int serve_device(int output, UseDevice use, Inbox& inbox, const HostClock& started) {
  MessageObserver observer(output, started);
  std::optional<OpenedDevice> device;
  if (!opens(output, [&] { device.emplace(use, observer); }))
    return exit_failed;
  if (use.code_follows) {
    auto next = inbox.next();
    if (!next)
      return exit_failed;
    auto* again = std::get_if<UseDevice>(&*next);
    if (!again)
      throw ProtocolError("the worker's own kernels must come next");
    use = std::move(*again);
  }
  if (!opens(output, [&] { device->load(use); }))
    return exit_failed;
  write_message(output, DeviceReady{started.ms()});
  const auto make = [&](const OpenWork& open, WorkOpened& answer) {
    return std::make_unique<Work>(open, *device, observer, inbox.best(open.work), started, answer);
  };
  OpenWorks works(make, [&] { return device->free_share(); });
  return serve_works(output, inbox, *device, works);
}

/// One answer for each name. What cannot be measured costs no other, but for what takes the context
/// with it: then the process is of no use any more.
int serve_peaks(int output, const MeasurePeaks& asked, const HostClock& started) {
  std::optional<PeakBench> bench;
  try {
    bench.emplace(query_device(asked.ordinal), asked, started);
  } catch (const std::exception& error) {
    write_message(output, WorkRefused{error.what(), false});
    return exit_failed;
  }
  for (const std::string& name : asked.names) {
    PeakMeasured answer{name, std::nullopt, ""};
    try {
      answer.peak = bench->measure(name);
    } catch (const DeviceError& error) {
      answer.reason = error.plain();
      if (error.context_lost()) {
        write_message(output, ContextLost{0, Status::runtime, answer.reason});
        return exit_failed;
      }
    } catch (const Error& error) {
      answer.reason = error.what();
    }
    write_message(output, answer);
  }
  return 0;
}

/// The first message says what this worker is for.
int serve(const HostClock& started, bool confined) {
  if (confined)
    confine(worker_wall()); // before CUDA and any other thread
  const int output = take_protocol_output();
  end_when_unread(output);
  write_message(output, Hello{std::string(version()), "", ""});
  Inbox inbox(STDIN_FILENO);
  count_devices(); // starts the driver, before the tuner knows which device it wants
  std::optional<Message> first = inbox.next();
  if (!first)
    return exit_failed;
  const auto* use = std::get_if<UseDevice>(&*first);
  const auto* peaks = std::get_if<MeasurePeaks>(&*first);
  if (!use && !peaks)
    throw ProtocolError("the first message must choose a device or ask for peaks");
  if (const auto reason = missing_device(use ? use->ordinal : peaks->ordinal)) {
    write_message(output, WorkRefused{"no usable device: " + *reason, true});
    return exit_failed;
  }
  return use ? serve_device(output, *use, inbox, started) : serve_peaks(output, *peaks, started);
}

} // namespace

int main(int count, char** arguments) {
  const HostClock started;
  try {
    if (count == 2 && std::string_view(arguments[1]) == "--devices")
      return print_devices();
    if (count == 5 && std::string_view(arguments[1]) == "--hold-clocks")
      return hold_clocks(arguments[2], static_cast<unsigned>(std::stoul(arguments[3])),
                         arguments[4]);
    if (count == 3 && std::string_view(arguments[1]) == "--restore-clocks")
      return restore_clocks(arguments[2]);
    if (count == 3 && std::string_view(arguments[1]) == "--processes")
      return print_processes(arguments[2]);
    if (count >= 3 && std::string_view(arguments[1]) == "--plan")
      return print_plan(arguments[2], {arguments + 3, arguments + count});
    if (count == 2 && std::string_view(arguments[1]) == "--check")
      return check_wall();
    if (count == 3 && std::string_view(arguments[1]) == "--counters")
      return print_counters(std::stoi(arguments[2]));
    if (count == 2 && std::string_view(arguments[1]) == "--unconfined")
      return serve(started, false);
    if (count > 1) {
      fmt::print(
          stderr,
          "gridsmith-worker: unknown argument '{}'; it knows --devices, --plan, --check, "
          "--counters, --processes, --hold-clocks, --restore-clocks and --unconfined, and is otherwise started by "
          "gridsmith\n",
          arguments[1]);
      return exit_usage;
    }
    return serve(started, true);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridsmith-worker: {}\n", error.what());
    return exit_failed;
  }
}
