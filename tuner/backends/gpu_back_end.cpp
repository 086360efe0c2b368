// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/backends/gpu_back_end.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/fleet/fleet.hpp"
#include "gridsmith/tuner/gpu/gpu_evaluator.hpp"
#include "gridsmith/tuner/processes/spanned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

/// @param numbers empty: all. @throws NoSuchDevice, InputError: one appears twice
std::vector<Device> chosen(const DeviceList& list, const std::vector<int>& numbers) {
  if (numbers.empty())
    return list.devices;
  std::vector<Device> some;
  for (const int number : numbers) {
    const Device& device = list.at(number);
    for (const Device& before : some)
      if (before.ordinal == device.ordinal)
        throw InputError(fmt::format("device {} is named twice", number));
    some.push_back(device);
  }
  return some;
}

} // namespace

void GpuBackEnd::ask() {
  if (!asked_ && !asking_.valid())
    asking_ = std::async(std::launch::async, [helpers = settings_.helpers.installation.programs] {
      return query_devices(helpers);
    });
}

const DeviceList& GpuBackEnd::devices() {
  ask();
  if (!asked_)
    asked_ = spanned(settings_.spans, "session", "devices", [&] { return asking_.get(); });
  return *asked_;
}

void GpuBackEnd::will_compile(const KernelDefinition& definition) {
  join(settings_.readable, definition.readable);
  needed_ = true;
}

void GpuBackEnd::begin() {
  if (!needed_)
    return;
  ask();
  early_.processes = start_early(settings_);
  if (const DeviceList& list = devices(); list.devices.empty())
    early_ = {};
  else
    early_.users = list.users;
}

std::vector<Source> GpuBackEnd::sources(const BackEndProblem&) {
  std::vector<Source> sources;
  if (devices().devices.empty())
    return sources;
  for (const Device& device : chosen(devices(), numbers_)) {
    const auto same = std::find_if(sources.begin(), sources.end(), [&](const Source& one) {
      return one.device.name == device.name;
    });
    if (same == sources.end())
      sources.push_back({.back_end = this, .device = device});
    else
      same->others.push_back(device);
  }
  return sources;
}

OpenedEvaluator GpuBackEnd::evaluator_for(const EvaluatorRequest& request,
                                          const std::stop_token& stop) {
  std::vector<Device> devices{request.source.device};
  devices.insert(devices.end(), request.source.others.begin(), request.source.others.end());
  if (turn_ && !turn_->is_on(devices))
    turn_.reset(); // compilers of another device only take memory
  if (!turn_) {
    settings_.conditions = request.conditions;
    turn_.emplace(settings_, *request.instance, devices, early_, note_, stop);
  }
  Conditions conditions = turn_->conditions();
  conditions.regime = request.conditions.regime;
  conditions.locked_clock_mhz = request.conditions.locked_clock_mhz;
  turn_->hold_clock(request.conditions.locked_clock_mhz);
  std::string in_words = to_text(conditions);
  if (const std::string users = some_of(turn_->beside(), 3); !users.empty())
    in_words += ", with " + users + " on the GPU";
  return {.evaluator = evaluator_on(devices, request),
          .conditions = std::move(conditions),
          .in_words = std::move(in_words),
          .toolkit = turn_->toolkit(),
          .compilers = turn_->processes(0).pool().size()};
}

std::unique_ptr<Evaluator> GpuBackEnd::evaluator_on(const std::vector<Device>& devices,
                                                    const EvaluatorRequest& request) {
  const auto begin = [turn = &*turn_, instance = request.instance,
                      start = request.start](std::size_t gpu) -> std::unique_ptr<Evaluator> {
    return std::make_unique<GpuEvaluator>(*instance, start, turn->processes(gpu));
  };
  if (devices.size() == 1)
    return begin(0);
  std::vector<FleetMember> members;
  members.reserve(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    members.push_back({[begin, i] { return begin(i); }, fmt::format("GPU {}", devices[i].ordinal),
                       devices[i].uuid});
  FleetSettings fleet;
  fleet.wait = [turn = &*turn_](const std::vector<std::size_t>& some,
                                std::chrono::milliseconds limit) {
    std::vector<const GpuProcesses*> those;
    those.reserve(some.size());
    for (const std::size_t i : some)
      those.push_back(&turn->processes(i));
    wait_for(those, limit);
  };
  fleet.others_pay = [turn = &*turn_](FleetSettings::Worked worked, FleetSettings::Worked ahead) {
    return turn->others_pay(worked, ahead);
  };
  fleet.note = note_;
  fleet.first = [becomes = request.becomes, devices](std::size_t gpu) {
    if (becomes)
      becomes(devices[gpu]);
  };
  return std::make_unique<Fleet>(std::move(members), std::move(fleet));
}

void GpuBackEnd::wait(std::chrono::milliseconds limit) {
  if (!turn_)
    return;
  wait_for(turn_->started(), limit);
}

} // namespace gridsmith
