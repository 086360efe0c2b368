// SPDX-License-Identifier: Apache-2.0
// nvprof --csv: metrics and events (a row per kernel and metric, over all its launches), the GPU trace
// (a row per launch) and the summary (a row per kernel).
#include "gridsmith/results/profiles/metric_names.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <cctype>
#include <memory>

namespace gridsmith {
namespace {

class Nvprof {
public:
  explicit Nvprof(ProfileBuilder& builder) : builder_(builder) {}

  void metric(const CsvRow& row, const std::string& column);
  void trace(const CsvRow& row);
  void summary(const CsvRow& row);

private:
  std::optional<double> value(const CsvRow& row, const std::string& column) {
    if (row[column].empty())
      return std::nullopt;
    return builder_.value(row[column], row.unit(column), Prefixes::binary);
  }

  std::optional<Extents> extents(const CsvRow& row, const std::string& what) const {
    return extents_in(row[what + " X"] + " " + row[what + " Y"] + " " + row[what + " Z"]);
  }

  ProfileBuilder& builder_;
  std::map<std::pair<std::string, std::string>, std::size_t> launches_; ///< by device and kernel
};

void Nvprof::metric(const CsvRow& row, const std::string& column) {
  builder_.profile().tool = "nvprof";
  const std::pair key(row["Device"], row["Kernel"]);
  auto known = launches_.find(key);
  if (known == launches_.end()) {
    ProfiledLaunch* launch = builder_.launch(key.second, builder_.device_of_text(key.first));
    if (!launch)
      return;
    launch->several = launch_times(value(row, "Invocations"), std::nullopt, std::nullopt,
                                   std::nullopt, std::nullopt);
    known = launches_.emplace(key, builder_.profile().launches.size() - 1).first;
  }
  const auto average = value(row, "Avg");
  const std::string& name = row[column];
  if (!average || name.empty())
    return;
  CounterValues& counters = builder_.profile().launches[known->second].counters;
  if (const auto counter = counter_of_nvprof(name))
    counters.emplace(counter->name, *average * counter->factor);
  else
    counters.emplace(foreign_counter("nvprof", name), *average);
}

void Nvprof::trace(const CsvRow& row) {
  builder_.profile().tool = "nvprof";
  ProfiledLaunch* launch = builder_.launch(row["Name"], builder_.device_of_text(row["Device"]));
  if (!launch)
    return;
  set_shape(*launch, extents(row, "Grid"), extents(row, "Block"));
  builder_.set_time(*launch, value(row, "Duration"));
  if (const auto registers = whole(value(row, "Registers Per Thread"));
      registers && *registers <= 1024)
    launch->registers = static_cast<int>(*registers);
  launch->static_shared_bytes = whole(value(row, "Static SMem"));
  launch->dynamic_shared_bytes = whole(value(row, "Dynamic SMem"));
}

/// Versions without a column for it print a second table, of "cudaMalloc" and "cuInit".
bool is_call(const CsvRow& row) {
  if (row.has("Type"))
    return row["Type"] == "API calls";
  const std::string& name = row["Name"];
  return name.find('(') == name.npos &&
         (name.starts_with("cuda") || (name.starts_with("cu") && name.size() > 2 &&
                                       std::isupper(static_cast<unsigned char>(name[2]))));
}

void Nvprof::summary(const CsvRow& row) {
  builder_.profile().tool = "nvprof";
  if (is_call(row))
    return builder_.set_aside("call of the API");
  if (ProfiledLaunch* launch = builder_.launch(row["Name"], builder_.device("")))
    launch->several = launch_times(value(row, "Calls"), value(row, "Avg"), std::nullopt,
                                   value(row, "Min"), value(row, "Max"));
}

} // namespace

void add_nvprof_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder) {
  const auto nvprof = std::make_shared<Nvprof>(builder);
  for (const std::string column : {"Metric Name", "Event Name"})
    forms.push_back({{"Device", "Kernel", "Invocations", column, "Avg"},
                     "Kernel",
                     [nvprof, column](const CsvRow& row) { nvprof->metric(row, column); }});
  forms.push_back({{"Start", "Duration", "Grid X", "Block X", "Name"},
                   "Name",
                   [nvprof](const CsvRow& row) { nvprof->trace(row); }});
  forms.push_back({{"Time(%)", "Time", "Calls", "Avg", "Name"},
                   "Name",
                   [nvprof](const CsvRow& row) { nvprof->summary(row); }});
}

} // namespace gridsmith
