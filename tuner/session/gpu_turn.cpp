#include "gridsmith/tuner/session/gpu_turn.hpp"

#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"
#include "gridsmith/tuner/session/spanned.hpp"

#include <fmt/format.h>

#include <future>

namespace gridsmith {
namespace {

GpuProcessSettings process_settings(const SessionSettings& settings, const Conditions& conditions,
                                    const SpanSink& spans) {
  GpuProcessSettings result;
  result.helpers = settings.installation.helpers;
  result.compilers = settings.compilers;
  if (const auto folder = default_cache_folder(); settings.cache && !folder.empty())
    result.cache = folder;
  result.confined = settings.confined;
  result.conditions = conditions;
  result.spans = spans;
  return result;
}

} // namespace

GpuTurn::GpuTurn(const SessionSettings& settings, const Conditions& conditions,
                 const KernelInstance& instance, const ReadableFolders& readable,
                 const Listener& listener, const std::stop_token& stop)
    : ordinal_(instance.device.ordinal), conditions_(conditions) {
  spanned(listener.span, "session", "our turn",
          [&] { take_lock(instance.device, settings, listener, stop); });
  // Asked while the processes start; our worker makes no context before it is told the device's code.
  auto users = std::async(std::launch::async, [&] {
    return other_users(settings.installation.helpers, instance.device.uuid);
  });
  spanned(listener.span, "session", "processes", [&] {
    if (conditions_.locked_clock_mhz)
      clock_.emplace(settings.installation.helpers, instance.device.uuid,
                     *conditions_.locked_clock_mhz);
    GpuProcessSettings wanted = process_settings(settings, conditions_, listener.span);
    wanted.readable = readable;
    processes_.emplace(instance, wanted);
    beside_ = users.get();
    processes_->begin();
  });
}

void GpuTurn::take_lock(const Device& device, const SessionSettings& settings,
                        const Listener& listener, const std::stop_token& stop) {
  const std::filesystem::path folder = gpu_lock_folder();
  if (device.uuid.empty() || folder.empty())
    return;
  lock_.emplace(folder, device.uuid);
  const std::string name = fmt::format("GPU {} ({})", device.ordinal, device.name);
  const auto note = [&](const std::string& line) {
    if (listener.note)
      listener.note(line);
  };
  if (wait_for_gpu(*lock_, name, settings.share, note, stop))
    return;
  conditions_.shared_gpu = true;
  conditions_.counter_set = "none"; // the hardware counts for one at a time
}

std::string GpuTurn::toolkit() const {
  return processes_->pool().toolkit() + " " + processes_->pool().toolkit_headers();
}

} // namespace gridsmith
