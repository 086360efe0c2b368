#include "gridsmith/tuner/session/session.hpp"

#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/readers/read_recording.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/session/recordings.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

/// Words that would only be looked up after minutes of work.
void check(const SessionSettings& settings) {
  wanted_counters(settings.conditions.counter_set, "");
  strategy_entry(settings.strategy);
  objective(settings.objective);
}

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

Source replay(std::shared_ptr<const Recording> recording, const std::filesystem::path& file,
              const std::string& because, const Listener& listener) {
  if (!recording->set_aside.empty() && listener.note)
    listener.note(describe(*recording));
  const Device device = recording->device;
  return {device, std::move(recording), file, because};
}

} // namespace

struct Session::Impl {
  SessionSettings settings;
  std::optional<KernelDefinition> definition; ///< none: a recording alone
  std::shared_ptr<const Recording> recording; ///< that was given

  std::vector<ProblemSize> problems() const;
  std::vector<Source> sources(const ProblemSize& problem, const Listener& listener) const;
};

std::vector<ProblemSize> Session::Impl::problems() const {
  if (!settings.problems.empty())
    return settings.problems;
  if (definition && recording)
    if (std::vector<std::int64_t> extents = extents_of(recording->problem); !extents.empty())
      return {{std::move(extents)}};
  return {definition ? definition->default_problem() : ProblemSize{{1}}};
}

/// A recording that was given, else the devices asked for, else the shipped recording.
std::vector<Source> Session::Impl::sources(const ProblemSize& problem,
                                           const Listener& listener) const {
  if (recording)
    return {replay(recording, *settings.recording, "Recording given", listener)};
  check_runnable(*definition);
  const DeviceList list = query_devices(settings.installation.helpers);
  if (list.devices.empty()) {
    check_problem(*definition, problem);
    const auto shipped =
        find_recording(settings.installation.catalogue, *definition, to_text(problem), list.reason);
    return {replay(std::make_shared<const Recording>(read_recording(shipped)), shipped,
                   "No CUDA device here (" + list.reason + ")", listener)};
  }
  std::vector<Source> sources;
  for (const int number : settings.devices) {
    if (number < 0 || static_cast<std::size_t>(number) >= list.devices.size())
      throw NoSuchDevice(
          fmt::format("no device {}; there are devices 0 to {}", number, list.devices.size() - 1));
    sources.push_back({list.devices[static_cast<std::size_t>(number)], nullptr, {}, ""});
  }
  return sources;
}

Session::Session(SessionSettings settings) : impl_(std::make_unique<Impl>()) {
  check(settings);
  impl_->settings = std::move(settings);
  const SessionSettings& kept = impl_->settings;
  if (!kept.kernel.empty())
    impl_->definition =
        read_definition(find_definition(kept.kernel, kept.installation.catalogue), kept.include);
  else if (!kept.recording)
    throw InputError(
        "tune needs a kernel: a name of the catalogue (see 'gridsmith kernels') or a JSON file");
  else if (!kept.problems.empty())
    throw InputError("a size needs a kernel; without one the recording is replayed as it is");
  if (kept.recording)
    impl_->recording = std::make_shared<const Recording>(open_recording(*kept.recording));
  if (impl_->definition && impl_->recording)
    check_recording(*impl_->recording, *kept.recording, *impl_->definition, kept.problems);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<Outcome> Session::run(std::stop_token stop, const Listener& listener) {
  std::vector<Outcome> outcomes;
  const auto kept =
      impl_->definition ? std::make_shared<const KernelDefinition>(*impl_->definition) : nullptr;
  const KernelDefinition* definition = kept.get();
  if (definition && listener.note)
    for (const Remark& remark : definition->remarks)
      if (remark.warning)
        listener.note(remark.text);
  for (const ProblemSize& problem : impl_->problems())
    for (const Source& source : impl_->sources(problem, listener)) {
      if (stop.stop_requested() && !outcomes.empty())
        return outcomes;
      try {
        Task task(impl_->settings, definition, problem, source, listener, stop);
        outcomes.push_back(task.run(stop));
        outcomes.back().definition = kept;
      } catch (const StoppedWaiting&) {
        return outcomes;
      } catch (const SpaceNotBuilt&) {
        if (stop.stop_requested())
          return outcomes;
        throw Error(fmt::format("{} s were over before the search space was built",
                                *impl_->settings.budget.seconds));
      }
    }
  return outcomes;
}

Export Outcome::exported() const {
  Export exported;
  exported.answer = answer;
  exported.definition = definition;
  Recording& recording = exported.recording;
  recording.format = subject.format;
  recording.kernel = subject.kernel;
  recording.problem = subject.problem;
  recording.date = subject.date;
  recording.conditions = subject.conditions;
  recording.device = subject.device;
  recording.peaks = subject.peaks;
  recording.workload = subject.workload;
  recording.own_metrics = subject.own_metrics;
  recording.source_hash = subject.source_hash;
  recording.parameters = subject.parameters;
  recording.measurements = result.measurements;
  for (const Measurement& one : result.measurements) // some may be older: replayed, or of the store
    if (!one.when.empty() && (recording.date.empty() || one.when < recording.date))
      recording.date = one.when;
  return exported;
}

} // namespace gridsmith
