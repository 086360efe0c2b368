// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/hardware/doctor_counters.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/surroundings.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

CounterProbe not_asked(const std::string& why) {
  return {.code = std::nullopt, .message = why};
}

CounterProbe probe_in(const ProgramOutput& output) {
  if (output.ended.starts_with(
          "ended with exit code 127:")) // of the loader: the worker has no such code
    return {.code = std::nullopt, .message = "", .starts = false};
  const Json said = Json::parse(well_formed(output.text), nullptr, false);
  if (!output.good || !said.is_object() || !said.contains("code"))
    return not_asked("the GPU worker " + output.ended);
  CounterProbe probe = not_asked(printable(said.value("message", "")));
  if (said["code"].is_number_integer())
    probe.code = said["code"].get<int>();
  return probe;
}

CounterProbe probe_by(const fs::path& worker, int ordinal) {
  if (!fs::exists(worker))
    return not_asked("built without a CUDA toolkit, so there is no GPU worker");
  try {
    return probe_in(
        run_program(worker, {"--counters", std::to_string(ordinal)}, std::chrono::seconds(30)));
  } catch (const std::exception& error) {
    return not_asked(error.what());
  }
}

/// Not while another Gridsmith counts there: one would take the counters of the other.
CounterProbe probe_undisturbed(const fs::path& worker, const Device& device) {
  GpuLock lock(gpu_lock_folder(), device.uuid);
  try {
    if (!lock.take())
      return not_asked(lock.holder() + " measures on this GPU; ask again when it has ended");
  } catch (const Error&) { // tuning goes on without a lock, too
  }
  return probe_by(worker, device.ordinal);
}

void add(std::vector<CounterFinding>& findings, CounterFinding finding) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const CounterFinding& one) {
    return one.answer.state == finding.answer.state && one.probe.message == finding.probe.message &&
           one.probe.code == finding.probe.code;
  });
  if (same == findings.end())
    findings.push_back(std::move(finding));
  else
    same->devices.insert(same->devices.end(), finding.devices.begin(), finding.devices.end());
}

} // namespace

std::vector<CounterFinding> examine_counters(const fs::path& helpers,
                                             const std::vector<Device>& devices,
                                             const fs::path& system) {
  Surroundings here = read_surroundings(system, own_environment());
  const fs::path worker = helpers / "gridsmith-worker";
  here.worker = worker.string();
  here.gpu = !devices.empty();
  for (const Device& device : devices)
    here.mig = here.mig || device.name.find(" MIG ") != std::string::npos;
  std::vector<CounterFinding> findings;
  for (const Device& device : devices) {
    CounterProbe probe = probe_undisturbed(worker, device);
    CounterAnswer answer = counter_answer(probe, here);
    add(findings, {{device.ordinal}, std::move(probe), std::move(answer)});
  }
  if (devices.empty()) {
    CounterProbe probe = probe_by(worker, 0);
    CounterAnswer answer = counter_answer(probe, here);
    findings.push_back({{}, std::move(probe), std::move(answer)});
  }
  return findings;
}

std::string counters_text(const std::vector<CounterFinding>& findings, std::size_t column,
                          std::size_t width) {
  std::string text;
  for (const CounterFinding& finding : findings) {
    const std::string where =
        findings.size() > 1 ? fmt::format("device {}: ", fmt::join(finding.devices, ", ")) : "";
    text += two_columns(text.empty() ? "counters" : "", where + printable(finding.answer.diagnosis),
                        column, width);
    for (const Remedy& remedy : finding.answer.remedies) {
      text += two_columns("", "- " + remedy.what, column, width);
      for (const std::string& line : remedy.lines)
        text += std::string(column + 4, ' ') + printable(line) + '\n';
    }
  }
  return text;
}

Json counters_json(const std::vector<CounterFinding>& findings) {
  Json list = Json::array();
  for (const CounterFinding& finding : findings) {
    Json remedies = Json::array();
    for (const Remedy& remedy : finding.answer.remedies)
      remedies.push_back({{"what", remedy.what}, {"lines", remedy.lines}});
    list.push_back({{"devices", finding.devices},
                    {"state", std::string(to_text(finding.answer.state))},
                    {"cupti_error", or_null(finding.probe.code)},
                    {"message", finding.probe.message},
                    {"diagnosis", finding.answer.diagnosis},
                    {"remedies", remedies}});
  }
  return list;
}

} // namespace gridsmith
