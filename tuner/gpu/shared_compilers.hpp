// SPDX-License-Identifier: Apache-2.0
// One pool of compilers for many who ask, each for itself: the evaluators of a session, and the
// workers for their own kernels, on one GPU or on several of one product.
#pragma once

#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gridsmith {

class SharedCompilers {
public:
  /// @throws as CompilerPool
  explicit SharedCompilers(CompilerSettings settings) : pool_(std::move(settings)) {}

  /// The number of a new evaluator, from 1 on …
  std::uint64_t join() { return ++members_; }

  /// … or of a worker, for its own kernels.
  std::uint64_t join_worker() { return first_worker + workers_++; }

  /// @param number of the member's choice, below 2^32
  void compile(std::uint64_t member, std::uint64_t number, const CompileRequest& request,
               CompileForecast forecast = {}) {
    pool_.compile(id_of(member, number), request, forecast);
  }

  void expect(std::uint64_t member, std::uint64_t number, CompileForecast forecast) {
    pool_.expect(id_of(member, number), forecast);
  }

  void withdraw(std::uint64_t member, std::uint64_t number) {
    pool_.withdraw(id_of(member, number));
  }

  void give_up(std::uint64_t member, std::uint64_t number) { pool_.give_up(id_of(member, number)); }

  /// Those finished since the member's last call, under its numbers.
  std::vector<Compiled> take(std::uint64_t member) {
    for (Compiled& one : pool_.take()) {
      const std::uint64_t owner = one.id >> 32;
      one.id = number_of(one.id);
      compiled_[owner].push_back(std::move(one));
    }
    return std::exchange(compiled_[member], {});
  }

  CompilerPool& pool() { return pool_; }

  const CompilerPool& pool() const { return pool_; }

  /// At least one.
  std::size_t for_each_worker() const {
    const std::size_t workers = std::max<std::size_t>(1, workers_);
    return (pool_.size() + workers - 1) / workers;
  }

  static std::uint64_t id_of(std::uint64_t member, std::uint64_t number) {
    return member << 32 | number;
  }

  static std::uint64_t number_of(std::uint64_t id) { return id & 0xffffffff; }

private:
  static constexpr std::uint64_t first_worker = std::uint64_t{1}
                                                << 31; // more than there are evaluators

  CompilerPool pool_;
  std::uint64_t members_ = 0, workers_ = 0;
  std::map<std::uint64_t, std::vector<Compiled>> compiled_; ///< by member
};

} // namespace gridsmith
