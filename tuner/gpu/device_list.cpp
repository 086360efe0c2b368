#include "gridsmith/tuner/gpu/device_list.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

namespace gridsmith {

DeviceList query_devices(const std::filesystem::path& helpers) {
  const auto program = helpers / "gridsmith-worker";
  if (!std::filesystem::exists(program))
    return {{}, "built without a CUDA toolkit, so there is no GPU worker"};
  ProgramOutput output;
  DeviceList list;
  try {
    output = run_program(program, {"--devices"}, std::chrono::seconds(30));
    const auto json = nlohmann::json::parse(output.text);
    read_fields(json.at("devices"), list.devices);
    json.at("reason").get_to(list.reason);
  } catch (const HelperError& error) {
    list.reason = error.what();
  } catch (const std::exception&) {
    list.reason = "the GPU worker " + output.ended;
  }
  if (list.devices.empty() && list.reason.empty())
    list.reason = "no CUDA device";
  return list;
}

} // namespace gridsmith
