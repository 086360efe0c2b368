// SPDX-License-Identifier: Apache-2.0
// Gridsmith in C++20: sessions, checks, devices. It stands on the C interface of the library (gridsmith.h) and on the
// standard library alone, so a program works with every library of that interface, whatever it was compiled with.
//
//   gridsmith::Session session(R"({"kernel": "transpose", "sizes": [[8192, 8192]], "store": "gridsmith.db"})");
//   for (const gridsmith::Outcome& outcome : session.run())
//     if (const auto best = outcome.best())
//       use(best->get<int>("TILE"), best->time_ms);
//
// Settings and results are JSON. Json reads single values; a whole document goes to and from a JSON library by its text:
// Session(nlohmann::json{…}), nlohmann::json::parse(outcome.answer().text()).
//
// Every function throws Error, whose text is one line for people. What a callback throws ends the run, which throws it
// again. An object is used by one thread at a time; callbacks come in the thread that called run().
#pragma once

#include <gridsmith.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gridsmith {
// The library has types of its own of some of these names, which are never in one program with these.
inline namespace face {

class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Settings, a definition or a name are wrong; the line says the valid choices.
class InputError : public Error {
public:
  using Error::Error;
};

/// There is neither a GPU nor a recording.
class NoDevice : public Error {
public:
  using Error::Error;
};

/// It was stopped before anything was measured.
class Stopped : public Error {
public:
  using Error::Error;
};

namespace detail { // not for users

/// Throws what a status of the C interface says.
inline void check_status(gridsmith_status status) {
  switch (status) {
  case GRIDSMITH_OK:
    return;
  case GRIDSMITH_BAD_INPUT:
    throw InputError(gridsmith_error());
  case GRIDSMITH_NO_DEVICE:
    throw NoDevice(gridsmith_error());
  case GRIDSMITH_STOPPED:
    throw Stopped(gridsmith_error());
  case GRIDSMITH_FAILED:
    break;
  }
  throw Error(gridsmith_error());
}

/// The text that a function of the C interface hands out by its last argument.
template <typename Function, typename... Arguments>
std::string text_of(Function function, Arguments... arguments) {
  char* text = nullptr;
  check_status(function(arguments..., &text));
  const std::unique_ptr<char, decltype(&gridsmith_free)> owned(text, &gridsmith_free);
  return text ? text : "";
}

} // namespace detail

/// A JSON document.
class Json {
public:
  Json(std::string text) : text_(std::move(text)) {}

  Json(const char* text) : text_(text) {}

  /// Of a JSON library that writes by dump(), as nlohmann::json does.
  template <typename Document>
    requires requires(const Document& document) {
      { document.dump() } -> std::convertible_to<std::string>;
    }
  Json(const Document& document) : text_(document.dump()) {}

  const std::string& text() const { return text_; }

  /// The value at a name, or at a JSON pointer (RFC 6901) such as "/best/time_ms/median"; none: it is absent or null.
  /// @tparam T bool, a number, std::string, or Json for an array or an object
  /// @throws InputError: the value has another type, or does not fit into T
  template <typename T>
  std::optional<T> find(std::string_view where) const {
    const Found found(text_, where);
    if (found.value.kind == GRIDSMITH_NULL)
      return std::nullopt;
    if (auto value = found.as<T>())
      return value;
    throw InputError(std::string(where) + ": is " + (found.value.text ? found.value.text : "") +
                     ", which has another type, or does not fit into the one asked for");
  }

  /// The same. @throws InputError: it is absent or null
  template <typename T>
  T get(std::string_view where) const {
    if (auto value = find<T>(where))
      return *std::move(value);
    throw InputError(std::string(where) + ": is not there");
  }

  /// How many elements an array has, or members an object; 0 of anything else.
  std::size_t size(std::string_view where = "") const { return Found(text_, where).value.members; }

private:
  /// A value as the C interface finds it.
  struct Found {
    gridsmith_value value = {};

    Found(const std::string& json, std::string_view where) {
      detail::check_status(gridsmith_json_at(json.c_str(), pointer(where).c_str(), &value));
    }

    ~Found() { gridsmith_free(value.text); }

    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;

    static std::string pointer(std::string_view where) {
      if (where.empty() || where.front() == '/')
        return std::string(where);
      std::string escaped = "/";
      for (const char one : where)
        one == '~' ? escaped += "~0" : one == '/' ? escaped += "~1" : escaped += one;
      return escaped;
    }

    template <typename T>
    std::optional<T> as() const {
      const gridsmith_kind kind = value.kind;
      if constexpr (std::is_same_v<T, bool>) {
        if (kind == GRIDSMITH_BOOLEAN)
          return value.integer != 0;
      } else if constexpr (std::is_integral_v<T>) {
        if (kind == GRIDSMITH_INTEGER && std::in_range<T>(value.integer))
          return static_cast<T>(value.integer);
      } else if constexpr (std::is_floating_point_v<T>) {
        if (kind == GRIDSMITH_INTEGER || kind == GRIDSMITH_REAL)
          return static_cast<T>(value.number);
      } else if constexpr (std::is_same_v<T, std::string>) {
        if (kind == GRIDSMITH_TEXT)
          return std::string(value.text);
      } else {
        static_assert(std::is_same_v<T, Json>, "bool, a number, std::string or gridsmith::Json");
        if (kind == GRIDSMITH_ARRAY || kind == GRIDSMITH_OBJECT)
          return Json(value.text);
      }
      return std::nullopt;
    }
  };

  std::string text_;
};

// ---- a search of your own

/// What a configuration of a search came to: `cost` is to become small, the time in ms for the objective "time"; NAN: it
/// failed.
using Observation = gridsmith_observation;

/// The configurations of a search: numbers below size(). Copies are of the same, which lasts until Strategy::end().
class Space {
public:
  explicit Space(const gridsmith_space* space = nullptr) : space_(space) {}

  std::uint64_t size() const { return gridsmith_space_size(space_); }

  /// Its parameters and their values.
  Json at(std::uint64_t id) const { return detail::text_of(gridsmith_space_at, space_, id); }

  /// Its number; none: it is not in the space.
  std::optional<std::uint64_t> find(const Json& configuration) const {
    std::uint64_t id = 0;
    const gridsmith_status status = gridsmith_space_find(space_, configuration.text().c_str(), &id);
    if (status == GRIDSMITH_BAD_INPUT)
      return std::nullopt;
    detail::check_status(status);
    return id;
  }

  /// Those that differ in one parameter.
  std::vector<std::uint64_t> neighbours(std::uint64_t id) const {
    std::size_t count = 0;
    detail::check_status(gridsmith_space_neighbours(space_, id, nullptr, 0, &count));
    std::vector<std::uint64_t> ids(count);
    if (count > 0)
      detail::check_status(gridsmith_space_neighbours(space_, id, ids.data(), ids.size(), &count));
    return ids;
  }

private:
  const gridsmith_space* space_;
};

/// Searches in place of the strategies that Gridsmith has. Each configuration is measured once.
class Strategy {
public:
  virtual ~Strategy() = default;

  /// Before the first question.
  virtual void begin(const Space&) {}

  /// At most so many numbers of the space; none: wait for answers, or the end where none is due.
  virtual std::vector<std::uint64_t> ask(std::size_t most) = 0;

  virtual void tell(std::span<const Observation>) {}

  virtual void end() {}
};

// ---- what a run says meanwhile

/// Each may be empty.
struct Listener {
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
  /// Of a session: done, total, best, seconds, new …, each time that something is new. False ends the run: a rule of
  /// your own for when to stop.
  std::function<bool(const Json&)> progress = {};
};

namespace detail {

/// Callbacks of C++ as those of C.
class Callbacks {
public:
  Callbacks(const Listener& listener, std::stop_token stop, Strategy* strategy = nullptr)
      : listener_(listener), stop_(std::move(stop)), strategy_(strategy) {}

  gridsmith_listener listener() {
    gridsmith_listener all = {};
    all.user = this;
    all.poll = [](void* user) { return of(user).stop_.stop_requested() ? 1 : 0; };
    if (listener_.note)
      all.note = [](void* user, const char* line) {
        return of(user).kept(1, [&] { return of(user).listener_.note(line), 0; });
      };
    if (listener_.progress)
      all.progress = [](void* user, const char* json) {
        return of(user).kept(1, [&] { return of(user).listener_.progress(json) ? 0 : 1; });
      };
    return all;
  }

  gridsmith_strategy strategy() {
    gridsmith_strategy all = {};
    all.user = this;
    all.begin = [](void* user, const gridsmith_space* space) {
      return of(user).kept(1, [&] { return of(user).strategy_->begin(Space(space)), 0; });
    };
    all.ask = [](void* user, std::size_t most, std::uint64_t* ids) {
      return of(user).kept(std::numeric_limits<std::size_t>::max(), [&] {
        const std::vector<std::uint64_t> asked = of(user).strategy_->ask(most);
        if (asked.size() > most)
          throw InputError("Strategy::ask gives " + std::to_string(asked.size()) +
                           " configurations; at most " + std::to_string(most) + " were asked for");
        std::copy(asked.begin(), asked.end(), ids);
        return asked.size();
      });
    };
    all.tell = [](void* user, const gridsmith_observation* observations, std::size_t count) {
      return of(user).kept(1, [&] { return of(user).strategy_->tell({observations, count}), 0; });
    };
    all.end = [](void* user) { of(user).kept(1, [&] { return of(user).strategy_->end(), 0; }); };
    return all;
  }

  /// @throws what a callback threw
  void rethrow() const {
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

private:
  static Callbacks& of(void* user) { return *static_cast<Callbacks*>(user); }

  /// What is thrown is kept, and the answer is then `otherwise`, which stops.
  template <typename Result, typename Call>
  Result kept(Result otherwise, const Call& call) {
    try {
      return static_cast<Result>(call());
    } catch (...) {
      if (!thrown_)
        thrown_ = std::current_exception();
      return otherwise;
    }
  }

  const Listener& listener_;
  const std::stop_token stop_;
  Strategy* strategy_;
  std::exception_ptr thrown_;
};

} // namespace detail

// ---- what came of a session

/// A configuration that was measured last against the best.
struct Ranked {
  Json configuration;
  double time_ms, low_ms, high_ms; ///< median, and the 95 % interval of it
  bool tied;                       ///< its time cannot be distinguished from that of the best

  /// The value of a parameter. @see Json::get
  template <typename T>
  T get(std::string_view parameter) const {
    return configuration.get<T>(parameter);
  }
};

/// One size on one device.
class Outcome {
public:
  Outcome(std::shared_ptr<const gridsmith_outcomes> of, std::size_t index)
      : of_(std::move(of)), index_(index),
        answer_(detail::text_of(gridsmith_outcomes_answer, of_.get(), index)) {}

  /// All fields, as docs/schema/answer.schema.json says.
  const Json& answer() const { return answer_; }

  /// None: no configuration gave a correct result that was confirmed; text() says why.
  std::optional<Ranked> best() const {
    if (!answer_.find<Json>("/best"))
      return std::nullopt;
    return ranked("/best");
  }

  /// The finalists, best first.
  std::vector<Ranked> ranking() const {
    std::vector<Ranked> all;
    const std::size_t count = answer_.size("/ranking");
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(ranked("/ranking/" + std::to_string(i)));
    return all;
  }

  /// As the program prints it: the ranking, why the best takes as long as it does, and why it won.
  std::string text() const { return detail::text_of(gridsmith_outcomes_text, of_.get(), index_); }

  /// In a format of 'gridsmith export', such as "header" or "csv", or "report": a page of HTML.
  std::string exported(const std::string& format) const {
    return detail::text_of(gridsmith_outcomes_export, of_.get(), index_, format.c_str());
  }

  /// The same into a file. Throws InputError where that is a store, a source, a definition or a recording.
  void write(const std::string& format, const std::string& file) const {
    detail::check_status(gridsmith_outcomes_write(of_.get(), index_, format.c_str(), file.c_str()));
  }

private:
  Ranked ranked(const std::string& where) const {
    return {
        answer_.get<Json>(where + "/configuration"), answer_.get<double>(where + "/time_ms/median"),
        answer_.get<double>(where + "/time_ms/low"), answer_.get<double>(where + "/time_ms/high"),
        answer_.find<bool>(where + "/tied").value_or(false)};
  }

  std::shared_ptr<const gridsmith_outcomes> of_;
  std::size_t index_;
  Json answer_;
};

/// Of every size, device by device.
class Outcomes {
public:
  /// Takes it over.
  explicit Outcomes(gridsmith_outcomes* outcomes) : of_(outcomes, &gridsmith_outcomes_free) {
    const std::size_t count = gridsmith_outcomes_count(outcomes);
    all_.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all_.emplace_back(of_, i);
  }

  std::size_t size() const { return all_.size(); }

  bool empty() const { return all_.empty(); }

  /// @throws InputError: there are fewer
  const Outcome& at(std::size_t index) const {
    if (index >= all_.size())
      throw InputError("outcome " + std::to_string(index) + ": there are " +
                       std::to_string(all_.size()));
    return all_[index];
  }

  auto begin() const { return all_.begin(); }

  auto end() const { return all_.end(); }

  /// All in one file: a header that knows every size, a CSV file, a report.
  std::string exported(const std::string& format) const {
    return detail::text_of(gridsmith_outcomes_export, of_.get(), SIZE_MAX, format.c_str());
  }

  /// The same into a file, as Outcome::write().
  void write(const std::string& format, const std::string& file) const {
    detail::check_status(
        gridsmith_outcomes_write(of_.get(), SIZE_MAX, format.c_str(), file.c_str()));
  }

private:
  std::shared_ptr<const gridsmith_outcomes> of_;
  std::vector<Outcome> all_;
};

// ---- a session

/// One kernel, tuned at its sizes on its devices.
class Session {
public:
  /// Names and meanings of the settings: described_settings()["tune"], docs/python.md. Reads the definition.
  explicit Session(const Json& settings) {
    if (gridsmith_interface() != GRIDSMITH_INTERFACE)
      throw Error("the library of Gridsmith is of another version than gridsmith.hpp");
    gridsmith_session* session = nullptr;
    detail::check_status(gridsmith_session_new(settings.text().c_str(), &session));
    session_.reset(session);
  }

  /// Searches by this, which outlives the runs; answers and stores call it by the name.
  void search_by(const std::string& name, Strategy& strategy) {
    const Listener none;
    detail::Callbacks callbacks(none, {}, &strategy);
    const gridsmith_strategy of = callbacks.strategy();
    detail::check_status(
        gridsmith_session_search_by(session_.get(), name.c_str(), &of)); // whether it may
    strategy_ = &strategy;
    name_ = name;
  }

  /// A stop ends it within a second, with what was measured until then.
  Outcomes run(const Listener& listener = {}, const std::stop_token& stop = {}) {
    detail::Callbacks callbacks(listener, stop, strategy_);
    if (strategy_) {
      const gridsmith_strategy of = callbacks.strategy();
      detail::check_status(gridsmith_session_search_by(session_.get(), name_.c_str(), &of));
    }
    const gridsmith_listener heard = callbacks.listener();
    gridsmith_session_listen(session_.get(), &heard);
    gridsmith_outcomes* outcomes = nullptr;
    const gridsmith_status status = gridsmith_session_run(session_.get(), &outcomes);
    gridsmith_session_listen(session_.get(), nullptr);
    std::unique_ptr<gridsmith_outcomes, decltype(&gridsmith_outcomes_free)> owned(
        outcomes, &gridsmith_outcomes_free);
    callbacks.rethrow();
    if (status != GRIDSMITH_STOPPED || !owned)
      detail::check_status(status);
    return Outcomes(owned.release());
  }

private:
  std::unique_ptr<gridsmith_session, decltype(&gridsmith_session_free)> session_{
      nullptr, &gridsmith_session_free};
  Strategy* strategy_ = nullptr;
  std::string name_;
};

// ---- what is shipped, and guarded

/// Kernels against a baseline.
class Check {
public:
  /// As 'gridsmith check'; settings: described_settings()["check"]. Whatever the verdict, this returns.
  explicit Check(const Json& settings, const Listener& listener = {},
                 const std::stop_token& stop = {}) {
    detail::Callbacks callbacks(listener, stop);
    const gridsmith_listener heard = callbacks.listener();
    gridsmith_check* check = nullptr;
    const gridsmith_status status = gridsmith_check_run(settings.text().c_str(), &heard, &check);
    check_.reset(check);
    callbacks.rethrow();
    detail::check_status(status);
  }

  /// "json", which has the gate and a verdict for each kernel, "text", or another format of 'gridsmith check --report'.
  std::string report(const std::string& format) const {
    return detail::text_of(gridsmith_check_report, check_.get(), format.c_str());
  }

private:
  std::unique_ptr<gridsmith_check, decltype(&gridsmith_check_free)> check_{nullptr,
                                                                           &gridsmith_check_free};
};

/// What the program's command of this name prints with --json. Settings: described_settings() has those of each. A stop
/// ends it at the next step, which may take some seconds.
/// @param name "tune_all", "retune" or "judge": gridsmith_command() of gridsmith.h says what they do
inline Json command(const std::string& name, const Json& settings, const Listener& listener = {},
                    const std::stop_token& stop = {}) {
  detail::Callbacks callbacks(listener, stop);
  const gridsmith_listener heard = callbacks.listener();
  char* json = nullptr;
  const gridsmith_status status =
      gridsmith_command(name.c_str(), settings.text().c_str(), &heard, &json);
  const std::unique_ptr<char, decltype(&gridsmith_free)> owned(json, &gridsmith_free);
  callbacks.rethrow();
  if (status != GRIDSMITH_STOPPED || !json)
    detail::check_status(status);
  return Json(json);
}

// ---- the code of one configuration

/// To be launched by the program itself: cuModuleLoadData(), cuLaunchKernel().
class Code {
public:
  /// @param settings of a session: kernel, sizes, include, nvrtc, nvcc and confined count
  /// @param configuration what it does not name is as in the default
  /// @param device at least {"compute_capability": 90}
  Code(const Json& settings, const Json& configuration, const Json& device) {
    gridsmith_code* code = nullptr;
    detail::check_status(gridsmith_compile(settings.text().c_str(), configuration.text().c_str(),
                                           device.text().c_str(), &code));
    code_.reset(code);
  }

  /// The kernel's name, its launch, its arguments, registers …: gridsmith_code_facts() of gridsmith.h has all.
  Json facts() const { return detail::text_of(gridsmith_code_facts, code_.get()); }

  /// The cubin, as long as this lives.
  std::span<const std::byte> binary() const {
    std::size_t bytes = 0;
    const void* first = gridsmith_code_binary(code_.get(), &bytes);
    return {static_cast<const std::byte*>(first), bytes};
  }

private:
  std::unique_ptr<gridsmith_code, decltype(&gridsmith_code_free)> code_{nullptr,
                                                                        &gridsmith_code_free};
};

// ---- what there is

/// Of the library.
inline std::string version() {
  return gridsmith_version();
}

/// The GPUs of this machine, by Gridsmith's names of their facts. @throws NoDevice
inline Json devices() {
  return detail::text_of(gridsmith_devices);
}

/// The names of all settings, with a line on each: of "tune" (a session), "check" and the commands.
inline Json described_settings() {
  return detail::text_of(gridsmith_settings);
}

} // namespace face
} // namespace gridsmith
