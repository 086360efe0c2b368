// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/tune_all.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/course.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/tuning/tune_output.hpp"
#include "gridsmith/tuner/guard/baseline_save.hpp"
#include "gridsmith/tuner/presentation/shipping_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr const char* baseline_ending = ".baseline.json"; // after the device's name

/// What has a best, for formats that need one.
std::vector<Export> with_best(const AllTuned& tuned) {
  std::vector<Export> exports = tuned.exported();
  std::erase_if(exports, [](const Export& one) { return !has_best(one); });
  return exports;
}

/// The folder for the files, which is made before hours of work and leaves nothing behind where
/// nothing came of it.
class OutputFolder {
public:
  explicit OutputFolder(const fs::path& folder) {
    std::error_code error;
    for (fs::path one = fs::absolute(folder, error); !one.empty() && !fs::exists(one, error);
         one = one.parent_path())
      made_.push_back(one);
    fs::create_directories(folder, error);
    if (error)
      throw InputError(fmt::format("{}: this folder cannot be made: {}", printable(folder.string()),
                                   error.message()));
  }

  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  ~OutputFolder() {
    std::error_code error; // remove() takes no folder that holds something
    for (const fs::path& one : made_)
      fs::remove(one, error);
  }

private:
  std::vector<fs::path> made_; ///< the deepest first
};

/// A header that was changed by hand, or a damaged baseline, is known before hours of work.
void check_folder(const fs::path& folder) {
  std::error_code error;
  check_writable(folder / "summary.md");
  for (const auto& entry : entries_of(folder, error))
    if (entry.path().extension() == ".hpp")
      try {
        read_header(read_unpacked(entry.path()));
      } catch (const InputError& wrong) {
        throw InputError(fmt::format("{}: {}", entry.path().string(), wrong.what()));
      }
    else if (entry.path().string().ends_with(baseline_ending))
      read_baseline(entry.path());
}

/// The device's name is known too late: no file of ours there is written twice.
void check_outside(const fs::path& folder, const std::vector<OutputFile>& writes) {
  std::error_code error;
  for (const OutputFile& output : writes) {
    const fs::path file = output.file;
    const bool ours = file.extension() == ".hpp" || file.extension() == ".md" ||
                      output.file.ends_with(baseline_ending);
    if (ours && fs::equivalent(fs::absolute(file).parent_path(), folder, error))
      throw InputError(
          fmt::format("{} {}: --into {} writes files of this name; choose another folder",
                      output.option, printable(output.file), printable(folder.string())));
  }
}

/// What `gridsmith check` compares with; of replays there is none, as their binaries are not here.
void write_shipped_baseline(const TuneAllWishes& wishes, const AllTuned& tuned,
                            const fs::path& file, const std::stop_token& stop) {
  std::vector<const Outcome*> outcomes;
  for (const KernelTuned& kernel : tuned.kernels)
    for (const ProblemTuned& one : kernel.problems)
      outcomes.push_back(&one.outcome);
  const std::vector<BaselineEntry> made =
      tuned_entries(outcomes, {.session = wishes.settings.session, .baseline = file}, stop);
  if (made.empty())
    return;
  std::error_code error;
  Baseline baseline = fs::exists(file, error) ? read_baseline(file) : Baseline{};
  put_entries(baseline, made);
  write_baseline(file, baseline);
  if (!wishes.quiet)
    tell_written(file);
}

/// A file each, of the device's name, so that people with different devices change different files.
void write_shipped(const TuneAllWishes& wishes, const AllTuned& tuned,
                   const std::stop_token& stop) {
  const std::vector<Export> exports = with_best(tuned);
  if (exports.empty() && tuned.stopped)
    return; // end() says it
  if (exports.empty())
    throw CommandFailed(exit_failed, "no configuration gave a correct result");
  const std::string name = device_identifier(exports.front().recording.device.name);
  const fs::path header = wishes.into / (name + ".hpp");
  std::error_code error;
  std::vector<Shipment> previous;
  if (fs::exists(header, error))
    previous = read_header(read_unpacked(header));
  const std::pair<fs::path, std::string> files[] = {
      {header, header_text(exports, previous)},
      {wishes.into / (name + ".md"), all_markdown(tuned)},
  };
  for (const auto& [file, text] : files)
    write_output(file, text, wishes.quiet);
  for (const OutputFile& output : wishes.writes)
    write_output(output.file, export_text(export_format(output.format), exports), wishes.quiet);
  if (!tuned.stopped)
    write_shipped_baseline(wishes, tuned, wishes.into / (name + baseline_ending), stop);
}

void check_formats(const TuneAllWishes& wishes) {
  for (const OutputFile& output : wishes.writes)
    if (export_format(output.format).holds == Holds::one)
      throw InputError(fmt::format("format '{0}' holds one size of one kernel; 'gridsmith export "
                                   "{0}' writes one of them from the store",
                                   output.format));
}

/// What a script must not take for success.
void end(const AllTuned& tuned, const SessionSettings& settings) {
  if (tuned.stopped)
    throw CommandFailed(exit_interrupted, "interrupted; the same command continues");
  const auto failed = std::count_if(tuned.kernels.begin(), tuned.kernels.end(),
                                    [](const KernelTuned& one) { return !one.failed.empty(); });
  if (failed > 0)
    throw CommandFailed(exit_failed, fmt::format("{} of {} kernels could not be tuned completely",
                                                 failed, tuned.kernels.size()));
  for (const KernelTuned& kernel : tuned.kernels)
    for (const ProblemTuned& one : kernel.problems) {
      check_stored(settings, one.outcome);
      if (const std::string why = shortfall(one.outcome); !why.empty())
        throw CommandFailed(
            exit_failed, fmt::format("{} {}: {}", kernel.kernel, one.outcome.subject.problem, why));
    }
}

} // namespace

void tune_all_kernels(const CLI::App& command, const TuneAllWishes& wishes) {
  check_outputs(command, wishes.writes, wishes.json);
  check_formats(wishes);
  const OutputFolder folder(wishes.into);
  check_folder(wishes.into);
  check_outside(wishes.into, wishes.writes);
  const Interrupts interrupts; // before any thread
  ProgressLine line(stderr_is_terminal() && !wishes.quiet && !wishes.json);
  const AllTuned tuned =
      tune_all(wishes.settings, interrupts.token(), listener_of(line, wishes.verbose));
  line.clear();
  if (wishes.json)
    print(json_text(all_json(tuned), 2) + "\n");
  else if (!wishes.quiet && !takes_standard_output(files_of(wishes.writes)))
    print(all_text(tuned, terminal_of(STDOUT_FILENO)));
  finish_output();
  write_shipped(wishes, tuned, interrupts.token());
  end(tuned, wishes.settings.session);
}

} // namespace gridsmith
