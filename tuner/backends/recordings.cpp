// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/backends/recordings.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tuner/gpu/no_such_device.hpp"
#include "gridsmith/tuner/processes/ncu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gridsmith {
namespace {

constexpr const char* as_it_is = "; omit the kernel to replay the recording alone";

/// By the definition's name; foreign tools name the function, which several definitions may share.
bool is_of(const Recording& recording, const KernelDefinition& definition) {
  return recording.kernel.empty() || recording.kernel == definition.name ||
         (recording.format != "gridsmith" &&
          recording.kernel == definition.kernel.substr(0, definition.kernel.find_first_of("<(")));
}

} // namespace

Recording open_recording(const std::filesystem::path& file) {
  try {
    return read_recording(file);
  } catch (const InputError&) {
    if (!is_ncu_report(file) && !is_profile(file))
      throw;
  }
  throw InputError(file.string() + ": is a profile; 'gridsmith export recording " + file.string() +
                   " --kernel NAME' makes a recording of one of its kernels");
}

void check_recording(const Recording& recording, const std::filesystem::path& file,
                     const KernelDefinition& definition, std::span<const ProblemSize> problems) {
  if (!is_of(recording, definition))
    throw InputError(fmt::format("{}: is of kernel '{}', not '{}'{}", file.string(),
                                 recording.kernel, definition.name, as_it_is));
  const bool sized = !extents_of(recording.problem).empty();
  if (!sized && recording.format == "gridsmith" && !recording.problem.empty())
    throw InputError(fmt::format("{}: its problem '{}' is no size: expected 1 to 3 positive "
                                 "integers joined by x, such as 8192x8192{}",
                                 file.string(), recording.problem, as_it_is));
  if (!sized)
    return;
  for (const ProblemSize& problem : problems)
    if (to_text(problem) != recording.problem)
      throw InputError(fmt::format("{}: is of {} {}, not {}{}", file.string(), definition.name,
                                   recording.problem, to_text(problem), as_it_is));
}

std::filesystem::path find_recording(const std::filesystem::path& catalogue,
                                     const KernelDefinition& definition, const std::string& problem,
                                     const std::string& because) {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> of_kernel;
  std::error_code error;
  const std::filesystem::path folder = catalogue / definition.name;
  if (!std::filesystem::equivalent(definition.file.parent_path(), folder, error))
    throw NoSuchDevice(fmt::format(
        "no CUDA device here ({}), and recordings are shipped of the catalogue's kernels only; "
        "'tune --recording FILE' replays one",
        because));
  for (const auto& entry : entries_of(folder / "recordings", error)) {
    const std::string name = entry.path().filename().string();
    of_kernel.push_back(name.substr(0, name.find("__")));
    if (of_kernel.back() == problem)
      files.push_back(entry.path());
  }
  if (!files.empty())
    return *std::min_element(files.begin(), files.end());
  std::sort(of_kernel.begin(), of_kernel.end());
  if (of_kernel.empty())
    throw NoSuchDevice(fmt::format(
        "no CUDA device here ({}), and no recording of '{}' is shipped; 'tune --recording FILE' "
        "replays one",
        because, definition.name));
  throw NoSuchDevice(fmt::format(
      "no CUDA device here ({}), and no recording of '{}' with size {} is shipped (recorded "
      "sizes: {})",
      because, definition.name, problem, fmt::join(of_kernel, ", ")));
}

} // namespace gridsmith
