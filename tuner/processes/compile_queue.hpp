// SPDX-License-Identifier: Apache-2.0
// What a pool of compilers is asked for: what comes next, and to whom its code goes.
#pragma once

#include "gridsmith/tuner/processes/compile_attempts.hpp"
#include "gridsmith/tuner/processes/compile_order.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// What became of a compilation; shared, because cubins are large.
struct Compiled {
  std::uint64_t id = 0;
  std::shared_ptr<const CodeObject> code; ///< without a cubin it has an error: whose, it says
};

/// One compilation.
struct CompileWork {
  std::string key; ///< compile_key(); empty: asked for by nobody, and for no cache
  CompileRequest request;
  CompileForecast forecast = {};
  std::vector<std::uint64_t> wanted_by = {}; ///< empty: compiled ahead
  bool running = false;                      ///< or its verdict is held back
  CompileAttempts attempts = {};
  std::shared_ptr<const CodeObject> code = {}; ///< when finished, and not asked for yet
};

class CompileQueue {
public:
  using Work = std::shared_ptr<CompileWork>;

  explicit CompileQueue(CubinCache cache) : cache_(std::move(cache)) {}

  /// Under an id of the caller's. What was compiled before is there at once; what another id asks for
  /// too, or what was asked ahead, is compiled once.
  void ask(std::uint64_t id, const std::string& key, const CompileRequest& request,
           CompileForecast forecast);

  /// More is known of one that was asked for; of what has begun it changes nothing.
  void expect(std::uint64_t id, CompileForecast forecast);

  /// After all that is wanted, unless it is known. Of those that are finished and not asked for yet the
  /// oldest make room.
  void ask_ahead(const std::string& key, const CompileRequest& request);

  /// What was asked ahead and by nobody since, but for what has begun.
  void drop_ahead();

  /// No longer wanted by this id: dropped where it has not begun and nobody else wants it. What has is
  /// finished as if it had been compiled ahead.
  void withdraw(std::uint64_t id);

  /// To be compiled now, in the order of compile_order.hpp; nullptr: nothing waits.
  Work next(std::size_t compilers);

  /// To be compiled again, before all else.
  void again(const Work& work);

  void finish(const Work& work, std::shared_ptr<const CodeObject> code);

  /// It was ended, and nobody wants it.
  void forget(const CompileWork& work) { by_key_.erase(work.key); }

  /// Those finished since the last call.
  std::vector<Compiled> take() { return std::exchange(done_, {}); }

  /// Waiting, without those asked ahead.
  std::size_t wanted() const { return wanted_.size(); }

  std::size_t ahead() const { return ahead_.size(); } ///< … and those

  bool empty() const { return wanted_.empty() && ahead_.empty(); }

private:
  void keep(const std::string& key);

  CubinCache cache_;
  std::map<std::string, Work> by_key_;
  std::deque<Work> wanted_, ahead_;
  std::deque<std::string> kept_; ///< keys of those finished ahead, some of them asked for since
  std::vector<Compiled> done_;
};

} // namespace gridsmith
