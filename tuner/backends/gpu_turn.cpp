// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/backends/gpu_turn.hpp"

#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/gpu/surroundings.hpp"
#include "gridsmith/tuner/processes/spanned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <utility>

namespace gridsmith {
namespace {

// A second process, context, data and finals take 0.5 to 1 s (two H100, 2026-11-26).
constexpr std::chrono::milliseconds first_alone(1500), much_ahead(4000);

/// Of those that were listed with the devices, else asked for now.
std::vector<std::string> users_beside(const std::filesystem::path& helpers,
                                      const std::vector<Device>& devices, const EarlyStart& early) {
  std::vector<std::string> all;
  for (const Device& device : devices) {
    const auto listed = early.users.find(device.uuid);
    for (std::string& user : listed == early.users.end() ? other_users(helpers, device.uuid)
                                                         : described(listed->second))
      all.push_back(std::move(user));
  }
  return all;
}

/// Rows of several GPUs have their numbers: "worker 1".
SpanSink numbered(const SpanSink& spans, int number) {
  if (!spans)
    return {};
  return [spans, number](const Span& span) {
    Span one = span;
    if (one.row == "worker" || one.row == "GPU")
      one.row += fmt::format(" {}", number);
    spans(one);
  };
}

} // namespace

GpuTurn::GpuTurn(GpuProcessSettings settings, const KernelInstance& instance,
                 const std::vector<Device>& devices, EarlyStart& early, const Note& note,
                 const std::stop_token& stop)
    : settings_(std::move(settings)), instance_(instance) {
  settings_.conditions.mps_percent = mps_percent(own_environment());
  for (const Device& device : devices)
    places_.emplace_back().device = device;
  spanned(settings_.spans, "session", "our turn", [&] {
    if (take_leases(note, stop))
      early.users.clear(); // that was before we waited
  });
  for (const Place& place : places_)
    if (place.lease->alone())
      restore_left_clock(settings_.helpers.installation.programs, gpu_lock_folder(),
                         place.device.uuid, note);
  hold_clock(settings_.conditions.locked_clock_mhz);
  // Asked while the processes start; our worker makes no context before it is told the device's code.
  auto users = std::async(std::launch::async, [&] {
    return users_beside(settings_.helpers.installation.programs, devices, early);
  });
  spanned(settings_.spans, "session", "processes", [&] {
    start(places_.front(), std::exchange(early.processes, std::nullopt));
    beside_ = users.get();
    places_.front().processes->begin();
  });
}

void GpuTurn::hold_clock(std::optional<int> sm_clock_mhz) {
  if (sm_clock_mhz == held_mhz_)
    return;
  for (Place& place : places_) {
    place.clock.reset(); // restored first: what cannot be locked then runs as it would without us
    if (sm_clock_mhz)
      place.clock.emplace(settings_.helpers.installation.programs, gpu_lock_folder(),
                          place.device.uuid, *sm_clock_mhz);
  }
  held_mhz_ = sm_clock_mhz;
}

std::optional<EarlyProcesses> start_early(const GpuProcessSettings& settings) {
  std::error_code error;
  if (!std::filesystem::exists("/dev/nvidiactl", error))
    return std::nullopt;
  try {
    return std::make_optional<EarlyProcesses>(settings);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void GpuTurn::start(Place& place, std::optional<EarlyProcesses> early) {
  GpuProcessSettings settings = settings_;
  if (places_.size() > 1)
    settings.spans = numbered(settings.spans, place.device.ordinal);
  KernelInstance here = instance_;
  here.device = place.device;
  const auto& first = places_.front().processes;
  if (early)
    place.processes.emplace(here, settings, early->compilers, std::move(early->worker));
  else
    place.processes.emplace(here, settings, first ? first->compilers() : nullptr);
}

/// In the order of their names, the same for everybody: two who want the same GPUs never wait for each
/// other.
bool GpuTurn::take_leases(const Note& note, const std::stop_token& stop) {
  bool waited = false;
  const auto say = [&](const std::string& line) { // who is waited for
    waited = true;
    if (note)
      note(line);
  };
  std::vector<Place*> order;
  order.reserve(places_.size());
  for (Place& place : places_)
    order.push_back(&place);
  std::sort(order.begin(), order.end(),
            [](const Place* a, const Place* b) { return a->device.uuid < b->device.uuid; });
  for (Place* place : order) {
    place->lease.emplace(place->device, settings_.helpers.share, say, stop);
    if (place->lease->alone())
      continue;
    settings_.conditions.shared_gpu = true;
    // The hardware counts for one at a time.
    settings_.conditions.counter_set = of_results_alone(settings_.conditions.counter_set);
  }
  return waited;
}

bool GpuTurn::is_on(const std::vector<Device>& devices) const {
  return std::equal(places_.begin(), places_.end(), devices.begin(), devices.end(),
                    [](const Place& place, const Device& device) {
                      return place.device.ordinal == device.ordinal;
                    });
}

GpuProcesses& GpuTurn::processes(std::size_t number) {
  Place& place = places_[number];
  if (!place.processes) {
    start(place, std::nullopt);
    place.processes->begin();
  }
  return *place.processes;
}

std::vector<const GpuProcesses*> GpuTurn::started() const {
  std::vector<const GpuProcesses*> all;
  for (const Place& place : places_)
    if (place.processes)
      all.push_back(&*place.processes);
  return all;
}

bool GpuTurn::others_pay(std::chrono::duration<double, std::milli> worked,
                         std::chrono::duration<double, std::milli> ahead) {
  worked_ += worked;
  return worked_ >= first_alone || ahead >= much_ahead;
}

std::string GpuTurn::toolkit() const {
  const CompilerPool& pool = places_.front().processes->pool();
  return pool.toolkit() + " " + pool.toolkit_headers();
}

} // namespace gridsmith
