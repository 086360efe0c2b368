// SPDX-License-Identifier: Apache-2.0
// Gathers the rows of a recording of any format: refuses what nothing can have measured, keeps the
// good ones, counts what is set aside and why, and finds the parameters' values where the file does
// not list them.
#pragma once

#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <string>
#include <unordered_set>
#include <vector>

namespace gridsmith {

/// The result of one row as files hold it: a number, a word, or nothing.
struct ReportedTime {
  double ms = 0;
  bool present = false;
  std::string failure; ///< the word, where the file has a word instead of a number
};

class RowCollector {
public:
  /// @param recording outlives the collector; its parameters are those the file lists, if any.
  explicit RowCollector(Recording& recording);

  /// A finished row. Set aside when it repeats a configuration ("duplicate"), lacks a parameter, or
  /// has a value outside the listed ones. Configuration entries that are no parameters are dropped.
  void add(Measurement measurement);
  /// The same for a row that others wrote. @param offset where it begins
  /// @throws InputError with place, field and objection_to() it
  void add(Measurement measurement, const JsonReader& json, std::size_t offset);
  void set_aside(const std::string& reason);

  /// Settles samples and reported time of a correct row (a failure word makes it a failed one). False
  /// when the row says nothing usable and was counted as set aside.
  bool settle(Measurement& measurement, const ReportedTime& reported);

  /// Call at the end: fills recording.parameters from the rows where the file listed none (numbers
  /// ascending, then strings in order of appearance). Rows that lack one are set aside.
  void finish();

private:
  bool in_order(Measurement& measurement);
  bool first_of_its_kind(const Measurement& measurement);

  Recording& recording_;
  bool listed_;
  std::unordered_set<std::string> seen_;
};

} // namespace gridsmith
