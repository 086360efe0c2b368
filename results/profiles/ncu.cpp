// SPDX-License-Identifier: Apache-2.0
// Nsight Compute: `ncu --csv --page raw` (a column per metric) and `--page details` (a row per metric
// with the label of its section). Raw names are CUPTI's; what begins with launch__ and
// device__attribute_ is the launch's and the device's.
#include "gridsmith/results/profiles/metric_names.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <type_traits>

namespace gridsmith {
namespace {

constexpr std::array<std::string_view, 12> about_launch{
    "ID",      "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time",
    "Context", "Stream",     "Block Size",   "Grid Size", "Device",      "CC"};

constexpr std::string_view attribute_prefix = "device__attribute_";

struct Attribute {
  std::string_view theirs;
  std::string_view field; ///< of Device
};

constexpr std::array<Attribute, 11> attributes{{
    {"multiprocessor_count", "sm_count"},
    {"warp_size", "warp_size"},
    {"max_threads_per_block", "max_threads_per_block"},
    {"max_threads_per_multiprocessor", "max_threads_per_sm"},
    {"max_blocks_per_multiprocessor", "max_blocks_per_sm"},
    {"max_registers_per_multiprocessor", "registers_per_sm"},
    {"max_registers_per_block", "registers_per_block"},
    {"max_shared_memory_per_multiprocessor", "shared_bytes_per_sm"},
    {"max_shared_memory_per_block", "shared_bytes_per_block"},
    {"max_shared_memory_per_block_optin", "shared_bytes_per_block_optin"},
    {"l2_cache_size", "l2_bytes"},
}};

void set_field(Device& device, std::string_view wanted, std::int64_t value) {
  for_fields(device, [&](std::string_view name, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_integral_v<Member>)
      if (name == wanted && value <= std::int64_t{std::numeric_limits<Member>::max()})
        member = static_cast<Member>(value);
  });
}

std::optional<int> number_of(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0
             ? std::optional(value)
             : std::nullopt;
}

/// "8.6" -> 86, 0 for another text.
int capability_of(const std::string& text) {
  const auto point = text.find_first_of(".,");
  if (point == text.npos)
    return 0;
  const auto major = number_of(text.substr(0, point)), minor = number_of(text.substr(point + 1));
  return major && minor && *major < 100 && *minor < 10 ? 10 * *major + *minor : 0;
}

class Ncu {
public:
  explicit Ncu(ProfileBuilder& builder) : builder_(builder) {}

  void raw(const CsvRow& row);
  void details(const CsvRow& row);

private:
  ProfiledLaunch* launch_of(const CsvRow& row);
  void metric(ProfiledLaunch& launch, const std::string& name, const std::string& text,
              const std::string& unit);
  void launch_fact(ProfiledLaunch& launch, std::string_view name, double value, bool scaled);
  void attribute(Device& device, const std::string& name, const std::string& text,
                 const std::string& unit);

  ProfileBuilder& builder_;
  std::map<std::string, std::size_t> launches_; ///< of the details page, by process and ID
};

ProfiledLaunch* Ncu::launch_of(const CsvRow& row) {
  builder_.profile().tool = "ncu";
  // Processes that see different GPUs may each call theirs 0.
  const std::size_t device = builder_.device(row["device__attribute_display_name"],
                                             number_of(row["Device"]), capability_of(row["CC"]));
  ProfiledLaunch* launch = builder_.launch(row["Kernel Name"], device);
  if (launch)
    set_shape(*launch, extents_in(row["Grid Size"]), extents_in(row["Block Size"]));
  return launch;
}

void Ncu::raw(const CsvRow& row) {
  ProfiledLaunch* launch = launch_of(row);
  if (!launch)
    return;
  for (std::size_t i = 0; i < row.columns().size(); ++i) {
    const CsvColumn& column = row.columns()[i];
    if (std::find(about_launch.begin(), about_launch.end(), column.name) != about_launch.end())
      continue;
    if (column.name.find("__") != column.name.npos || !column.unit.empty())
      metric(*launch, column.name, row.cells()[i], column.unit);
    else if (!row.cells()[i].empty())
      builder_.set_aside("column that is no metric", column.name);
  }
  const auto extents = [&](const std::string& prefix) -> std::optional<Extents> {
    return extents_in(row[prefix + "x"] + " " + row[prefix + "y"] + " " + row[prefix + "z"]);
  };
  if (!launch->geometry)
    set_shape(*launch, extents("launch__grid_dim_"), extents("launch__block_dim_"));
}

void Ncu::details(const CsvRow& row) {
  const std::string key = row["Process ID"] + "/" + row["ID"];
  auto known = launches_.find(key);
  if (known == launches_.end()) {
    if (!launch_of(row))
      return;
    known = launches_.emplace(key, builder_.profile().launches.size() - 1).first;
  }
  ProfiledLaunch& launch = builder_.profile().launches[known->second];
  const std::string &section = row["Section Name"], &label = row["Metric Name"];
  if (label.empty())
    return builder_.set_aside(row["Rule Name"].empty() ? "row without a metric" : "rule");
  if (label.find("__") != label.npos)
    return metric(launch, label, row["Metric Value"], row["Metric Unit"]);
  if (const auto counter = counter_of_ncu_label(section, label))
    return metric(launch, counter->name, row["Metric Value"], row["Metric Unit"]);
  metric(launch, foreign_counter("ncu", label), row["Metric Value"], row["Metric Unit"]);
}

void Ncu::metric(ProfiledLaunch& launch, const std::string& name, const std::string& text,
                 const std::string& unit) {
  if (name.starts_with(attribute_prefix))
    return attribute(builder_.profile().devices[launch.device], name, text, unit);
  const bool of_launch = name.starts_with("launch__");
  if (of_launch && text.find_first_of("0123456789") != 0) // "CachePreferNone"
    return builder_.set_aside("word about the launch", name);
  const auto value = builder_.value(text, unit, Prefixes::decimal);
  if (of_launch) {
    if (value)
      launch_fact(launch, name, *value, unit_factor(unit, Prefixes::decimal).value_or(1) > 1);
    return;
  }
  if (!value)
    return;
  launch.counters.emplace(name, *value);
  if (name == duration_name && *value >= least_duration_ns)
    launch.time_ms = *value * ms_per_ns;
  else if (name == duration_name && *value > 0)
    builder_.set_aside("duration that is below 0.1 us");
}

void Ncu::launch_fact(ProfiledLaunch& launch, std::string_view name, double value, bool scaled) {
  const auto count = whole(value);
  const bool shared = name.starts_with("launch__shared_mem_per_block_");
  if (shared && scaled && value > 0 &&
      std::find(launch.notes.begin(), launch.notes.end(), rounded_shared) == launch.notes.end())
    launch.notes.emplace_back(rounded_shared);
  if (!count)
    builder_.set_aside("value that is no count");
  else if (name == "launch__registers_per_thread" && *count <= 1024)
    launch.registers = static_cast<int>(*count);
  else if (name == "launch__shared_mem_per_block_static")
    launch.static_shared_bytes = count;
  else if (name == "launch__shared_mem_per_block_dynamic")
    launch.dynamic_shared_bytes = count;
  else if (name == "launch__grid_size")
    launch.blocks = count;
  else if (name == "launch__block_size")
    launch.threads_per_block = count;
  else if (!name.starts_with("launch__grid_dim_") && !name.starts_with("launch__block_dim_"))
    launch.counters.emplace(name, value);
}

void Ncu::attribute(Device& device, const std::string& name, const std::string& text,
                    const std::string& unit) {
  const std::string_view wanted = std::string_view(name).substr(attribute_prefix.size());
  if (wanted == "display_name" && !text.empty()) {
    device.name = text;
    return;
  }
  const auto known = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& one) { return one.theirs == wanted; });
  if (known == attributes.end())
    return builder_.set_aside("attribute of the device", name);
  if (const auto value = whole(builder_.value(text, unit, Prefixes::decimal)))
    set_field(device, known->field, *value);
}

} // namespace

void add_ncu_forms(std::vector<CsvForm>& forms, std::function<void(const CsvRow&)> details,
                   std::function<void(const CsvRow&)> raw) {
  forms.push_back(
      {{"ID", "Kernel Name", "Section Name", "Metric Name", "Metric Unit", "Metric Value"},
       "ID",
       std::move(details),
       true});
  forms.push_back({{"ID", "Kernel Name"}, "ID", std::move(raw)});
}

void add_ncu_forms(std::vector<CsvForm>& forms, ProfileBuilder& builder) {
  const auto ncu = std::make_shared<Ncu>(builder);
  add_ncu_forms(
      forms, [ncu](const CsvRow& row) { ncu->details(row); },
      [ncu](const CsvRow& row) { ncu->raw(row); });
}

} // namespace gridsmith
