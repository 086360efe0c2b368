// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/embedding/gridsmith.h"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/results/check/reports.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tuner/embedding/caller_thread.hpp"
#include "gridsmith/tuner/embedding/compiled_code.hpp"
#include "gridsmith/tuner/embedding/outside_strategy.hpp"
#include "gridsmith/tuner/embedding/settings_json.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/presentation/answer_json.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/kept_file.hpp"
#include "gridsmith/tuner/presentation/report_source.hpp"
#include "gridsmith/tuner/presentation/shipping_text.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace gridsmith;

struct gridsmith_session {
  SessionSettings settings;
  gridsmith_listener listener = {};
  std::optional<gridsmith_strategy> strategy = {};
  std::atomic<bool> running = false, stopped = false;
};

struct gridsmith_outcomes {
  std::vector<Outcome> list;
  HelperSettings helpers;
};

struct gridsmith_code {
  CompiledCode code;
};

struct gridsmith_check {
  CheckResult result;
};

namespace {

using Ordered = nlohmann::ordered_json;
using namespace std::chrono_literals;

/// Of this thread: the line of gridsmith_error().
std::string& last_error() {
  thread_local std::string line;
  return line;
}

gridsmith_status failed(gridsmith_status status, const char* line) noexcept {
  try {
    last_error() = printable(line);
  } catch (...) { // no memory: the status says it
    last_error().clear();
  }
  return status;
}

/// Nothing is thrown beyond this.
template <typename Work>
gridsmith_status guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const NoSuchDevice& error) {
    return failed(GRIDSMITH_NO_DEVICE, error.what());
  } catch (const WorkerRefused& error) {
    return failed(error.no_device() ? GRIDSMITH_NO_DEVICE : GRIDSMITH_FAILED, error.what());
  } catch (const InputError& error) {
    return failed(GRIDSMITH_BAD_INPUT, error.what());
  } catch (const nlohmann::json::exception& error) {
    return failed(GRIDSMITH_BAD_INPUT, plain_text(error).c_str());
  } catch (const std::exception& error) {
    return failed(GRIDSMITH_FAILED, error.what());
  } catch (...) {
    return failed(GRIDSMITH_FAILED, "an unknown error");
  }
}

/// @throws InputError
template <typename T>
T& given(T* pointer, const char* name) {
  if (!pointer)
    throw InputError(std::string(name) + ": is NULL");
  return *pointer;
}

std::string_view text_of(const char* text, const char* name) {
  return &given(text, name);
}

/// For gridsmith_free().
gridsmith_status hand_out(const std::string& text, char** to) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *to = copy;
  return GRIDSMITH_OK;
}

gridsmith_status hand_out(const Ordered& json, char** to) {
  return hand_out(json_text(json, -1), to);
}

gridsmith_value value_at(const Ordered& json) {
  gridsmith_value value = {};
  if (json.is_null())
    return value;
  value.kind = json.is_boolean()  ? GRIDSMITH_BOOLEAN
               : json.is_string() ? GRIDSMITH_TEXT
               : json.is_array()  ? GRIDSMITH_ARRAY
               : json.is_object() ? GRIDSMITH_OBJECT
                                  : GRIDSMITH_REAL;
  value.members = json.is_structured() ? json.size() : 0;
  if (json.is_boolean())
    value.integer = json.get<bool>() ? 1 : 0;
  if (json.is_number())
    value.number = json.get<double>();
  if (json.is_number_integer() &&
      !(json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)) {
    value.kind = GRIDSMITH_INTEGER;
    value.integer = json.get<std::int64_t>();
  }
  hand_out(json.is_string() ? json.get<std::string>() : json_text(json, -1), &value.text);
  return value;
}

Ordered progress_json(const Progress& progress) {
  Ordered json = {{"done", progress.done},           {"total", progress.total},
                  {"failed", progress.failed},       {"reused", progress.reused},
                  {"pruned", progress.pruned_early}, {"unit", progress.unit},
                  {"seconds", progress.seconds},     {"best", nullptr},
                  {"seconds_left", nullptr},         {"new", Ordered::array()}};
  if (progress.best)
    json["best"] = *progress.best;
  if (progress.seconds_left)
    json["seconds_left"] = *progress.seconds_left;
  for (const Measurement& one : progress.told) {
    Ordered& row = json["new"].emplace_back();
    row["configuration"] = object_of(one.configuration);
    row["status"] = to_text(one.status);
    if (!one.reason.empty())
      row["reason"] = one.reason;
    if (!one.times_ms.empty())
      row["samples_ms"] = one.times_ms;
  }
  return json;
}

/// Work whose callbacks come in the caller's thread, and may stop it.
class Calls {
public:
  /// @param stopped may be set at any time
  Calls(const gridsmith_listener& listener, const std::atomic<bool>& stopped)
      : listener_(listener), stopped_(stopped), thread_(50ms, [this] { look(); }) {}

  /// @return GRIDSMITH_OK or GRIDSMITH_STOPPED. @throws as the work
  gridsmith_status run(const std::function<void(const std::stop_token&)>& work) {
    thread_.run([&] { work(stop_.get_token()); });
    return stop_.stop_requested() ? failed(GRIDSMITH_STOPPED, "stopped before the end")
                                  : GRIDSMITH_OK;
  }

  void stop() { stop_.request_stop(); }

  void call(const std::function<void()>& callback) {
    thread_.call(callback);
    if (stopped_)
      stop();
  }

  void note(const std::string& line) { say(listener_.note, line); }

  bool wants_progress() const { return listener_.progress; }

  void progress(const Ordered& json) { say(listener_.progress, json_text(json, -1)); }

private:
  /// In the caller's thread, several times a second.
  void look() {
    if (stopped_ || (listener_.poll && listener_.poll(listener_.user) != 0))
      stop();
  }

  void say(int (*callback)(void*, const char*), const std::string& text) {
    if (callback)
      call([&] {
        if (callback(listener_.user, text.c_str()) != 0)
          stop();
      });
  }

  const gridsmith_listener listener_;
  const std::atomic<bool>& stopped_;
  CallerThread thread_;
  std::stop_source stop_;
};

Listener listener_of(Calls& calls) {
  Listener listener{.begun =
                        [&](const Subject& subject) {
                          if (subject.recording) // what a replay is, its reader has to know
                            calls.note(replay_text(subject));
                        },
                    .note = [&](const std::string& line) { calls.note(line); }};
  if (calls.wants_progress())
    listener.progress = [&](const Progress& progress) { calls.progress(progress_json(progress)); };
  return listener;
}

SessionSettings searched_by(SessionSettings settings, const gridsmith_strategy& strategy,
                            Calls& calls) {
  settings.own_strategy = [&](const SearchProblem& problem) {
    return std::make_unique<OutsideStrategy>(
        strategy, problem, [&](const std::function<void()>& callback) { calls.call(callback); },
        [&] { calls.stop(); });
  };
  return settings;
}

gridsmith_status run(gridsmith_session& session, gridsmith_outcomes** to) {
  Calls calls(session.listener, session.stopped);
  auto outcomes = std::make_unique<gridsmith_outcomes>();
  outcomes->helpers = session.settings.helpers;
  const SessionSettings settings =
      session.strategy ? searched_by(session.settings, *session.strategy, calls) : session.settings;
  const gridsmith_status status = calls.run([&](const std::stop_token& stop) {
    outcomes->list = Session(settings).run(stop, listener_of(calls));
  });
  const bool any = std::any_of(outcomes->list.begin(), outcomes->list.end(),
                               [](const Outcome& one) { return !one.result.measurements.empty(); });
  if (status == GRIDSMITH_OK || any)
    *to = outcomes.release();
  return status;
}

const Outcome& outcome_at(const gridsmith_outcomes* outcomes, std::size_t index) {
  const auto& list = given(outcomes, "outcomes").list;
  if (index >= list.size())
    throw InputError("outcome " + std::to_string(index) + ": there are " +
                     std::to_string(list.size()));
  return list[index];
}

const SearchSpace& space_with(const gridsmith_space* space, std::uint64_t id) {
  const SearchSpace& of = given(space, "space").space;
  if (id >= of.size())
    throw InputError("configuration " + std::to_string(id) + ": the space has " +
                     std::to_string(of.size()));
  return of;
}

/// One of them, or for SIZE_MAX all.
std::span<const Outcome> chosen(const gridsmith_outcomes* outcomes, std::size_t index) {
  if (index == SIZE_MAX)
    return given(outcomes, "outcomes").list;
  return {&outcome_at(outcomes, index), 1};
}

std::string report_of(std::span<const Outcome> outcomes, const HelperSettings& helpers) {
  std::vector<ReportSource> sources;
  for (const Outcome& one : outcomes) {
    sources.push_back(report_source(one));
    add_code(sources.back(), helpers);
  }
  return report_page(report_model(sources));
}

/// @throws InputError that lists the formats
std::string export_of(std::span<const Outcome> outcomes, std::string_view format,
                      const HelperSettings& helpers) {
  std::vector<std::string> names{"report"};
  for (const FormatEntry& one : export_formats())
    names.push_back(one.name);
  if (std::find(names.begin(), names.end(), format) == names.end())
    throw InputError(unknown_name("format", format, names));
  if (format == "report")
    return report_of(outcomes, helpers);
  std::vector<Export> exports;
  for (const Outcome& one : outcomes)
    exports.push_back(one.exported());
  return export_text(export_format(format), exports);
}

CheckListener check_listener_of(Calls& calls) {
  return {.progress =
              [&](const CheckProgress& progress) {
                calls.progress({{"number", progress.number},
                                {"kernels", progress.kernels},
                                {"kernel", progress.kernel}});
              },
          .note = [&](const std::string& line) { calls.note(line); }};
}

Ordered run_tune_all(std::string_view text, Calls& calls, const std::stop_token& stop) {
  const AllTuned tuned = tune_all(all_settings(text), stop, listener_of(calls));
  Ordered json = all_json(tuned);
  std::vector<Export> exports = tuned.exported();
  std::erase_if(exports, [](const Export& one) { return !has_best(one); });
  json["header"] =
      exports.empty() ? Ordered(nullptr) : Ordered(export_text(export_format("header"), exports));
  return json;
}

Ordered run_retune(std::string_view text, Calls& calls, const std::stop_token& stop) {
  const RetuneSettings settings = retune_settings(text);
  const Retuned retuned = retune(settings, stop, listener_of(calls));
  Ordered json = retuned_json(retuned);
  const auto header = header_of(retuned, settings.shipped);
  json["header"] = or_null(header);
  return json;
}

Ordered run_judge(std::string_view text, Calls& calls, const std::stop_token& stop) {
  const CandidateVerdict verdict = judge(judge_settings(text), stop, check_listener_of(calls));
  return Ordered::parse(candidate_verdict_json(verdict));
}

struct Command {
  const char* name;
  Ordered (*run)(std::string_view settings, Calls& calls, const std::stop_token& stop);
};

/// @throws InputError
const Command& command_of(std::string_view name) {
  static constexpr std::array commands = {Command{"tune_all", run_tune_all},
                                          Command{"retune", run_retune},
                                          Command{"judge", run_judge}};
  return entry_named(name, commands, "command");
}

} // namespace

int gridsmith_interface(void) {
  return GRIDSMITH_INTERFACE;
}

const char* gridsmith_version(void) {
  static const std::string text(version());
  return text.c_str();
}

const char* gridsmith_error(void) {
  return last_error().c_str();
}

void gridsmith_free(char* text) {
  std::free(text);
}

gridsmith_status gridsmith_json_at(const char* json, const char* pointer, gridsmith_value* value) {
  return guarded([&] {
    given(value, "value") = {};
    const Ordered all = ordered_of_text(text_of(json, "json"));
    const Ordered::json_pointer where{std::string(text_of(pointer, "pointer"))};
    if (all.contains(where))
      *value = value_at(all.at(where));
    return GRIDSMITH_OK;
  });
}

gridsmith_status gridsmith_session_new(const char* settings, gridsmith_session** session) {
  return guarded([&] {
    given(session, "session") = nullptr;
    auto made = std::make_unique<gridsmith_session>();
    made->settings = session_settings(text_of(settings, "settings"));
    static_cast<void>(Session(made->settings)); // bad input is said now
    *session = made.release();
    return GRIDSMITH_OK;
  });
}

void gridsmith_session_free(gridsmith_session* session) {
  delete session;
}

void gridsmith_session_listen(gridsmith_session* session, const gridsmith_listener* listener) {
  if (session)
    session->listener = listener ? *listener : gridsmith_listener{};
}

gridsmith_status gridsmith_session_search_by(gridsmith_session* session, const char* name,
                                             const gridsmith_strategy* strategy) {
  return guarded([&] {
    gridsmith_session& to = given(session, "session");
    const std::string called(text_of(name, "name"));
    if (!given(strategy, "strategy").ask)
      throw InputError("strategy: ask is NULL");
    SessionSettings settings = to.settings;
    settings.strategy = called;
    settings.own_strategy = [](const SearchProblem&) { return std::unique_ptr<Strategy>(); };
    static_cast<void>(Session(settings)); // whether the other settings allow it
    to.settings.strategy = called;
    to.strategy = *strategy;
    return GRIDSMITH_OK;
  });
}

uint64_t gridsmith_space_size(const gridsmith_space* space) {
  return space ? space->space.size() : 0;
}

gridsmith_status gridsmith_space_at(const gridsmith_space* space, uint64_t id,
                                    char** configuration) {
  return guarded([&] {
    given(configuration, "configuration") = nullptr;
    const SearchSpace& of = space_with(space, id);
    return hand_out(object_of(of.at(id)), configuration);
  });
}

gridsmith_status gridsmith_space_find(const gridsmith_space* space, const char* configuration,
                                      uint64_t* id) {
  return guarded([&] {
    const Configuration wanted = configuration_of_json(text_of(configuration, "configuration"));
    const auto found = given(space, "space").space.find(wanted);
    if (!found)
      throw InputError(to_text(wanted) + " is not in the space");
    given(id, "id") = *found;
    return GRIDSMITH_OK;
  });
}

gridsmith_status gridsmith_space_neighbours(const gridsmith_space* space, uint64_t id,
                                            uint64_t* ids, size_t most, size_t* count) {
  return guarded([&] {
    const SearchSpace& of = space_with(space, id);
    const std::vector<ConfigurationId> all = of.neighbours(id, Neighbourhood::hamming);
    given(count, "count") = all.size();
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
      (&given(ids, "ids"))[i] = all[i];
    return GRIDSMITH_OK;
  });
}

gridsmith_status gridsmith_session_run(gridsmith_session* session, gridsmith_outcomes** outcomes) {
  return guarded([&] {
    given(outcomes, "outcomes") = nullptr;
    gridsmith_session& of = given(session, "session");
    if (of.running.exchange(true))
      throw InputError("this session runs already");
    struct Running { // also where it ends by an error
      gridsmith_session& of;
      ~Running() { of.running = of.stopped = false; }
    } const running{of};
    return run(of, outcomes);
  });
}

void gridsmith_session_stop(gridsmith_session* session) {
  if (session && session->running)
    session->stopped = true;
}

size_t gridsmith_outcomes_count(const gridsmith_outcomes* outcomes) {
  return outcomes ? outcomes->list.size() : 0;
}

gridsmith_status gridsmith_outcomes_answer(const gridsmith_outcomes* outcomes, size_t index,
                                           char** json) {
  return guarded([&] {
    given(json, "json") = nullptr;
    return hand_out(answer_json(outcome_at(outcomes, index)), json);
  });
}

gridsmith_status gridsmith_outcomes_text(const gridsmith_outcomes* outcomes, size_t index,
                                         char** text) {
  return guarded([&] {
    given(text, "text") = nullptr;
    const Outcome& outcome = outcome_at(outcomes, index);
    const Terminal plain;
    return hand_out(answer_text(outcome, plain) + "\n" + summary_text(outcome, plain), text);
  });
}

gridsmith_status gridsmith_outcomes_export(const gridsmith_outcomes* outcomes, size_t index,
                                           const char* format, char** text) {
  return guarded([&] {
    given(text, "text") = nullptr;
    const auto some = chosen(outcomes, index);
    return hand_out(export_of(some, text_of(format, "format"), outcomes->helpers), text);
  });
}

gridsmith_status gridsmith_outcomes_write(const gridsmith_outcomes* outcomes, size_t index,
                                          const char* format, const char* file) {
  return guarded([&] {
    const std::string name(text_of(file, "file")), as(text_of(format, "format"));
    const std::string text = export_of(chosen(outcomes, index), as, outcomes->helpers);
    if (const std::string why = why_kept(name, as); !why.empty())
      throw InputError(printable(name) + " " + why + "; choose another name");
    write_packed(name, text);
    return GRIDSMITH_OK;
  });
}

void gridsmith_outcomes_free(gridsmith_outcomes* outcomes) {
  delete outcomes;
}

gridsmith_status gridsmith_check_run(const char* settings, const gridsmith_listener* listener,
                                     gridsmith_check** check) {
  return guarded([&] {
    given(check, "check") = nullptr;
    const CheckSettings of = check_settings(text_of(settings, "settings"));
    const std::atomic<bool> never = false;
    Calls calls(listener ? *listener : gridsmith_listener{}, never);
    auto made = std::make_unique<gridsmith_check>();
    calls.run([&](const std::stop_token& stop) {
      made->result = run_check(of, stop, check_listener_of(calls));
    });
    *check = made.release();
    return GRIDSMITH_OK;
  });
}

gridsmith_status gridsmith_check_report(const gridsmith_check* check, const char* format,
                                        char** text) {
  return guarded([&] {
    given(text, "text") = nullptr;
    const CheckResult& result = given(check, "check").result;
    const std::string_view name = text_of(format, "format");
    return hand_out(name == "text"
                        ? check_text(result, Terminal().width)
                        : report_format(name).text(result, std::filesystem::current_path()),
                    text);
  });
}

void gridsmith_check_free(gridsmith_check* check) {
  delete check;
}

gridsmith_status gridsmith_command(const char* name, const char* settings,
                                   const gridsmith_listener* listener, char** json) {
  return guarded([&] {
    given(json, "json") = nullptr;
    const Command& command = command_of(text_of(name, "name"));
    const std::string_view text = text_of(settings, "settings");
    const std::atomic<bool> never = false;
    Calls calls(listener ? *listener : gridsmith_listener{}, never);
    Ordered done;
    const gridsmith_status status =
        calls.run([&](const std::stop_token& stop) { done = command.run(text, calls, stop); });
    hand_out(done, json);
    return status;
  });
}

gridsmith_status gridsmith_compile(const char* settings, const char* configuration,
                                   const char* device, gridsmith_code** code) {
  return guarded([&] {
    given(code, "code") = nullptr;
    const Device target = device_of_json(text_of(device, "device"));
    auto made = std::make_unique<gridsmith_code>();
    made->code =
        compiled_code(session_settings(text_of(settings, "settings")),
                      configuration_of_json(text_of(configuration, "configuration")), target);
    *code = made.release();
    return GRIDSMITH_OK;
  });
}

gridsmith_status gridsmith_code_facts(const gridsmith_code* code, char** json) {
  return guarded([&] {
    given(json, "json") = nullptr;
    return hand_out(given(code, "code").code.facts, json);
  });
}

const void* gridsmith_code_binary(const gridsmith_code* code, size_t* bytes) {
  if (!code)
    return nullptr;
  if (bytes)
    *bytes = code->code.cubin->size();
  return code->code.cubin->data();
}

void gridsmith_code_free(gridsmith_code* code) {
  delete code;
}

gridsmith_status gridsmith_devices(char** json) {
  return guarded([&] {
    given(json, "json") = nullptr;
    const DeviceList list = query_devices(find_installation().programs);
    if (list.devices.empty())
      throw NoSuchDevice(list.reason);
    Ordered all = Ordered::array();
    for (const Device& one : list.devices)
      all.push_back(Ordered(to_fields(one, Fields::all)));
    return hand_out(all, json);
  });
}

gridsmith_status gridsmith_settings(char** json) {
  return guarded([&] {
    given(json, "json") = nullptr;
    return hand_out(described_settings(), json);
  });
}
