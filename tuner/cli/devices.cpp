#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

std::string mib(std::int64_t bytes) {
  return number_text(static_cast<double>(bytes) / (1 << 20));
}

std::string table(const std::vector<Device>& devices) {
  Table table({{"#", ""},
               {"name", "", true},
               {"CC", ""},
               {"SMs", ""},
               {"SM clock", "MHz"},
               {"memory clock", "MHz"},
               {"memory", "MiB"},
               {"L2", "MiB"},
               {"DRAM peak", "GB/s"},
               {"threads/block", ""},
               {"threads/SM", ""},
               {"regs/SM", ""},
               {"smem/SM", "KiB"},
               {"smem/block", "KiB"},
               {"chip", "", true},
               {"driver", ""}});
  for (const Device& d : devices)
    table.add({fmt::format("{}", d.ordinal), d.name,
               fmt::format("{}.{}", d.compute_capability / 10, d.compute_capability % 10),
               fmt::format("{}", d.sm_count), fmt::format("{}", d.sm_clock_khz / 1000),
               fmt::format("{}", d.memory_clock_khz / 1000), mib(d.memory_bytes), mib(d.l2_bytes),
               number_text(d.peak_dram_gb_per_s), fmt::format("{}", d.max_threads_per_block),
               fmt::format("{}", d.max_threads_per_sm), fmt::format("{}", d.registers_per_sm),
               fmt::format("{}", d.shared_bytes_per_sm / 1024),
               fmt::format("{}", d.shared_bytes_per_block_optin / 1024), d.chip, d.driver_version});
  return table.text();
}

} // namespace

void add_devices_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("devices", "List the CUDA devices and their limits");
  command->footer("\nExit code 3 when there is none.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "All facts as JSON");
  command->callback([json, &installation] {
    const DeviceList list = query_devices(installation.helpers);
    if (*json)
      print(json_text(fields::written(list.devices, Fields::changed), 2) + "\n");
    if (list.devices.empty())
      throw CommandFailed(exit_no_device, "no CUDA device: " + list.reason);
    if (!*json)
      print(table(list.devices));
  });
}

} // namespace gridsmith
