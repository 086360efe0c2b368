// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gridsmith {
namespace {

using Launches = std::vector<const ProfiledLaunch*>;

const std::string unknown = "unknown";

template <class Extent>
std::string extents_text(const Extent (&extents)[3]) {
  return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

std::string grid_of(const ProfiledLaunch& launch) {
  if (launch.geometry)
    return extents_text(launch.geometry->grid);
  return launch.blocks ? std::to_string(*launch.blocks) + " blocks" : unknown;
}

std::string block_of(const ProfiledLaunch& launch) {
  if (launch.geometry)
    return extents_text(launch.geometry->block);
  return launch.threads_per_block ? std::to_string(*launch.threads_per_block) + " threads"
                                  : unknown;
}

/// What tells the measurements of one kernel apart, in the order of the first launch of each.
class Shapes {
public:
  explicit Shapes(const Launches& launches);

  /// The parameters' values of a launch.
  Configuration configuration(const ProfiledLaunch& launch) const;

private:
  bool with_template_ = false, with_shared_ = false;
};

Shapes::Shapes(const Launches& launches) {
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> shared;
  for (const ProfiledLaunch* one : launches) {
    with_template_ |= !one->template_arguments.empty();
    const std::int64_t bytes = one->dynamic_shared_bytes.value_or(0);
    const auto [known, is_new] =
        shared.try_emplace({one->template_arguments, grid_of(*one), block_of(*one)}, bytes);
    with_shared_ |= !is_new && known->second != bytes;
  }
}

Configuration Shapes::configuration(const ProfiledLaunch& launch) const {
  Configuration values;
  if (with_template_)
    values.emplace_back("TEMPLATE", launch.template_arguments);
  values.emplace_back("GRID", grid_of(launch));
  values.emplace_back("BLOCK", block_of(launch));
  if (with_shared_)
    values.emplace_back("SHARED", launch.dynamic_shared_bytes.value_or(0));
  return values;
}

/// Nothing where a file does not state all that occupancy follows from: an unknown fact would count as 0.
std::optional<CompileFacts> facts_of(const ProfiledLaunch& launch) {
  if (!launch.registers || !launch.static_shared_bytes)
    return std::nullopt;
  CompileFacts facts{.registers_per_thread = *launch.registers};
  facts.static_shared_bytes = *launch.static_shared_bytes;
  facts.local_bytes = launch.local_bytes;
  facts.spill_store_bytes = facts.spill_load_bytes = std::nullopt;
  return facts;
}

/// Of each counter the median over those launches that have it.
CounterValues median_counters(const Launches& launches) {
  std::map<std::string, std::vector<double>> values;
  for (const ProfiledLaunch* one : launches) {
    for (const auto& [name, value] : one->counters)
      values[name].push_back(value);
    if (one->registers && !facts_of(*one)) // they are known all the same
      values["launch__registers_per_thread"].push_back(*one->registers);
  }
  CounterValues medians;
  for (auto& [name, list] : values) {
    std::sort(list.begin(), list.end());
    medians[name] = median(list);
  }
  return medians;
}

Geometry geometry_of(const ProfiledLaunch& launch) {
  constexpr std::int64_t most_threads = 1024;
  Geometry geometry = launch.geometry.value_or(Geometry{});
  if (!launch.geometry && launch.blocks && launch.threads_per_block &&
      *launch.threads_per_block <= most_threads) {
    geometry.grid[0] = *launch.blocks;
    geometry.block[0] = static_cast<int>(*launch.threads_per_block);
  }
  geometry.dynamic_shared_bytes = launch.dynamic_shared_bytes.value_or(0);
  return geometry;
}

/// All launches of one shape. Of a sum over launches there is no more than the usual time.
Measurement measurement_of(const Launches& launches, Configuration configuration) {
  Measurement row;
  row.status = Status::correct; // it ran; nobody said that anything was wrong
  row.configuration = std::move(configuration);
  row.geometry = geometry_of(*launches.front());
  for (const ProfiledLaunch* one : launches) {
    std::optional<double> time = one->time_ms;
    if (one->several)
      time = one->several->median_ms ? one->several->median_ms : one->several->average_ms;
    if (time && *time > 0)
      row.times_ms.push_back(*time);
    if (!row.compile_facts)
      row.compile_facts = facts_of(*one);
  }
  row.counters = median_counters(launches);
  return row;
}

std::string conditions_of(const Profile& profile, const Launches& launches) {
  std::string text(conditions_of_tool(profile.tool));
  std::set<std::string> notes;
  for (const ProfiledLaunch* one : launches) {
    notes.insert(one->notes.begin(), one->notes.end());
    if (one->several && (one->several->average_ms || one->several->median_ms))
      notes.insert("times are of several launches together");
  }
  for (const std::string& note : notes)
    text += "; " + note;
  return text;
}

/// Each value once, in the order of the rows.
void add_parameters(Recording& recording) {
  for (const auto& [name, value] : recording.measurements.front().configuration)
    recording.parameters.push_back({name, {}});
  std::set<std::string> known;
  for (const Measurement& row : recording.measurements)
    for (std::size_t p = 0; p < recording.parameters.size(); ++p)
      if (const Value& value = row.configuration[p].second;
          known.insert(recording.parameters[p].name + "=" + to_text(value)).second)
        recording.parameters[p].values.push_back(value);
}

Device device_of(const Profile& profile, std::size_t index) {
  const Device& device = profile.devices.at(index);
  if (objection_to(device).empty())
    return device;
  Device only_name; // its facts are none
  only_name.name = device.name;
  return only_name;
}

Recording recording_of(const Profile& profile, const Launches& launches) {
  Recording recording;
  recording.format = profile.tool;
  recording.kernel = launches.front()->base;
  recording.device = device_of(profile, launches.front()->device);
  recording.conditions = conditions_of(profile, launches);
  recording.set_aside = profile.set_aside;
  const Shapes shapes(launches);
  std::vector<std::pair<Configuration, Launches>> groups;
  std::map<std::string, std::size_t> places;
  for (const ProfiledLaunch* one : launches) {
    Configuration values = shapes.configuration(*one);
    const auto [place, is_new] = places.try_emplace(to_text(values), groups.size());
    if (is_new)
      groups.emplace_back(std::move(values), Launches());
    groups[place->second].second.push_back(one);
  }
  for (auto& [values, group] : groups) {
    Measurement row = measurement_of(group, std::move(values));
    if (objection_to(row).empty())
      recording.measurements.push_back(std::move(row));
    else
      recording.set_aside["launch that no device can run"] += group.size();
  }
  if (!recording.measurements.empty())
    add_parameters(recording);
  return recording;
}

} // namespace

std::string_view conditions_of_tool(std::string_view tool) {
  if (tool == "ncu")
    return "under ncu: one kernel at a time, by default flushed caches and the base clock";
  if (tool == "nvprof")
    return "under nvprof, in the application";
  return "under nsys, in the application";
}

std::vector<Recording> recordings_of(const Profile& profile) {
  std::vector<Launches> kernels;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;
  for (const ProfiledLaunch& one : profile.launches) {
    const auto [place, is_new] = places.try_emplace({one.base, one.device}, kernels.size());
    if (is_new)
      kernels.emplace_back();
    kernels[place->second].push_back(&one);
  }
  std::vector<Recording> recordings;
  for (const Launches& launches : kernels)
    if (Recording recording = recording_of(profile, launches); !recording.measurements.empty())
      recordings.push_back(std::move(recording));
  return recordings;
}

} // namespace gridsmith
