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

#include <optional>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

/// A device with what is known of its peaks.
struct Listed {
  Device device;
  Peaks peaks;
};

/// Each with its peaks, and of each what the data sheet promises.
std::string json_of(const std::vector<Listed>& devices) {
  nlohmann::json list = nlohmann::json::array();
  for (const Listed& one : devices) {
    nlohmann::json device = fields::written(one.device, Fields::changed);
    nlohmann::json peaks = nlohmann::json::array();
    for (const Peak& peak : one.peaks) {
      nlohmann::json json = to_fields(peak);
      json["data_sheet"] = or_null(data_sheet_peak(peak.name, one.device));
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

class DevicesCommand final : public Command {
public:
  DevicesCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  Peaks measured_peaks() const;
  std::vector<Listed> listed_of(const DeviceList& list) const;
  void add_kept(std::vector<Listed>& devices) const;

  bool json_ = false, measure_ = false, no_store_ = false;
  HelperSettings helpers_ = {.installation = installation_};
  std::optional<int> device_;
  std::filesystem::path store_ = usual_store;
};

DevicesCommand::DevicesCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "devices",
              "List the CUDA devices, their limits and their measured peaks") {
  line_.footer(
      "Example:\n"
      "  gridsmith devices --measure\n"
      "\n"
      "--measure takes about ten seconds. It stores the peaks and replaces earlier ones of that "
      "board. 'devices' then shows them with the device's facts, and 'tune' adds them to its "
      "answers.\n"
      "\n"
      "Exit code 3 when there is no device.");
  add_json_option(line_, json_, "All facts and peaks as JSON");
  add_gpu_option(line_, device_,
                 "Number of the CUDA device; default: all; with --measure: the first");
  CLI::Option* measuring = line_.add_flag(
      "--measure", measure_, "Measure the device's peaks: bandwidths, rates, latencies");
  add_store_option(line_, store_, "SQLite file with the peaks");
  add_no_store_option(line_, no_store_, "Use no store: neither read nor write peaks");
  add_share_option(line_, helpers_)->needs(measuring);
  add_unconfined_option(line_, helpers_,
                        "Run compiler and worker without a sandbox, for a driver that needs it")
      ->needs(measuring);
}

/// @throws CommandFailed where nothing was measured, or a stop came
Peaks DevicesCommand::measured_peaks() const {
  const Interrupts interrupts; // before any thread
  ProgressLine progress(stderr_is_terminal() && !json_);
  const PeakListener listener{
      .progress =
          [&](std::string_view name, std::size_t done, std::size_t count) {
            progress.show(fmt::format("measuring peak {} of {}: {}", done + 1, count, name));
          },
      .note = note};
  MeasuredPeaks found;
  try {
    found = measure_peaks(device_.value_or(0), no_store_ ? std::nullopt : std::optional(store_),
                          helpers_, interrupts.token(), listener);
  } catch (const StoppedWaiting&) {
    throw CommandFailed(exit_interrupted, "interrupted before anything was measured");
  }
  progress.clear();
  for (const MissingPeak& one : found.missing)
    note(fmt::format("peak {} is left out: {}", one.name, one.reason));
  if (interrupts.token().stop_requested())
    throw CommandFailed(exit_interrupted, fmt::format("interrupted: {} measured{}",
                                                      counted(found.peaks.size(), "peak"),
                                                      no_store_ ? "" : ", and kept"));
  if (found.peaks.empty())
    throw CommandFailed(exit_failed, "no peak could be measured");
  return found.peaks;
}

/// Those that the command is about. @throws NoSuchDevice
std::vector<Listed> DevicesCommand::listed_of(const DeviceList& list) const {
  if (device_ && !list.devices.empty())
    return {{list.at(*device_), {}}};
  std::vector<Listed> devices;
  devices.reserve(list.devices.size());
  for (const Device& device : list.devices)
    devices.push_back({device, {}});
  return devices;
}

/// What the store holds; a store that was not named and that cannot be read costs no list.
void DevicesCommand::add_kept(std::vector<Listed>& devices) const {
  const bool named = line_.count("--store") > 0;
  std::error_code error;
  if (no_store_ || (!named && !std::filesystem::exists(store_, error)))
    return;
  try {
    const Store store = Store::open(store_, Store::Mode::read_only);
    for (Listed& one : devices)
      one.peaks = merged(std::move(one.peaks), store.kept_peaks(one.device));
  } catch (const Error& problem) {
    if (named)
      throw;
    note(fmt::format("{}; no peaks are shown", problem.what()));
  }
}

void DevicesCommand::run() {
  const Peaks measured = measure_ ? measured_peaks() : Peaks{};
  const DeviceList list = query_devices(installation_.programs);
  std::vector<Listed> devices = listed_of(list);
  if (!measured.empty())
    for (Listed& one : devices)
      if (one.device.uuid == measured.front().device_uuid)
        one.peaks = measured;
  add_kept(devices);
  if (json_)
    print(json_of(devices));
  if (devices.empty())
    throw CommandFailed(exit_no_device, "no CUDA device: " + list.reason);
  if (!json_)
    print(text_of(devices, terminal_of(STDOUT_FILENO).width));
}

} // namespace

extern const AddCommand add_devices_command = add_command<DevicesCommand>;

} // namespace gridsmith
