// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/peak_run.hpp"

#include "gridsmith/tuner/processes/compile_all.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace gridsmith {
namespace {

using Clock = std::chrono::steady_clock;

/// So many workers in a row that end before their first answer: the fault is not the peaks'.
constexpr int most_losses = 3;

/// The worker's own kernels and those of the peaks; null ones after a stop.
std::vector<Code> compiled(const Device& device, const HelperSettings& helpers,
                           const std::stop_token& stop) {
  const std::array requests = {device_code_request(), peak_code_request()};
  CompilerSettings compilers = compiler_settings(helpers, {}, device.compute_capability);
  compilers.processes = requests.size();
  CompilerPool pool(std::move(compilers));
  std::vector<Code> codes = compile_all(pool, requests, stop);
  for (const Code& code : codes)
    if (code && !code->cubin)
      throw WorkerRefused("the worker's own kernels do not compile: " + code->error.value_or(""),
                          false);
  return codes;
}

/// The worker is of no more use, and what it was measuring is left out.
class Lost : public Error {
public:
  using Error::Error;
};

/// One process and its answers.
class PeakWorker {
public:
  PeakWorker(const WorkerSettings& settings, std::chrono::milliseconds limit,
             const MeasurePeaks& asked)
      : program_(settings.program), limit_(limit), child_(start_worker(settings)) {
    child_.send(asked);
  }

  /// Nothing after a stop. @throws Lost, WorkerRefused, HelperError
  std::optional<PeakMeasured> next(const std::stop_token& stop) {
    Pauses pauses;
    auto end = Clock::now() + limit_;
    bool alive = true;
    while (!stop.stop_requested()) {
      if (auto answer = take())
        return answer;
      if (!alive)
        throw Lost("the worker " + child_.reap());
      if (Clock::now() >= end) {
        child_.kill();
        throw Lost(fmt::format("no answer from the GPU for {:.1f} s",
                               std::chrono::duration<double>(limit_).count()));
      }
      alive = wait(end);
      end += pauses.late_by();
    }
    return std::nullopt;
  }

private:
  /// Whether the child lives; its last words may have come.
  bool wait(Clock::time_point until) {
    std::vector<pollfd> entry{
        {child_.descriptor(), static_cast<short>(POLLIN | (child_.has_unsent() ? POLLOUT : 0)), 0}};
    wait_for_some(entry, until);
    child_.send_rest();
    return child_.receive();
  }

  std::optional<PeakMeasured> take() {
    while (auto message = understood()) {
      if (const auto* hello = std::get_if<Hello>(&*message)) {
        check_version(*hello, program_);
        greeted_ = true;
      } else if (!greeted_) {
        refuse_stranger(program_);
      } else if (const auto* refused = std::get_if<WorkRefused>(&*message)) {
        throw WorkerRefused(refused->reason, refused->no_device);
      } else if (const auto* gone = std::get_if<ContextLost>(&*message)) {
        throw Lost(gone->reason);
      } else if (auto* answer = std::get_if<PeakMeasured>(&*message)) {
        return std::move(*answer);
      }
    }
    return std::nullopt;
  }

  std::optional<Message> understood() {
    try {
      return child_.next();
    } catch (const ProtocolError& error) {
      if (!greeted_)
        refuse_stranger(program_);
      child_.kill();
      throw Lost(fmt::format("the worker's answer cannot be understood ({})", error.what()));
    }
  }

  std::filesystem::path program_;
  std::chrono::milliseconds limit_;
  ChildProcess child_;
  bool greeted_ = false;
};

/// What goes wrong with one answer; nothing: all is well.
std::optional<std::string> wrong(const PeakMeasured& answer, const std::string& asked) {
  if (answer.name != asked || (answer.peak && answer.peak->name != asked))
    return "the worker answered a different request";
  if (!answer.peak)
    return answer.reason.empty() ? "the worker gave no reason" : answer.reason;
  return answer.peak->value > 0 ? std::nullopt : std::optional("its measured value was zero");
}

} // namespace

MeasuredPeaks run_peaks(const Device& device, const HelperSettings& helpers,
                        const PeakProgress& progress, const std::stop_token& stop,
                        std::chrono::milliseconds limit) {
  MeasuredPeaks found;
  const std::vector<Code> codes = compiled(device, helpers, stop);
  if (!codes[0] || !codes[1])
    return found;
  std::vector<std::string> names;
  names.reserve(peak_words.size());
  for (const PeakWord& word : peak_words)
    names.emplace_back(word.name);
  int losses = 0;
  for (std::size_t done = 0; done < names.size();) {
    PeakWorker worker(worker_settings(helpers), limit,
                      {device.ordinal,
                       codes[0]->cubin,
                       codes[1]->cubin,
                       {names.begin() + static_cast<std::ptrdiff_t>(done), names.end()}});
    try {
      for (; done < names.size(); ++done, losses = 0) {
        if (progress)
          progress(names[done], done, names.size());
        auto answer = worker.next(stop);
        if (!answer)
          return found;
        if (const auto reason = wrong(*answer, names[done]))
          found.missing.push_back({names[done], *reason});
        else
          found.peaks.push_back(std::move(*answer->peak));
      }
    } catch (const Lost& lost) {
      if (++losses == most_losses)
        throw WorkerRefused("the GPU worker keeps ending: " + std::string(lost.what()), false);
      found.missing.push_back({names[done++], lost.what()});
    }
  }
  return found;
}

} // namespace gridsmith
