// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/sources.hpp"

#include "gridsmith/results/readers/read_recording.hpp"
#include "gridsmith/tuner/session/recordings.hpp"
#include "gridsmith/tuner/session/spanned.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

/// @throws InputError for another language; the space and the simulation of such a definition still
/// work.
void check_runnable(const KernelDefinition& definition) {
  if (!definition.runnable())
    throw InputError(fmt::format(
        "{}: the kernel is written in {}, which Gridsmith does not run; 'gridsmith "
        "space' and 'gridsmith simulate' work for it, and 'tune --recording FILE' replays "
        "one",
        definition.file.string(), definition.language));
}

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

std::vector<Source> Sources::of(const KernelDefinition& definition, const ProblemSize& problem,
                                const Listener& listener) {
  check_runnable(definition);
  const DeviceList& list = devices(listener.span);
  if (list.devices.empty()) {
    check_problem(definition, problem);
    // Whatever lies as in the catalogue has its recordings, NAME/recordings beside NAME/NAME.json.
    const auto folder = std::filesystem::absolute(definition.file).parent_path().parent_path();
    const auto shipped = find_recording(folder, definition, to_text(problem), list.reason);
    return {replay(std::make_shared<const Recording>(read_recording(shipped)), shipped,
                   "No CUDA device here (" + list.reason + ")", listener)};
  }
  std::vector<Source> sources;
  for (const Device& device : chosen(list, settings_.devices)) {
    const auto same = std::find_if(sources.begin(), sources.end(), [&](const Source& one) {
      return one.device.name == device.name;
    });
    if (same == sources.end())
      sources.push_back({device, nullptr, {}, ""});
    else
      same->others.push_back(device);
  }
  return sources;
}

void Sources::ask() {
  if (!asked_ && !asking_.valid())
    asking_ = std::async(std::launch::async, [helpers = settings_.helpers.installation.programs] {
      return query_devices(helpers);
    });
}

const DeviceList& Sources::devices(const SpanSink& spans) {
  ask();
  if (!asked_)
    asked_ = spanned(spans, "session", "devices", [&] { return asking_.get(); });
  return *asked_;
}

Source replay(std::shared_ptr<const Recording> recording, const std::filesystem::path& file,
              const std::string& because, const Listener& listener) {
  if (!recording->set_aside.empty() && listener.note)
    listener.note(describe(*recording));
  const Device device = recording->device;
  return {device, std::move(recording), file, because};
}

} // namespace gridsmith
