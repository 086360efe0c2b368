#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <span>

namespace gridsmith {
namespace {

std::string mib(std::int64_t bytes) {
  return number_text(static_cast<double>(bytes) / (1 << 20));
}

/// A fact and how it is for a device.
struct Fact {
  const char *name, *unit;
  std::string (*of)(const Device&);
};

std::string whole(std::int64_t value) {
  return fmt::format("{}", value);
}

constexpr std::array<Fact, 15> listed = {
    {{"name", "", [](const Device& d) { return d.name; }},
     {"compute capability", "",
      [](const Device& d) {
        return fmt::format("{}.{}", d.compute_capability / 10, d.compute_capability % 10);
      }},
     {"chip", "", [](const Device& d) { return d.chip; }},
     {"SMs", "", [](const Device& d) { return whole(d.sm_count); }},
     {"SM clock", "MHz", [](const Device& d) { return whole(d.sm_clock_khz / 1000); }},
     {"memory clock", "MHz", [](const Device& d) { return whole(d.memory_clock_khz / 1000); }},
     {"memory", "MiB", [](const Device& d) { return mib(d.memory_bytes); }},
     {"L2 cache", "MiB", [](const Device& d) { return mib(d.l2_bytes); }},
     {"DRAM peak", "GB/s", [](const Device& d) { return number_text(d.peak_dram_gb_per_s); }},
     {"threads per block", "", [](const Device& d) { return whole(d.max_threads_per_block); }},
     {"threads per SM", "", [](const Device& d) { return whole(d.max_threads_per_sm); }},
     {"registers per SM", "", [](const Device& d) { return whole(d.registers_per_sm); }},
     {"shared memory per SM", "KiB",
      [](const Device& d) { return whole(d.shared_bytes_per_sm / 1024); }},
     {"shared memory per block", "KiB",
      [](const Device& d) { return whole(d.shared_bytes_per_block_optin / 1024); }},
     {"driver", "", [](const Device& d) { return d.driver_version; }}}};

std::string table(std::span<const Device> devices) {
  std::vector<Column> heads = {{"device", "", true}, {"", "", true}};
  for (const Device& device : devices)
    heads.push_back({whole(device.ordinal), ""});
  Table table(heads);
  for (const Fact& fact : listed) {
    std::vector<std::string> cells = {fact.name, fact.unit};
    for (const Device& device : devices)
      cells.push_back(fact.of(device));
    table.add(std::move(cells));
  }
  return table.text();
}

/// As many devices beside each other as there is room for, the others below.
std::string tables(std::span<const Device> devices, std::size_t width) {
  std::string text;
  while (!devices.empty()) {
    std::size_t count = devices.size();
    while (count > 1 && widest_line(table(devices.first(count))) > width)
      --count;
    text += (text.empty() ? "" : "\n") + table(devices.first(count));
    devices = devices.subspan(count);
  }
  return text;
}

} // namespace

void add_devices_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("devices", "List the CUDA devices and their limits");
  command->footer("Example:\n  gridsmith devices --json\n\nExit code 3 when there is none.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "All facts as JSON");
  command->callback([json, &installation] {
    const DeviceList list = query_devices(installation.helpers);
    if (*json)
      print(json_text(fields::written(list.devices, Fields::changed), 2) + "\n");
    if (list.devices.empty())
      throw CommandFailed(exit_no_device, "no CUDA device: " + list.reason);
    if (!*json)
      print(tables(list.devices, terminal_of(STDOUT_FILENO).width));
  });
}

} // namespace gridsmith
