// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/hardware/doctor_counters.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

/// What a helper says of itself; "error" says why it does not.
Json ask(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  if (!std::filesystem::exists(program))
    return {{"error", "built without a CUDA toolkit"}};
  try {
    const ProgramOutput output = run_program(program, arguments, 30s);
    const Json said = Json::parse(output.text, nullptr, false);
    return said.is_object() ? said : Json{{"error", program.string() + " " + output.ended}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

/// It, or the nearest folder above it that exists, where it would be made.
bool can_be_written(std::filesystem::path folder) {
  std::error_code error;
  while (!folder.empty() && !std::filesystem::exists(folder, error) &&
         folder != folder.parent_path())
    folder = folder.parent_path();
  return !folder.empty() && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

struct Diagnosis {
  Json compiler, nvcc, worker; ///< the compiler alone, and started with nvcc
  DeviceList devices;
  std::vector<CounterFinding> counters;
  std::vector<std::string> left_clocks; ///< one line each
  std::filesystem::path cache;
  std::size_t recorded = 0; ///< kernels of the catalogue
};

Diagnosis examine(const Installation& installation, const std::filesystem::path& system) {
  const RunFolder folder;
  Diagnosis found;
  found.compiler = ask(installation.programs / "gridsmith-compiler",
                       {"--run-folder", folder.path().string(), "--check"});
  try {
    const NvccPrograms programs = find_nvcc(std::nullopt);
    found.nvcc = ask(installation.programs / "gridsmith-compiler",
                     {"--run-folder", folder.path().string(), "--nvcc", programs.nvcc.string(),
                      "--host-compiler", programs.host.string(), "--check"});
  } catch (const HelperError& error) {
    found.nvcc = {{"error", error.what()}};
  }
  found.devices = query_devices(installation.programs); // without a wall
  found.worker = ask(installation.programs / "gridsmith-worker", {"--check"});
  for (const Device& device : found.devices.devices)
    if (const auto mhz = left_clock(gpu_lock_folder(), device.uuid))
      found.left_clocks.push_back(fmt::format(
          "device {} was left locked at {} MHz by a Gridsmith that was killed; the next "
          "that measures on it restores it, or 'nvidia-smi -rgc' as root",
          device.ordinal, *mhz));
  found.counters = examine_counters(installation.programs, found.devices.devices, system);
  found.cache = default_cache_folder();
  for (const auto& file : catalogue(installation.catalogue))
    found.recorded += std::filesystem::exists(file.parent_path() / "recordings");
  return found;
}

std::string text_of(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Of definitions with "Compiler": "nvcc".
std::string nvcc_text(const Diagnosis& found) {
  const std::string version = text_of(found.nvcc, "nvcc"),
                    wrong = text_of(found.nvcc, "nvcc_error");
  if (version.empty())
    return "none: " + text_of(found.nvcc, "error");
  const std::string known = version.substr(0, version.find(';'));
  return wrong.empty()
             ? known + ": a file with host code compiles, " + text_of(found.nvcc, "confinement")
             : known + ": a file with host code does not compile: " + wrong;
}

bool compiles(const Diagnosis& found) {
  return text_of(found.compiler, "error").empty();
}

/// How tuning runs; "" when it cannot.
std::string tuning(const Diagnosis& found) {
  if (!found.devices.devices.empty())
    return compiles(found) ? "on the GPU" : "";
  return found.recorded > 0 ? "on recordings" : "";
}

std::string device_text(const Diagnosis& found) {
  std::string text;
  for (const Device& device : found.devices.devices)
    text += fmt::format("{}{} ({}.{})", text.empty() ? "" : ", ", device.name,
                        device.compute_capability / 10, device.compute_capability % 10);
  if (text.empty())
    return "none: " + found.devices.reason;
  if (found.worker.value("devices", 0) == 0)
    text += "; the sandboxed worker sees none of them, so tune with --unconfined: " +
            text_of(found.worker, "reason");
  return text;
}

std::string or_else(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

/// In the order of the lines: what, and how it is.
std::vector<std::pair<std::string, std::string>> lines_of(const Diagnosis& found) {
  const Json& compiler = found.compiler;
  const std::string error = text_of(compiler, "error"), nvrtc = text_of(compiler, "nvrtc");
  const std::string unknown = "not known: " + error;
  std::vector<std::pair<std::string, std::string>> lines = {
      {"NVRTC", nvrtc.empty() ? "none: " + error : nvrtc + ", " + text_of(compiler, "library")},
      {"headers", nvrtc.empty() ? unknown : or_else(text_of(compiler, "headers"), "none found")},
      {"trial", error.empty()
                    ? fmt::format("a kernel with a header of the toolkit compiles in {:.0f} ms",
                                  compiler.value("ms", 0.0))
                    : "fails: " + error},
      {"reads", error.empty() ? or_else(text_of(compiler, "unseen"),
                                        "only its source and the toolkit's headers")
                              : unknown},
      {"compiler", or_else(text_of(compiler, "confinement"), unknown)},
      {"nvcc", nvcc_text(found)},
      {"worker", or_else(text_of(found.worker, "confinement"),
                         "not known: " + text_of(found.worker, "error"))},
      {"devices", device_text(found)},
      {"cache", found.cache.empty()
                    ? "none: neither XDG_CACHE_HOME nor HOME is set"
                    : found.cache.string() + (can_be_written(found.cache) ? ", can be written"
                                                                          : ", cannot be written")},
      {"recordings", fmt::format("of {} kernels", found.recorded)},
      {"tuning", or_else(tuning(found), "cannot run")}};
  if (!found.left_clocks.empty())
    lines.emplace_back("clocks", fmt::format("{}", fmt::join(found.left_clocks, "; ")));
  return lines;
}

class DoctorCommand final : public Command {
public:
  DoctorCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  bool json_ = false;
  std::filesystem::path system_ = "/";
};

DoctorCommand::DoctorCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "doctor",
              "Check this machine: toolkit, GPU, sandbox, and how to make counters readable") {
  line_.footer(
      "Example:\n  gridsmith doctor\n\nExit code 0 when tuning can run, on a GPU or on recordings; else 1.");
  add_json_option(line_, json_);
  line_
      .add_option("--system", system_,
                  "Read the driver's options, capabilities and containers (/proc, /run) below "
                  "this folder instead of /")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
}

void DoctorCommand::run() {
  const Diagnosis found = examine(installation_, system_);
  if (json_) {
    Json object = Json::object();
    for (const auto& [what, how] : lines_of(found))
      object[what] = how;
    object["counters"] = counters_json(found.counters);
    print(json_text(object, 2) + "\n");
  } else {
    constexpr std::size_t column = 12;
    const std::size_t width = terminal_of(STDOUT_FILENO).width;
    for (const auto& [what, how] : lines_of(found))
      print(two_columns(what, how, column, width));
    print(counters_text(found.counters, column, width));
  }
  if (tuning(found).empty())
    throw CommandFailed(exit_failed, found.devices.devices.empty()
                                         ? "there is neither a GPU nor a recording to replay"
                                         : "there is a GPU, but nothing can be compiled for it");
}

} // namespace

extern const AddCommand add_doctor_command = add_command<DoctorCommand>;

} // namespace gridsmith
