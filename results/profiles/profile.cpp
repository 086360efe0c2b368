// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/profile.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/base/utf16.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

constexpr const char* accepted =
    "expected a recording (JSON of Gridsmith, Kernel Tuner, T4, KTT or Kernel Launcher), a store or "
    "a header of Gridsmith's, or a profile: what "
    "'ncu --csv' (page raw or details), 'nvprof --csv' (metrics, GPU trace or summary) or "
    "'nsys stats --format csv' (cuda_gpu_kern_sum or cuda_gpu_trace) print, an SQLite export of "
    "nsys, or an .ncu-rep";

/// Reports in the tools' own formats, which only they read.
void refuse_reports(const std::string& name) {
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  if (ends(".ncu-rep") || ends(".nsight-cuprof-report"))
    throw InputError(name + ": is a report that only ncu reads; write it as CSV: ncu --import FILE "
                            "--csv --page raw --print-units base");
  if (ends(".nsys-rep") || ends(".qdrep"))
    throw InputError(name + ": is a report that only nsys reads; write it as SQLite or CSV: nsys "
                            "export --type sqlite FILE, or nsys stats --format csv --report "
                            "cuda_gpu_trace FILE");
}

std::vector<CsvForm> forms_of(ProfileBuilder& builder) {
  std::vector<CsvForm> forms;
  add_ncu_forms(forms, builder);
  add_nvprof_forms(forms, builder);
  add_nsys_forms(forms, builder);
  return forms;
}

/// Sums over launches that are listed one by one in the same file say nothing more.
void drop_sums(Profile& profile) {
  std::set<std::pair<std::string, std::string>> listed;
  for (const ProfiledLaunch& one : profile.launches)
    if (one.time_ms)
      listed.emplace(one.base, one.template_arguments);
  const auto dropped = std::erase_if(profile.launches, [&](const ProfiledLaunch& one) {
    return one.several && one.counters.empty() &&
           listed.contains({one.base, one.template_arguments});
  });
  if (dropped > 0)
    profile.set_aside["sum over launches that are listed"] += dropped;
}

/// Two devices of one name are told apart by their numbers.
void name_apart(std::vector<Device>& devices) {
  std::map<std::string, std::size_t> of_name;
  for (const Device& device : devices)
    ++of_name[device.name];
  for (Device& device : devices)
    if (!device.name.empty() && of_name[device.name] > 1)
      device.name += " (" + std::to_string(device.ordinal) + ")";
}

/// What every reader does at its end. @throws InputError without a launch
Profile finished(Profile profile) {
  if (profile.launches.empty())
    throw InputError(
        profile.file + ": no launch of a kernel is in this profile" +
        (profile.set_aside.empty() ? "" : " (skipped: " + to_text(profile.set_aside) + ")"));
  drop_sums(profile);
  name_apart(profile.devices);
  return profile;
}

/// Thrown by the first row of a table that is known.
struct Found {};

bool has_a_table(std::string_view text) {
  Profile ignored;
  ProfileBuilder builder(ignored);
  std::vector<CsvForm> forms = forms_of(builder);
  for (CsvForm& form : forms)
    form.row = [](const CsvRow&) { throw Found{}; };
  try {
    return read_tables(text, forms, ignored.set_aside) > 0;
  } catch (const Found&) {
    return true;
  }
}

/// What profilers say instead of a table, and what to do about it.
struct Complaint {
  std::string_view says, means;
};

constexpr std::array<Complaint, 4> complaints{
    {{"ERR_NVGPUCTRPERM",
      "the profiler was not permitted to read counters (ERR_NVGPUCTRPERM); run it as root, or load "
      "the driver with NVreg_RestrictProfilingToAdminUsers=0 ('gridsmith doctor' says how)"},
     {"==WARNING== No kernels were profiled",
      "ncu profiled no kernel; look at its --kernel-name, --launch-skip and --launch-count, and add "
      "--target-processes all where a child process launches"},
     {"No kernels were profiled",
      "nvprof profiled no kernel; does the program launch one, and end in order?"},
     {"No profile data collected",
      "nvprof collected nothing; GPUs from compute capability 8.0 on need ncu or nsys"}}};

/// Of lines of the tool's own alone.
const Complaint* complaint_in(std::string_view text) {
  for (const Complaint& one : complaints)
    for (std::size_t at = 0; (at = text.find(one.says, at)) != text.npos; ++at) {
      const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
      if (text.substr(before == text.npos ? 0 : before + 1).starts_with("=="))
        return &one;
    }
  return nullptr;
}

bool is_profilers_text(std::string_view text) {
  return has_a_table(text) || complaint_in(text) != nullptr;
}

} // namespace

Profile read_profile(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw InputError(name + ": is empty; " + accepted);
  Profile profile;
  profile.file = name;
  ProfileBuilder builder(profile);
  builder.mark = mark_of_ncu(text, name);
  const std::size_t tables = read_tables(text, forms_of(builder), profile.set_aside);
  if (const Complaint* said = profile.launches.empty() ? complaint_in(text) : nullptr)
    throw InputError(fmt::format("{}: {}", name, said->means));
  if (tables == 0) {
    if (text.starts_with("SQLite format 3"))
      throw InputError(name + ": is a packed database, which cannot be opened; unpack it first "
                              "(gunzip)");
    refuse_reports(name);
    throw InputError(name + ":1:1: " + accepted);
  }
  return finished(std::move(profile));
}

Profile read_profile(const std::filesystem::path& file) {
  if (is_sqlite(file))
    return finished(read_nsys_database(file));
  return read_profile(read_as_utf8(file), file.string());
}

bool is_profile(const std::filesystem::path& file) {
  try {
    return is_sqlite(file) ? is_profilers_database(file) : is_profilers_text(read_as_utf8(file));
  } catch (const Error&) {
    return false;
  }
}

} // namespace gridsmith
