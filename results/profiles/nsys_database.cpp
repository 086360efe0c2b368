// SPDX-License-Identifier: Apache-2.0
// SQLite exports of Nsight Systems. Columns come and go with the version of the schema, so they are
// looked up by name. Times are ns, sizes bytes; names are numbers into StringIds.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/database/database.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <algorithm>
#include <limits>

namespace gridsmith {
namespace {

const std::string kernels = "CUPTI_ACTIVITY_KIND_KERNEL";

bool has_table(const Database& database, const std::string& name) {
  Statement find =
      database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  return find.bind(1, name).step();
}

std::set<std::string> columns_of(const Database& database, const std::string& table) {
  std::set<std::string> names;
  Statement info = database.prepare("PRAGMA table_info(" + table + ")");
  while (info.step())
    names.insert(info.text(1));
  return names;
}

/// Selects these columns of a table, NULL where it has no such column.
Statement select(const Database& database, const std::string& table,
                 const std::vector<std::string>& wanted) {
  const std::set<std::string> there = columns_of(database, table);
  std::string list;
  for (const std::string& column : wanted)
    list += (list.empty() ? "" : ", ") +
            (there.contains(column) ? '"' + column + '"' : std::string("NULL"));
  return database.prepare("SELECT " + list + " FROM " + table);
}

bool of_nsys(const Database& database) {
  return has_table(database, "StringIds") || has_table(database, "META_DATA_EXPORT");
}

bool of_nvprof(const Database& database) {
  return has_table(database, "StringTable") &&
         database.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name LIKE "
                          "'CUPTI\\_ACTIVITY\\_KIND\\_%' ESCAPE '\\'") > 0;
}

std::optional<int> number(const Statement& row, int column) {
  if (row.null(column))
    return std::nullopt;
  const std::int64_t value = row.integer(column);
  return value >= 0 && value <= std::numeric_limits<int>::max()
             ? std::optional(static_cast<int>(value))
             : std::nullopt;
}

std::optional<std::int64_t> bytes(const Statement& row, int column) {
  const std::int64_t value = row.integer(column);
  return row.null(column) || value < 0 ? std::nullopt : std::optional(value);
}

class NsysDatabase {
public:
  NsysDatabase(const Database& database, Profile& profile)
      : database_(database), builder_(profile) {}

  void read();

private:
  void read_gpus();
  void read_processes();
  std::size_t device_of(const Statement& row);
  std::string kernel_of(const Statement& row);
  std::string text_of(std::int64_t id);
  void launch(const Statement& row);

  const Database& database_;
  ProfileBuilder builder_;
  std::map<int, Device> gpus_;          ///< by the GPU's number
  std::map<int, std::set<int>> gpu_of_; ///< CUDA's number of a device -> GPUs that had it
  std::map<std::int64_t, std::string> texts_;
};

void NsysDatabase::read() {
  builder_.profile().tool = "nsys";
  read_gpus();
  read_processes();
  Statement row =
      select(database_, kernels,
             {"start", "end", "deviceId", "demangledName", "shortName", "mangledName", "name",
              "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
              "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread"});
  while (row.step())
    launch(row);
}

void NsysDatabase::read_gpus() {
  if (!has_table(database_, "TARGET_INFO_GPU"))
    return;
  Statement row = select(database_, "TARGET_INFO_GPU",
                         {"id", "name", "smMajor", "smMinor", "smCount", "l2CacheSize",
                          "totalMemory", "computeMajor", "computeMinor", "chipName"});
  while (row.step()) {
    const auto major = row.null(7) ? number(row, 2) : number(row, 7);
    const auto minor = row.null(8) ? number(row, 3) : number(row, 8);
    const bool known = major && minor && *major < 100 && *minor < 10;
    const int capability = known ? 10 * *major + *minor : 0;
    Device& device = gpus_[number(row, 0).value_or(0)] = limits_of(capability);
    device.compute_capability = capability;
    device.name = well_formed(row.text(1));
    device.sm_count = number(row, 4).value_or(0);
    device.l2_bytes = bytes(row, 5).value_or(0);
    device.memory_bytes = bytes(row, 6).value_or(0);
    device.chip = well_formed(row.text(9));
  }
}

void NsysDatabase::read_processes() {
  if (!has_table(database_, "TARGET_INFO_CUDA_DEVICE"))
    return;
  Statement row = select(database_, "TARGET_INFO_CUDA_DEVICE", {"cudaId", "gpuId"});
  while (row.step())
    if (const auto cuda = number(row, 0), gpu = number(row, 1); cuda && gpu)
      gpu_of_[*cuda].insert(*gpu);
}

/// By CUDA's number, which processes that see other GPUs may use for several: then no more than it.
std::size_t NsysDatabase::device_of(const Statement& row) {
  const auto cuda = number(row, 2);
  if (!cuda)
    return builder_.device("");
  const auto mapped = gpu_of_.find(*cuda);
  if (mapped != gpu_of_.end() && mapped->second.size() > 1)
    return builder_.device("", cuda);
  const auto gpu = gpus_.find(mapped == gpu_of_.end() ? *cuda : *mapped->second.begin());
  if (gpu == gpus_.end() || gpu->second.name.empty())
    return builder_.device("", cuda);
  const std::size_t device = builder_.device(gpu->second.name, cuda);
  builder_.profile().devices[device] = gpu->second;
  builder_.profile().devices[device].ordinal = *cuda;
  return device;
}

std::string NsysDatabase::text_of(std::int64_t id) {
  const auto [known, is_new] = texts_.try_emplace(id);
  if (is_new) {
    Statement find = database_.prepare("SELECT value FROM StringIds WHERE id = ?1");
    if (find.bind(1, id).step())
      known->second = well_formed(find.text(0));
  }
  return known->second;
}

/// The fullest name that there is: of older versions text, of others a number.
std::string NsysDatabase::kernel_of(const Statement& row) {
  for (const int column : {3, 4, 5, 6})
    if (!row.null(column)) {
      const std::string text = row.text(column);
      const bool id = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
      std::string name = id ? text_of(row.integer(column)) : well_formed(text);
      if (!name.empty())
        return name;
    }
  return "";
}

void NsysDatabase::launch(const Statement& row) {
  ProfiledLaunch* launch = builder_.launch(kernel_of(row), device_of(row));
  if (!launch)
    return;
  if (!row.null(0) && !row.null(1))
    builder_.set_time(*launch, row.real(1) - row.real(0));
  set_shape(*launch, Extents{row.integer(7), row.integer(8), row.integer(9)},
            Extents{row.integer(10), row.integer(11), row.integer(12)});
  launch->dynamic_shared_bytes = bytes(row, 15);
  if (const auto registers = number(row, 13); registers && *registers <= 1024)
    launch->registers = registers;
  launch->static_shared_bytes = bytes(row, 14);
  launch->local_bytes = bytes(row, 16);
}

} // namespace

bool is_profilers_database(const std::filesystem::path& file) {
  const Database database = Database::open(file, Database::Mode::read_only);
  return of_nsys(database) || of_nvprof(database);
}

Profile read_nsys_database(const std::filesystem::path& file) {
  const std::string name = file.string();
  Profile profile;
  profile.file = name;
  const Database database = Database::open(file, Database::Mode::read_only);
  if (!of_nsys(database) && of_nvprof(database))
    throw InputError(name + ": is a profile of nvprof in SQLite, which is not read; write it as "
                            "CSV: nvprof --import-profile FILE --csv --print-gpu-trace");
  if (!has_table(database, kernels) || !has_table(database, "StringIds"))
    throw InputError(
        name + ": holds no kernels; expected an SQLite export of nsys with the table " + kernels);
  try {
    NsysDatabase(database, profile).read();
  } catch (const InputError&) { // its words are of stores
    throw InputError(name + ": is damaged, or its tables are not those of an export of nsys");
  }
  return profile;
}

} // namespace gridsmith
