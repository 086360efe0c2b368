// SPDX-License-Identifier: Apache-2.0
// nsys stats --format csv: cuda_gpu_kern_sum (once gpukernsum; a row per kernel, with grid and block
// where asked for) and cuda_gpu_trace (once gputrace; a row per launch and memory operation).
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <memory>

namespace gridsmith {
namespace {

class NsysStats {
public:
  explicit NsysStats(ProfileBuilder& builder) : builder_(builder) {}

  void sum(const CsvRow& row);
  void trace(const CsvRow& row);

private:
  /// Of the first of these columns that the table has.
  std::optional<double> value(const CsvRow& row, std::initializer_list<const char*> columns) {
    for (const char* column : columns)
      if (!row[column].empty())
        return builder_.value(row[column], row.unit(column), Prefixes::decimal);
    return std::nullopt;
  }

  static std::optional<Extents> extents(const CsvRow& row, const std::string& what) {
    return extents_in(row[what + "X"] + " " + row[what + "Y"] + " " + row[what + "Z"]);
  }

  ProfileBuilder& builder_;
};

void NsysStats::sum(const CsvRow& row) {
  builder_.profile().tool = "nsys";
  ProfiledLaunch* launch = builder_.launch(row["Name"], builder_.device(""));
  if (!launch)
    return;
  set_shape(*launch, extents_in(row["GridXYZ"]), extents_in(row["BlockXYZ"]));
  launch->several = launch_times(value(row, {"Instances"}), value(row, {"Avg", "Average"}),
                                 value(row, {"Med", "Median"}), value(row, {"Min", "Minimum"}),
                                 value(row, {"Max", "Maximum"}));
}

void NsysStats::trace(const CsvRow& row) {
  builder_.profile().tool = "nsys";
  ProfiledLaunch* launch = builder_.launch(row["Name"], builder_.device_of_text(row["Device"]));
  if (!launch)
    return;
  set_shape(*launch, extents(row, "Grd"), extents(row, "Blk"));
  builder_.set_time(*launch, value(row, {"Duration"}));
  if (const auto registers = whole(value(row, {"Reg/Trd"})); registers && *registers <= 1024)
    launch->registers = static_cast<int>(*registers);
  launch->static_shared_bytes = whole(value(row, {"StcSMem"}));
  launch->dynamic_shared_bytes = whole(value(row, {"DymSMem"}));
  const std::int64_t shared =
      launch->dynamic_shared_bytes.value_or(0) + launch->static_shared_bytes.value_or(0);
  if (shared > 0 && unit_factor(row.unit("DymSMem"), Prefixes::decimal).value_or(1) > 1)
    launch->notes.emplace_back(rounded_shared);
}

} // namespace

void add_nsys_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder) {
  const auto nsys = std::make_shared<NsysStats>(builder);
  forms.push_back(
      {{"Total Time", "Instances", "Name"}, "Name", [nsys](const CsvRow& row) { nsys->sum(row); }});
  forms.push_back({{"Start", "Duration", "GrdX", "BlkX", "Name"},
                   "Name",
                   [nsys](const CsvRow& row) { nsys->trace(row); }});
}

} // namespace gridsmith
