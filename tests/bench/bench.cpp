// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/bench/bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>
#include <utility>

namespace gridsmith {
namespace {

std::map<std::string, Bench::Run>& benches() {
  static std::map<std::string, Bench::Run> all;
  return all;
}

} // namespace

Bench::Bench(std::string name, Run run) {
  benches().emplace(std::move(name), run);
}

} // namespace gridsmith

int main(int count, char** words) {
  const auto& all = gridsmith::benches();
  const auto found = count > 1 ? all.find(words[1]) : all.end();
  if (found != all.end())
    try {
      return found->second(count - 1, words + 1);
    } catch (const std::exception& error) {
      fmt::print(stderr, "benchmarks {}: {}\n", found->first, error.what());
      return 1;
    }
  fmt::print(stderr, "benchmarks NAME [ARGUMENTS...]; valid names:");
  for (const auto& [name, run] : all)
    fmt::print(stderr, " {}", name);
  fmt::print(stderr, "\n");
  return 2;
}
