#include "gridsmith/results/formats/formats.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>

namespace gridsmith {

// Each is defined in the file of its name.
std::string recording_text(const Recording& recording);
std::string t4_text(const Recording& recording);
std::string csv_text(std::span<const Export> exports);
std::string kernel_tuner_text(const Recording& recording);
std::string answers_text(std::span<const Export> exports);
std::string macros_text(std::span<const Export> exports);
std::string cmake_cache_text(std::span<const Export> exports);
std::string wisdom_text(std::span<const Export> exports);
std::string per_device_text(std::span<const Export> exports);

bool has_best(const Export& exported) {
  const auto& all = exported.recording.measurements;
  return std::any_of(all.begin(), all.end(),
                     [](const Measurement& one) { return cost_ms(one).has_value(); });
}

const Measurement& best_of(const Export& exported) {
  if (exported.answer)
    for (const Ranked& finalist : exported.answer->ranking)
      if (cost_ms(finalist.measurement))
        return finalist.measurement;
  const auto& all = exported.recording.measurements;
  if (const auto ranking = rank_as_measured(all); !ranking.empty())
    return *std::find_if(all.begin(), all.end(), [&](const Measurement& one) {
      return one.configuration == ranking.front().measurement.configuration;
    });
  const Measurement* best = nullptr; // of files that give one number without samples
  const auto before = [](const Measurement& a, const Measurement& b) {
    return a.pruned_early != b.pruned_early ? b.pruned_early : *cost_ms(a) < *cost_ms(b);
  };
  for (const Measurement& measurement : all)
    if (cost_ms(measurement) && (!best || before(measurement, *best)))
      best = &measurement;
  if (!best)
    throw InputError("nothing to export for kernel '" + exported.recording.kernel + "', problem '" +
                     exported.recording.problem + "' on '" + exported.recording.device.name +
                     "': no configuration is correct");
  return *best;
}

const std::vector<FormatEntry>& export_formats() {
  const auto one = [](auto text) {
    return [text](std::span<const Export> exports) { return text(exports.front().recording); };
  };
  static const std::vector<FormatEntry> formats = {
      {"recording", "everything measured, one row a line; serves as the device elsewhere",
       Holds::one, one(recording_text)},
      {"t4", "T4 results (schema 1.0.0) for the community's tools", Holds::one, one(t4_text)},
      {"kernel-tuner", "Kernel Tuner's cache file: simulation mode and dashboard open it",
       Holds::one, one(kernel_tuner_text)},
      {"csv", "one row per configuration for spreadsheets and scripts", Holds::several, csv_text},
      {"json", "the answers, as 'tune --json' prints one", Holds::several, answers_text},
      {"per-device", "JSON with the best configuration per device name, kernel and problem",
       Holds::several_best, per_device_text},
      {"wisdom", "Kernel Launcher's wisdom file of one kernel", Holds::several_best, wisdom_text},
      {"cmake", "CMake script that presets a cache (cmake -C), each kernel once",
       Holds::several_best, cmake_cache_text},
      {"macros", "-D options of the best configuration, one a line, for compilers and shells",
       Holds::several_best, macros_text},
      {"header", "C++17 header that chooses what is valid and fast at any problem size",
       Holds::several_best,
       [](std::span<const Export> exports) { return header_text(exports, {}); }, true},
  };
  return formats;
}

const FormatEntry& export_format(std::string_view name) {
  std::vector<std::string> names;
  for (const FormatEntry& format : export_formats()) {
    if (format.name == name)
      return format;
    names.push_back(format.name);
  }
  throw InputError(unknown_name("format", name, names));
}

std::string export_text(const FormatEntry& format, std::span<const Export> exports) {
  if (exports.empty())
    throw InputError("nothing to export: no records match");
  if (exports.size() > 1 && format.holds == Holds::one)
    throw InputError("format '" + format.name + "' holds one device and problem, " +
                     std::to_string(exports.size()) + " match; name the device and the problem");
  return format.text(exports);
}

void write_export(const FormatEntry& format, std::span<const Export> exports,
                  const std::filesystem::path& file) {
  write_packed(file, export_text(format, exports));
}

void write_recording(const Recording& recording, const std::filesystem::path& file) {
  write_packed(file, recording_text(recording));
}

} // namespace gridsmith
