// SPDX-License-Identifier: Apache-2.0
// The random expressions with Python's results of tests/data/expressions, whose make.py says what they are.
#pragma once

#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/value.hpp"

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace gridsmith {

/// An expression; its value for the first value of each parameter; "1", "0", "z" or "L" for each combination.
struct PythonLine {
  std::string text, value, truths;
};

struct PythonExpressions {
  std::vector<Parameter> parameters;
  std::vector<PythonLine> lines;

  std::vector<Parameter> parameters_of(const std::set<std::string>& names) const {
    std::vector<Parameter> used;
    for (const Parameter& parameter : parameters)
      if (names.contains(parameter.name))
        used.push_back(parameter);
    return used;
  }
};

inline PythonExpressions read_python_expressions() {
  std::istringstream in(
      read_unpacked(GRIDSMITH_SOURCE_DIR "/tests/data/expressions/expressions.txt.gz"));
  PythonExpressions data;
  for (std::string line; std::getline(in, line);) {
    const std::size_t last = line.rfind('|');
    if (last == std::string::npos) {
      data.parameters.push_back({line.substr(0, 1), parse_value_list(line.substr(4))});
      continue;
    }
    const std::size_t first = line.rfind('|', last - 1);
    data.lines.push_back(
        {line.substr(0, first), line.substr(first + 1, last - first - 1), line.substr(last + 1)});
  }
  return data;
}

/// All combinations of the parameters' values, the last one changing fastest.
inline std::vector<Configuration> combinations(const std::vector<Parameter>& parameters) {
  std::vector<Configuration> all(1);
  for (const Parameter& parameter : parameters) {
    std::vector<Configuration> longer;
    for (const Configuration& one : all)
      for (const Value& value : parameter.values) {
        longer.push_back(one);
        longer.back().emplace_back(parameter.name, value);
      }
    all = std::move(longer);
  }
  return all;
}

} // namespace gridsmith
