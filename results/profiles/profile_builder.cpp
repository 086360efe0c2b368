// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

/// Beyond this length a name is no longer taken apart.
constexpr std::size_t longest_name = 1 << 16;

std::string numbered_device(int ordinal, int compute_capability) {
  std::string name = "device " + std::to_string(ordinal);
  if (compute_capability > 0)
    name += " of compute capability " + std::to_string(compute_capability / 10) + "." +
            std::to_string(compute_capability % 10);
  return name;
}

std::optional<double> in_ms(std::optional<double> ns) {
  return ns ? std::optional(*ns * ms_per_ns) : std::nullopt;
}

} // namespace

Device limits_of(int compute_capability) {
  const std::vector<int>& known = known_capabilities();
  return std::find(known.begin(), known.end(), compute_capability) == known.end()
             ? Device{}
             : device_of_capability(compute_capability);
}

std::size_t ProfileBuilder::device(const std::string& name, std::optional<int> ordinal,
                                   int compute_capability) {
  const std::pair key(name, ordinal);
  const auto found = std::find(devices_.begin(), devices_.end(), key);
  if (found != devices_.end())
    return static_cast<std::size_t>(found - devices_.begin());
  devices_.push_back(key);
  Device& device = profile_.devices.emplace_back(limits_of(compute_capability));
  device.ordinal = ordinal.value_or(0);
  device.compute_capability = compute_capability;
  device.name = name.empty() && ordinal ? numbered_device(*ordinal, compute_capability) : name;
  return devices_.size() - 1;
}

std::size_t ProfileBuilder::device_of_text(const std::string& text) {
  const auto open = text.rfind(" (");
  int ordinal = 0;
  if (open == text.npos || !text.ends_with(")"))
    return device(text);
  const char *first = text.data() + open + 2, *last = text.data() + text.size() - 1;
  if (const auto [end, error] = std::from_chars(first, last, ordinal);
      error != std::errc{} || end != last || ordinal < 0)
    return device(text);
  return device(text.substr(0, open), ordinal);
}

ProfiledLaunch* ProfileBuilder::launch(const std::string& kernel, std::size_t device) {
  if (kernel.starts_with("[")) { // "[CUDA memset]", "[Unified Memory CPU page faults]"
    set_aside("memory operation");
    return nullptr;
  }
  if (kernel.empty()) {
    set_aside("row without a name");
    return nullptr;
  }
  const auto [name, is_new] = names_.try_emplace(kernel);
  if (is_new)
    name->second = kernel.size() > longest_name ? KernelName{kernel, ""} : kernel_name(kernel);
  ProfiledLaunch& launch = profile_.launches.emplace_back();
  launch.kernel = kernel;
  launch.base = name->second.base;
  launch.template_arguments = name->second.template_arguments;
  launch.device = device;
  return &launch;
}

void ProfileBuilder::set_time(ProfiledLaunch& launch, std::optional<double> ns) {
  constexpr double most_ns = 1e18;
  if (ns && *ns > 0 && *ns < most_ns)
    launch.time_ms = *ns * ms_per_ns;
  else if (ns)
    set_aside(*ns > 0 ? "duration over 30 years" : "duration that is not above 0");
}

void ProfileBuilder::set_aside(const std::string& reason, const std::string& name) {
  if (named_.emplace(reason, name).second)
    set_aside(reason);
}

std::optional<double> ProfileBuilder::value(std::string_view text, std::string_view unit,
                                            Prefixes prefixes) {
  const PrintedValue printed = printed_value(text, unit, mark, prefixes);
  if (!printed.value)
    set_aside(printed.missing_because);
  return printed.value;
}

std::optional<std::int64_t> whole(std::optional<double> value) {
  constexpr double most = 9007199254740992.0;
  if (!value || !(*value >= 0 && *value <= most))
    return std::nullopt;
  return std::llround(*value);
}

std::optional<Extents> extents_in(std::string_view text) {
  Extents extents{};
  std::size_t count = 0;
  const char *at = text.data(), *end = text.data() + text.size();
  while (at != end) {
    if (std::string_view(" (),xX[]").find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (count == extents.size())
      return std::nullopt;
    const auto [after, error] = std::from_chars(at, end, extents[count++]);
    if (error != std::errc{})
      return std::nullopt;
    at = after;
  }
  return count == extents.size() ? std::optional(extents) : std::nullopt;
}

void set_shape(ProfiledLaunch& launch, const std::optional<Extents>& grid,
               const std::optional<Extents>& block) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (!grid || !block)
    return;
  Geometry geometry;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if ((*grid)[axis] < 1 || (*block)[axis] < 1 || (*grid)[axis] > most || (*block)[axis] > most)
      return;
    geometry.grid[axis] = (*grid)[axis];
    geometry.block[axis] = static_cast<int>((*block)[axis]);
  }
  launch.geometry = geometry;
}

LaunchTimes launch_times(std::optional<double> calls, std::optional<double> average,
                         std::optional<double> median, std::optional<double> least,
                         std::optional<double> most) {
  return {static_cast<std::size_t>(whole(calls).value_or(0)), in_ms(average), in_ms(median),
          in_ms(least), in_ms(most)};
}

} // namespace gridsmith
