// SPDX-License-Identifier: Apache-2.0
// KTT's JSON results: configurations, launch geometry, compile data and profiling counters.
#include "gridsmith/results/formats/parts/foreign_words.hpp"
#include "gridsmith/results/formats/parts/members.hpp"
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

struct KttResult {
  Measurement row;
  ReportedTime reported;
  std::string status;
  bool computed = false; ///< what the first kernel's launch says is in the row
};

class KttReader {
public:
  KttReader(JsonReader& json, Recording& recording) : json_(json), recording_(recording) {}

  void read();

private:
  void metadata();
  void time_unit();
  void result(RowCollector& rows);
  void field(const std::string& key, KttResult& result);
  void configuration(Measurement& row);
  void computation(KttResult& result);
  void compilation(Measurement& row);
  void profiling(Measurement& row);
  template <class Extent>
  void extents(Extent (&out)[3]);

  JsonReader& json_;
  Recording& recording_;
  double unit_ms_ = 1e-3; // KTT's default is microseconds
  bool grid_in_threads_ = false;
};

void KttReader::read() {
  const auto other = [this](const std::string& key) {
    if (key == "Metadata")
      metadata();
    return key == "Metadata";
  };
  read_rows_last(json_, recording_, ktt_member, "KTT's results", other,
                 [this](RowCollector& rows) { result(rows); });
}

void KttReader::metadata() {
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

void KttReader::time_unit() {
  const std::size_t start = json_.offset();
  const std::string word = json_.string();
  const std::vector<std::string> words = {"Nanoseconds", "Microseconds", "Milliseconds", "Seconds"};
  if (std::find(words.begin(), words.end(), word) == words.end())
    json_.fail_at(start, unknown_name("time unit", word, words));
  unit_ms_ = ms_of_unit(word).value();
}

void KttReader::result(RowCollector& rows) {
  const std::size_t start = json_.offset();
  KttResult result;
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

void KttReader::field(const std::string& key, KttResult& result) {
  if (key == "Configuration") {
    configuration(result.row);
  } else if (key == "Status") {
    result.status = json_.string();
  } else if (key == "KernelName") {
    std::string kernel = json_.string();
    if (recording_.kernel.empty())
      recording_.kernel = std::move(kernel);
  } else if (key == "TotalDuration") {
    if (json_.into(result.reported.ms)) {
      result.reported.ms *= unit_ms_;
      result.reported.present = true;
    }
  } else if (key == "ComputationResults") {
    json_.array([&] { computation(result); });
  } else {
    json_.skip();
  }
}

void KttReader::configuration(Measurement& row) {
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
void KttReader::computation(KttResult& result) {
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
void KttReader::extents(Extent (&out)[3]) {
  json_.object([&](const std::string& key) {
    const auto axis = std::string_view("XYZ").find(key);
    if (key.size() == 1 && axis != std::string_view::npos)
      out[axis] = json_.whole<Extent>();
    else
      json_.skip();
  });
}

/// In OpenCL's words: local is a block's shared memory, private a thread's local memory.
void KttReader::compilation(Measurement& row) {
  CompileFacts facts{.local_bytes = std::nullopt,
                     .spill_store_bytes = std::nullopt,
                     .spill_load_bytes = std::nullopt};
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

void KttReader::profiling(Measurement& row) {
  json_.object([&](const std::string& list) {
    if (list != "Counters")
      return json_.skip();
    json_.array([&] {
      std::string name;
      double value = std::nan("");
      json_.object([&](const std::string& key) {
        if (key == "Name")
          name = json_.string();
        else if (key == "Value")
          json_.into(value);
        else
          json_.skip();
      });
      if (std::isfinite(value))
        row.counters[name] = value;
    });
  });
}

} // namespace

Recording read_ktt(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "ktt";
  JsonReader json(text, name);
  KttReader(json, recording).read();
  return recording;
}

} // namespace gridsmith
