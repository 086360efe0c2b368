// SPDX-License-Identifier: Apache-2.0
// KTT's JSON results: configurations, launch geometry, compile data and profiling counters.
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

struct StatusWord {
  std::string_view word;
  Status status;
};

constexpr std::array<StatusWord, 5> status_words{{{"Ok", Status::correct},
                                                  {"ComputationFailed", Status::runtime},
                                                  {"ValidationFailed", Status::correctness},
                                                  {"CompilationFailed", Status::compile},
                                                  {"DeviceLimitsExceeded", Status::constraints}}};

std::optional<Status> status_of(std::string_view word) {
  for (const StatusWord& entry : status_words)
    if (entry.word == word)
      return entry.status;
  return std::nullopt;
}

struct TimeUnit {
  std::string_view word;
  double ms;
};

constexpr std::array<TimeUnit, 4> time_units{
    {{"Nanoseconds", 1e-6}, {"Microseconds", 1e-3}, {"Milliseconds", 1}, {"Seconds", 1e3}}};

struct Result {
  Measurement row;
  ReportedTime reported;
  std::string status;
  bool computed = false; ///< what the first kernel's launch says is in the row
};

class Reader {
public:
  Reader(JsonReader& json, Recording& recording) : json_(json), recording_(recording) {}

  void read();

private:
  void metadata();
  void time_unit();
  void result(RowCollector& rows);
  void field(const std::string& key, Result& result);
  void configuration(Measurement& row);
  void computation(Result& result);
  void compilation(Measurement& row);
  void profiling(Measurement& row);
  template <class Extent>
  void extents(Extent (&out)[3]);

  JsonReader& json_;
  Recording& recording_;
  double unit_ms_ = 1e-3; // KTT's default is microseconds
  bool grid_in_threads_ = false;
};

void Reader::read() {
  std::optional<std::size_t> results_at;
  json_.object([&](const std::string& key) {
    if (key == "Metadata") {
      metadata();
    } else {
      if (key == "Results")
        results_at = json_.offset();
      json_.skip();
    }
  });
  json_.end();
  if (!results_at)
    json_.fail_at(0, "expected \"Results\", the rows of KTT's results");
  RowCollector rows(recording_);
  json_.seek(*results_at);
  json_.array([&] { result(rows); });
  rows.finish();
}

void Reader::metadata() {
  json_.object([this](const std::string& key) {
    if (key == "Device")
      recording_.device.name = json_.string();
    else if (key == "Timestamp")
      recording_.date = iso_time(json_.string());
    else if (key == "GlobalSizeType")
      grid_in_threads_ = json_.string() == "OpenCL";
    else if (key == "TimeUnit")
      time_unit();
    else
      json_.skip();
  });
}

void Reader::time_unit() {
  const std::size_t start = json_.offset();
  const std::string word = json_.string();
  std::vector<std::string> words;
  for (const TimeUnit& entry : time_units) {
    if (entry.word == word) {
      unit_ms_ = entry.ms;
      return;
    }
    words.emplace_back(entry.word);
  }
  json_.fail_at(start, unknown_name("time unit", word, words));
}

void Reader::result(RowCollector& rows) {
  const std::size_t start = json_.offset();
  Result result;
  json_.object([&](const std::string& key) { field(key, result); });
  Measurement& row = result.row;
  const auto status = status_of(result.status);
  if (!status)
    return rows.set_aside("status '" + result.status + "'");
  row.status = *status;
  if (row.correct()) {
    if (rows.settle(row, result.reported))
      rows.add(std::move(row), json_, start);
    return;
  }
  row.reason = result.status;
  row.times_ms.clear();
  rows.add(std::move(row), json_, start);
}

void Reader::field(const std::string& key, Result& result) {
  if (key == "Configuration") {
    configuration(result.row);
  } else if (key == "Status") {
    result.status = json_.string();
  } else if (key == "KernelName") {
    std::string kernel = json_.string();
    if (recording_.kernel.empty())
      recording_.kernel = std::move(kernel);
  } else if (key == "TotalDuration" && json_.peek() == JsonReader::Kind::number) {
    result.reported.ms = json_.number() * unit_ms_;
    result.reported.present = true;
  } else if (key == "ComputationResults") {
    json_.array([&] { computation(result); });
  } else {
    json_.skip();
  }
}

void Reader::configuration(Measurement& row) {
  json_.array([&] {
    std::string name;
    Value value;
    json_.object([&](const std::string& key) {
      if (key == "Name")
        name = json_.string();
      else if (key == "Value")
        value = json_.scalar();
      else
        json_.skip();
    });
    row.configuration.emplace_back(std::move(name), std::move(value));
  });
}

/// A configuration may launch several kernels: geometry, compile data and counters are the first's.
void Reader::computation(Result& result) {
  Measurement computed;
  json_.object([&](const std::string& key) {
    if (key == "GlobalSize")
      extents(computed.geometry.grid);
    else if (key == "LocalSize")
      extents(computed.geometry.block);
    else if (key == "CompilationData")
      compilation(computed);
    else if (key == "ProfilingData")
      profiling(computed);
    else
      json_.skip();
  });
  if (std::exchange(result.computed, true))
    return;
  if (grid_in_threads_)
    for (int i = 0; i < 3; ++i)
      computed.geometry.grid[i] /= std::max(1, computed.geometry.block[i]);
  computed.configuration = std::move(result.row.configuration);
  result.row = std::move(computed);
}

template <class Extent>
void Reader::extents(Extent (&out)[3]) {
  json_.object([&](const std::string& key) {
    const auto axis = std::string_view("XYZ").find(key);
    if (key.size() == 1 && axis != std::string_view::npos)
      out[axis] = json_.whole<Extent>();
    else
      json_.skip();
  });
}

/// In OpenCL's words: local is a block's shared memory, private a thread's local memory.
void Reader::compilation(Measurement& row) {
  CompileFacts facts;
  json_.object([&](const std::string& key) {
    if (key == "RegistersCount")
      facts.registers_per_thread = json_.whole<int>();
    else if (key == "LocalMemorySize")
      facts.static_shared_bytes = json_.whole<std::int64_t>();
    else if (key == "PrivateMemorySize")
      facts.local_bytes = json_.whole<std::int64_t>();
    else if (key == "ConstantMemorySize")
      facts.constant_bytes = json_.whole<std::int64_t>();
    else if (key == "MaxWorkGroupSize")
      facts.max_threads_per_block = json_.whole<int>();
    else
      json_.skip();
  });
  row.compile_facts = facts;
}

void Reader::profiling(Measurement& row) {
  json_.object([&](const std::string& list) {
    if (list != "Counters")
      return json_.skip();
    json_.array([&] {
      std::string name;
      std::optional<double> value;
      json_.object([&](const std::string& key) {
        if (key == "Name")
          name = json_.string();
        else if (key == "Value" && json_.peek() == JsonReader::Kind::number)
          value = json_.number();
        else
          json_.skip();
      });
      if (value && std::isfinite(*value))
        row.counters[name] = *value;
    });
  });
}

} // namespace

Recording read_ktt(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "ktt";
  JsonReader json(text, name);
  Reader(json, recording).read();
  return recording;
}

} // namespace gridsmith
