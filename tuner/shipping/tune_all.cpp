// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/tuner/session/header_gaps.hpp"
#include "gridsmith/tuner/shipping/known_best.hpp"
#include "gridsmith/tuner/shipping/shipped_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// A T1 file by its two sections; recordings and answers have other ones.
bool looks_like_definition(const fs::path& file) {
  if (file.extension() != ".json")
    return false;
  const std::string text = read_unpacked(file);
  return text.find("\"ConfigurationSpace\"") != text.npos &&
         text.find("\"KernelSpecification\"") != text.npos;
}

void add_below(const fs::path& folder, std::vector<fs::path>& files) {
  const std::size_t before = files.size();
  std::error_code error;
  for (const auto& entry : entries_below(folder, error))
    if (entry.is_regular_file() && looks_like_definition(entry.path()))
      files.push_back(entry.path());
  if (error)
    throw InputError(folder.string() + ": cannot be read: " + error.message());
  if (files.size() == before)
    throw InputError(folder.string() + ": there is no kernel definition in it or below it");
}

/// The recordings beside a definition, of the device itself too.
void add_recordings(const fs::path& definition, std::vector<fs::path>& files) {
  std::error_code error;
  for (const auto& entry : entries_of(definition.parent_path() / "recordings", error))
    files.push_back(entry.path());
}

/// What is known of other devices.
std::vector<KnownBest> known_of(const AllSettings& settings,
                                std::span<const fs::path> definitions) {
  std::vector<fs::path> files = settings.from;
  std::error_code error;
  if (const auto& store = settings.session.store; store && fs::exists(*store, error))
    files.push_back(*store);
  for (const fs::path& definition : definitions)
    add_recordings(definition, files);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return known_best(files);
}

std::optional<double> loss_of(const Outcome& outcome, const Configuration& configuration) {
  const auto ms = time_ms(outcome, configuration);
  const Ranked* winner = outcome.answer.winner();
  return ms && winner ? std::optional(*ms / winner->time.median_ms - 1) : std::nullopt;
}

bool wins(const Outcome& outcome, const Configuration& configuration) {
  const auto& ranking = outcome.answer.ranking;
  return outcome.answer.winner() &&
         std::any_of(ranking.begin(), ranking.end(), [&](const Ranked& one) {
           return (one.tied || &one == &ranking.front()) &&
                  one.measurement.configuration == configuration;
         });
}

class TuneAll {
public:
  TuneAll(const AllSettings& settings, const std::stop_token& stop, const Listener& listener)
      : settings_(settings), stop_(stop), listener_(listener),
        sources_(settings.session, listener) {}

  AllTuned run() {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<fs::path> definitions = definitions_of(settings_);
    known_ = known_of(settings_, definitions);
    for (const fs::path& file : definitions)
      begin(file);
    check_names();
    check_any();
    sources_.begin();
    tuned_.out_of_time = run_jobs(
        searches_, {.budget = settings_.session.budget, .others_go_on = true}, listener_, stop_);
    tuned_.stopped = stop_.stop_requested();
    for (std::size_t i = 0; i < searches_.size(); ++i)
      finish(searches_[i], tuned_.kernels[places_[i]]);
    tell_news();
    tuned_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(tuned_);
  }

private:
  /// A definition that cannot be read hides no other.
  void begin(const fs::path& file) {
    KernelTuned& kernel = tuned_.kernels.emplace_back();
    kernel.definition = file;
    kernel.kernel = file.stem().string();
    try {
      RunKernel search = shipped_kernel(settings_.session, file);
      kernel.kernel = search.definition->name;
      const std::vector<ProblemSize> problems = problems_of(*search.definition, settings_);
      if (problems.empty())
        throw InputError(file.string() + ": none of the requested sizes is one of its sizes");
      for (const ProblemSize& problem : problems)
        if (const std::string absent = add_problem(search, problem, sources_); !absent.empty()) {
          kernel.left_out.push_back(to_text(problem));
          no_device_ = absent;
        }
      for (RunJob& wanted : search.jobs)
        for (const KnownBest& one :
             transfers(known_, kernel.kernel, wanted.source.device, wanted.problem))
          wanted.begin_with.push_back(one.configuration);
      searches_.push_back(std::move(search));
      places_.push_back(tuned_.kernels.size() - 1);
    } catch (const InputError& error) {
      kernel.failed = error.what();
    }
  }

  void check_names() const {
    std::map<std::string, const fs::path*> seen;
    for (const KernelTuned& kernel : tuned_.kernels)
      if (const auto [entry, fresh] = seen.emplace(kernel.kernel, &kernel.definition); !fresh)
        throw InputError(fmt::format("two kernels are called '{}': {} and {}; name one of them",
                                     kernel.kernel, entry->second->string(),
                                     kernel.definition.string()));
  }

  /// @throws what kept all kernels from being measured
  void check_any() const {
    for (const RunKernel& search : searches_)
      if (!search.jobs.empty())
        return;
    if (!no_device_.empty())
      throw NoSuchDevice(no_device_);
    throw InputError(tuned_.kernels.front().failed);
  }

  void finish(RunKernel& search, KernelTuned& kernel) {
    kernel.failed = search.failed;
    if (std::vector<Calibration> found = calibrations_of(search.outcomes); !found.empty())
      kernel.calibration = std::move(found.front());
    for (Outcome& outcome : search.outcomes) {
      kernel.evaluations += outcome.result.measurements.size();
      kernel.reused += outcome.result.reused;
      if (outcome.subject.drawn)
        kernel.drawn.push_back(std::move(outcome));
      else
        kernel.problems.push_back(judged(std::move(outcome)));
    }
    for (const RunJob& wanted : search.jobs)
      if (std::none_of(kernel.problems.begin(), kernel.problems.end(), [&](const auto& one) {
            return one.outcome.subject.problem == to_text(wanted.problem);
          }))
        kernel.left_out.push_back(to_text(wanted.problem));
  }

  ProblemTuned judged(Outcome outcome) {
    ProblemTuned tuned;
    if (const auto& usual = outcome.subject.default_configuration)
      tuned.default_loss = loss_of(outcome, *usual);
    if (!outcome.begun_with.empty()) {
      tuned.transferred = outcome.begun_with.front();
      tuned.transferred_loss = loss_of(outcome, *tuned.transferred);
      tuned.moved = !wins(outcome, *tuned.transferred);
      for (const KnownBest& one : transfers(known_, outcome.subject.kernel, outcome.subject.device,
                                            {extents_of(outcome.subject.problem)}))
        if (one.configuration == *tuned.transferred) {
          tuned.transferred_from = one.device.name + " " + to_text(one.problem);
          ++used_[one.device.name];
        }
    }
    tuned.outcome = std::move(outcome);
    return tuned;
  }

  /// Beside the device that most came from.
  void tell_news() {
    const auto most =
        std::max_element(used_.begin(), used_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == used_.end())
      return;
    tuned_.known_device = most->first;
    for (const KernelTuned& kernel : tuned_.kernels)
      for (const ProblemTuned& problem : kernel.problems)
        for (const KnownBest& known : known_)
          if (known.device.name == most->first) { // a header tells less of it than a recording
            auto lines = news(problem.outcome.subject.device, known.device);
            if (lines.size() > tuned_.news.size())
              tuned_.news = std::move(lines);
          }
  }

  const AllSettings& settings_;
  const std::stop_token& stop_;
  const Listener& listener_;
  Sources sources_;
  std::vector<KnownBest> known_;
  std::vector<RunKernel> searches_;
  std::string no_device_;                   ///< why a problem was left out
  std::vector<std::size_t> places_;         ///< of the searches, in AllTuned::kernels
  std::map<std::string, std::size_t> used_; ///< transferred configurations by device
  AllTuned tuned_;
};

} // namespace

bool AllTuned::replayed() const {
  for (const KernelTuned& kernel : kernels)
    for (const ProblemTuned& problem : kernel.problems)
      if (problem.outcome.subject.recording)
        return true;
  return false;
}

std::vector<Export> AllTuned::exported() const {
  std::vector<Export> all;
  for (const KernelTuned& kernel : kernels) {
    for (const ProblemTuned& problem : kernel.problems)
      all.push_back(problem.outcome.exported());
    for (const Outcome& outcome : kernel.drawn)
      all.push_back(outcome.exported());
  }
  return all;
}

std::vector<ProblemSize> problems_of(const KernelDefinition& definition,
                                     const AllSettings& settings) {
  std::vector<ProblemSize> own = definition.problem_sizes.empty()
                                     ? std::vector{definition.default_problem()}
                                     : definition.problem_sizes;
  const std::vector<ProblemSize>& asked = settings.session.problems;
  std::erase_if(own, [&](const ProblemSize& one) {
    return !asked.empty() && std::find(asked.begin(), asked.end(), one) == asked.end();
  });
  return own;
}

std::vector<fs::path> definitions_of(const AllSettings& settings) {
  const fs::path& shipped = settings.session.helpers.installation.catalogue;
  if (settings.where.empty()) {
    std::vector<fs::path> files = catalogue(shipped);
    if (files.empty())
      throw InputError("no catalogue of kernels found next to the program or above it; name a "
                       "folder with definitions");
    return files;
  }
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::path& place : settings.where)
    if (fs::is_directory(place, error))
      add_below(place, files);
    else
      files.push_back(find_definition(place.string(), shipped));
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

AllTuned tune_all(const AllSettings& settings, const std::stop_token& stop,
                  const Listener& listener) {
  return TuneAll(settings, stop, listener).run();
}

} // namespace gridsmith
