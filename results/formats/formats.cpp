// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/formats.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>

namespace gridsmith {

// Each is defined in the file of its name.
std::string recording_text(const Recording& recording);
std::string t4_text(const Export& exported);
std::string csv_text(std::span<const Export> exports);
std::string kernel_tuner_text(const Recording& recording);
std::string answers_text(std::span<const Export> exports);
std::string macros_text(std::span<const Export> exports);
std::string cmake_cache_text(std::span<const Export> exports);
std::string wisdom_text(std::span<const Export> exports);
std::string per_device_text(std::span<const Export> exports);

namespace {

const Measurement* row_of(const std::vector<Measurement>& rows, const Configuration& wanted) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Measurement& one) {
    return one.configuration == wanted;
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Of the answer as it was, or of the rows.
const Measurement* find_best(const Export& exported) {
  const Answer answer = answer_of(exported);
  if (answer.found_by.unconfirmed)
    return nullptr;
  for (const Ranked& one : answer.ranking) {
    const Configuration& wanted = one.measurement.configuration;
    if (!cost_ms(one.measurement))
      continue;
    if (exported.answer)
      for (const Ranked& held : exported.answer->ranking)
        if (held.measurement.configuration == wanted)
          return &held.measurement;
    return row_of(exported.recording.measurements, wanted);
  }
  return nullptr;
}

} // namespace

bool has_best(const Export& exported) {
  return find_best(exported) != nullptr;
}

const Measurement& best_of(const Export& exported) {
  if (const Measurement* best = find_best(exported))
    return *best;
  const Recording& of = exported.recording;
  throw InputError("nothing to export for kernel '" + of.kernel + "', problem '" + of.problem +
                   "' on '" + of.device.name + "': " + why_no_best(exported));
}

std::string why_no_best(const Export& exported) {
  if (has_best(exported))
    return "";
  const Answer answer = answer_of(exported);
  if (answer.found_by.unconfirmed)
    return not_confirmed_because(answer, exported.recording.measurements,
                                 board_of(exported.recording));
  const auto& rows = exported.recording.measurements;
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const auto& one) { return one.correct(); });
  return any ? "nothing has a time" : "no configuration is correct";
}

Export by_time(Export exported) {
  if (exported.answer &&
      !objective_of(exported.answer->found_by, exported.recording.device).by_time)
    exported.answer.reset();
  return exported;
}

bool is_replay(const Export& exported) {
  return exported.recording.source_hash.starts_with(replayed_prefix) ||
         (exported.answer && !exported.answer->found_by.recording.empty());
}

const std::vector<FormatEntry>& export_formats() {
  const auto one = [](auto text) {
    return [text](std::span<const Export> exports) { return text(exports.front().recording); };
  };
  static const std::vector<FormatEntry> formats = {
      {"recording", "everything measured, one row a line; serves as the device elsewhere",
       "\"gridsmith recording\"", Holds::one, one(recording_text), false, false, true},
      {"t4", "T4 results (schema 1.0.0) for the community's tools", "gridsmith==", Holds::one,
       [](std::span<const Export> exports) { return t4_text(exports.front()); }, false, true, true},
      {"kernel-tuner", "Kernel Tuner's cache file: simulation mode and dashboard open it",
       ",\n\"kernel_name\": ", Holds::one, one(kernel_tuner_text), false, true, true},
      {"csv", "one row per configuration for spreadsheets and scripts", "kernel,device,problem,",
       Holds::several, csv_text},
      {"json", "the answers, as 'tune --json' prints one", "\"gridsmith-answer", Holds::several,
       answers_text},
      {"per-device", "JSON with the best configuration per device name, kernel and problem",
       "\"gridsmith-per-device-", Holds::several_best, per_device_text},
      {"wisdom", "Kernel Launcher's wisdom file of one kernel", "\"environment\":{\"date\":\"",
       Holds::several_best, wisdom_text, false, true, true},
      {"cmake", "CMake script that presets a cache (cmake -C), each kernel once",
       "# Tuned by Gridsmith.", Holds::several_best, cmake_cache_text},
      {"macros", "-D options of the best configuration, one a line, for compilers and shells",
       "^-D", Holds::several_best, macros_text},
      {"header", "C++17 header that chooses what is valid and fast at any problem size",
       "// gridsmith header ", Holds::several_best,
       [](std::span<const Export> exports) { return header_text(exports, {}); }, true, false, true},
  };
  return formats;
}

bool has_mark(std::string_view text, std::string_view mark) {
  if (mark.starts_with('^'))
    return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()))
        .starts_with(mark.substr(1));
  return !mark.empty() && text.find(mark) != text.npos;
}

const FormatEntry& export_format(std::string_view name) {
  return entry_named(name, export_formats(), "format");
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
