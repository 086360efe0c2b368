// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/device_list.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <system_error>

namespace gridsmith {
namespace {

constexpr auto query_limit = std::chrono::seconds(30);
constexpr int library_missing = 127; // exit code of the loader, which also prints a line each time

/// Once more where something outside may have ended it: a device is not to be missed for that.
ProgramOutput asked(const std::filesystem::path& program) {
  const auto begun = std::chrono::steady_clock::now();
  ProgramOutput output = run_program(program, {"--devices"}, query_limit);
  const bool in_time = std::chrono::steady_clock::now() - begun < query_limit;
  if (output.good || !in_time || output.exit_code == library_missing)
    return output;
  return run_program(program, {"--devices"}, query_limit);
}

} // namespace

const Device& DeviceList::at(int number, const std::string& instead) const {
  if (devices.empty())
    throw NoSuchDevice(
        fmt::format("no CUDA device here ({}){}{}", reason, instead.empty() ? "" : "; ", instead));
  if (number < 0 || static_cast<std::size_t>(number) >= devices.size())
    throw NoSuchDevice(
        fmt::format("no device {}; there are devices 0 to {}", number, devices.size() - 1));
  return devices[static_cast<std::size_t>(number)];
}

DeviceList query_devices(const std::filesystem::path& helpers) {
  const auto program = helpers / "gridsmith-worker";
  if (!std::filesystem::exists(program))
    return {{}, "built without a CUDA toolkit, so there is no GPU worker"};
  ProgramOutput output;
  DeviceList list;
  try {
    output = asked(program);
    const auto json = json_of_text(well_formed(output.text));
    read_fields(json.at("devices"), list.devices);
    json.at("reason").get_to(list.reason);
    if (const auto users = json.find("users"); users != json.end())
      for (const auto& [uuid, of_one] : users->items())
        list.users[uuid] = gpu_users_in(of_one);
  } catch (const HelperError& error) {
    list.reason = error.what();
  } catch (const std::system_error& error) { // no process, no descriptor
    list.reason = error.what();
  } catch (const std::exception&) {
    list.reason = "the GPU worker " + output.ended;
  }
  if (list.devices.empty() && list.reason.empty())
    list.reason = "no CUDA device";
  return list;
}

} // namespace gridsmith
