// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/hardware/device_tables.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/device_peaks.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

struct DevicesOptions {
  bool json = false, measure = false, no_store = false;
  HelperSettings helpers;
  bool store_asked = false;
  std::optional<int> device;
  std::filesystem::path store = "gridsmith.db";
};

/// A device with what is known of its peaks.
struct Listed {
  Device device;
  Peaks peaks;
};

/// Those that the command is about. @throws NoSuchDevice
std::vector<Listed> listed_devices(const DeviceList& list, const DevicesOptions& options) {
  if (options.device && !list.devices.empty())
    return {{list.at(*options.device), {}}};
  std::vector<Listed> devices;
  devices.reserve(list.devices.size());
  for (const Device& device : list.devices)
    devices.push_back({device, {}});
  return devices;
}

/// What the store holds; a store that nobody named and that cannot be read costs no list.
void add_kept(std::vector<Listed>& devices, const DevicesOptions& options) {
  std::error_code error;
  if (options.no_store || (!options.store_asked && !std::filesystem::exists(options.store, error)))
    return;
  try {
    const Store store = Store::open(options.store, Store::Mode::read_only);
    for (Listed& one : devices)
      one.peaks = merged(std::move(one.peaks), store.kept_peaks(one.device));
  } catch (const Error& problem) {
    if (options.store_asked)
      throw;
    note(fmt::format("{}; no peaks are shown", problem.what()));
  }
}

/// Each with its peaks, and of each what the data sheet promises.
std::string json_of(const std::vector<Listed>& devices) {
  nlohmann::json list = nlohmann::json::array();
  for (const Listed& one : devices) {
    nlohmann::json device = fields::written(one.device, Fields::changed);
    nlohmann::json peaks = nlohmann::json::array();
    for (const Peak& peak : one.peaks) {
      nlohmann::json json = to_fields(peak);
      const auto sheet = data_sheet_peak(peak.name, one.device);
      json["data_sheet"] = sheet ? nlohmann::json(*sheet) : nlohmann::json();
      peaks.push_back(std::move(json));
    }
    device["peaks"] = std::move(peaks);
    list.push_back(std::move(device));
  }
  return json_text(list, 2) + "\n";
}

std::string text_of(const std::vector<Listed>& devices, std::size_t width) {
  std::vector<Device> facts;
  facts.reserve(devices.size());
  for (const Listed& one : devices)
    facts.push_back(one.device);
  std::string text = fact_tables(facts, width);
  for (const Listed& one : devices)
    if (const std::string table = peak_table(one.device, one.peaks, width); !table.empty())
      text += "\n" + table;
  return text;
}

void list_devices(const DevicesOptions& options, const Installation& installation,
                  const Peaks& measured) {
  const DeviceList list = query_devices(installation.programs);
  std::vector<Listed> devices = listed_devices(list, options);
  if (!measured.empty())
    for (Listed& one : devices)
      if (one.device.uuid == measured.front().device_uuid)
        one.peaks = measured;
  add_kept(devices, options);
  if (options.json)
    print(json_of(devices));
  if (devices.empty())
    throw CommandFailed(exit_no_device, "no CUDA device: " + list.reason);
  if (!options.json)
    print(text_of(devices, terminal_of(STDOUT_FILENO).width));
}

/// @throws CommandFailed where nothing was measured, or a stop came
MeasuredPeaks measure(const DevicesOptions& options) {
  const Interrupts interrupts; // before any thread
  ProgressLine line(stderr_is_terminal() && !options.json);
  const PeakSettings settings{.device = options.device.value_or(0),
                              .store =
                                  options.no_store ? std::nullopt : std::optional(options.store),
                              .helpers = options.helpers};
  const PeakListener listener{
      .progress =
          [&](std::string_view name, std::size_t done, std::size_t count) {
            line.show(fmt::format("measuring peak {} of {}: {}", done + 1, count, name));
          },
      .note = note};
  MeasuredPeaks found;
  try {
    found = measure_peaks(settings, interrupts.token(), listener);
  } catch (const StoppedWaiting&) {
    throw CommandFailed(exit_interrupted, "interrupted before anything was measured");
  }
  line.clear();
  for (const MissingPeak& one : found.missing)
    note(fmt::format("peak {} is left out: {}", one.name, one.reason));
  if (interrupts.token().stop_requested())
    throw CommandFailed(exit_interrupted, fmt::format("interrupted: {} measured{}",
                                                      counted(found.peaks.size(), "peak"),
                                                      options.no_store ? "" : ", and kept"));
  if (found.peaks.empty())
    throw CommandFailed(exit_failed, "no peak could be measured");
  return found;
}

} // namespace

void add_devices_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("devices", "List the CUDA devices, their limits and their measured peaks");
  command->footer(
      "Example:\n"
      "  gridsmith devices --measure\n"
      "\n"
      "--measure takes about ten seconds. It stores the peaks and replaces earlier ones of that "
      "board. 'devices' then shows them with the device's facts, and 'tune' adds them to its "
      "answers.\n"
      "\n"
      "Exit code 3 when there is no device.");
  const auto options = std::make_shared<DevicesOptions>();
  options->helpers.installation = installation;
  command->add_flag("--json", options->json, "All facts and peaks as JSON");
  add_gpu_option(*command, options->device,
                 "Number of the CUDA device; default: all; with --measure: the first");
  CLI::Option* measuring = command->add_flag(
      "--measure", options->measure, "Measure the device's peaks: bandwidths, rates, latencies");
  command->add_option("--store", options->store, "SQLite file with the peaks")
      ->default_str("gridsmith.db")
      ->type_name("FILE");
  command->add_flag("--no-store", options->no_store, "Use no store: neither read nor write peaks")
      ->excludes("--store");
  add_share_option(*command, options->helpers)->needs(measuring);
  add_unconfined_option(*command, options->helpers,
                        "Run compiler and worker without a sandbox, for a driver that needs it")
      ->needs(measuring);
  command->callback([command, options, &installation] {
    options->store_asked = command->count("--store") > 0;
    list_devices(*options, installation, options->measure ? measure(*options).peaks : Peaks{});
  });
}

} // namespace gridsmith
