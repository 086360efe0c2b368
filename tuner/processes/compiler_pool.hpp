// SPDX-License-Identifier: Apache-2.0
// A pool of compiler processes, fed ahead of the GPU. A compiler that crashes or hangs costs one
// configuration and is replaced; what is asked ahead waits behind what is asked now, in the order of
// compile_order.hpp.
//
// The rules of blame. A crash is the source's doing the second time, once a new process has compiled
// the simplest kernel; a process that was killed, or is short of memory, is asked again, and what
// then fails still is marked as the machine's. Processes in a row that end without one success are
// started after longer and longer pauses. One that cannot start ends everything.
#pragma once

#include "gridsmith/base/field_sums.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/compile_queue.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"
#include "gridsmith/tuner/processes/pauses.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"
#include "gridsmith/tuner/processes/span.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace gridsmith {

struct CompilerSettings {
  std::filesystem::path program;
  std::optional<std::filesystem::path> nvrtc; ///< the library to use; none: the compiler finds one
  std::optional<std::filesystem::path> nvcc;  ///< likewise, once something is compiled by it
  /// What a compiler may read beside its toolkit: the folders of the definition.
  ReadableFolders readable;
  bool confined = true; ///< false: with all rights of the user
  std::size_t processes = 1;
  int compute_capability = 0;
  bool ptx = false;                   ///< of all that is compiled, beside the code
  bool no_cache = false;              ///< nothing compiled earlier, by another pool, is used
  std::filesystem::path cache_folder; ///< empty: none
  std::uint64_t cache_limit_bytes = 1ULL << 30;
  std::uint64_t folder_limit_bytes = 1ULL << 30;  ///< what one compiler writes while it runs
  std::chrono::milliseconds first_limit{120'000}; ///< time-out until enough compilations were seen
  std::chrono::milliseconds least_limit{10'000};  ///< the adaptive time-out is never shorter
  SpanSink spans = {};                            ///< rows "compiler 1", …
};

/// @param readable the folders of all definitions that are compiled
/// @param compute_capability 0: not known yet
CompilerSettings compiler_settings(const HelperSettings& helpers, ReadableFolders readable = {},
                                   int compute_capability = 0);

/// Compilations that came to an end by themselves, and what became of the headers they begin with.
struct CompileTally {
  std::size_t compilations = 0, headers_made = 0, headers_used = 0;
};

template <Like<CompileTally> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("compilations", v.compilations);
  visit("headers_made", v.headers_made);
  visit("headers_used", v.headers_used);
}

static_assert(lists_all_fields<CompileTally>());

class CompilerPool {
public:
  using Clock = std::chrono::steady_clock;

  /// Starts the processes and waits until the first has said its version.
  /// @throws HelperError: cannot be started or does not work, of another version, without NVRTC.
  /// InputError: its NVRTC does not compile for this compute capability.
  explicit CompilerPool(CompilerSettings settings);
  ~CompilerPool();

  /// Asks for a compilation; it comes from take() under the same id. Ids are the caller's. The first by nvcc
  /// replaces all processes by such as may start it. @throws HelperError: there is none
  void compile(std::uint64_t id, const CompileRequest& request, CompileForecast forecast = {});

  /// More is known of one that was asked for; of what has begun it changes nothing.
  void expect(std::uint64_t id, CompileForecast forecast) { queue_.expect(id, forecast); }

  /// Compiles into the memory of the pool when nothing better is to do; never reported by take().
  void compile_ahead(const CompileRequest& request);

  /// What was asked ahead and by nobody since will not be: dropped.
  void drop_ahead() { queue_.drop_ahead(); }

  /// … and what compilers are at of it is ended.
  void end_ahead();

  /// No longer wanted: dropped when it has not begun, else not reported.
  void withdraw(std::uint64_t id) { queue_.withdraw(id); }

  /// As withdraw; and what nobody else wants is ended, which is nobody's failure.
  void give_up(std::uint64_t id);
  /// For how long its compiler has been at it, in seconds; nothing where it waits or is done.
  std::optional<double> running_s(std::uint64_t id) const;
  /// Goes on, after all else that the machine has to do.
  void put_off(std::uint64_t id);

  /// Those finished since the last call.
  std::vector<Compiled> take() { return queue_.take(); }

  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// Reads and sends whatever is possible, replaces what died or hangs.
  /// @throws HelperError as the constructor.
  void advance();
  /// Waits for news, or a moment, and advances; for who waits for nothing else.
  void turn();
  /// When advance() must be called at the latest; max() when nothing runs.
  Clock::time_point deadline() const;

  std::size_t waiting() const { return queue_.wanted(); }

  /// Processes for which there is nothing to do, not even ahead.
  std::size_t idle() const {
    return size() - std::min(size(), running() + queue_.wanted() + queue_.ahead());
  }

  /// Of what follows; 0 in the settings: it was not known at the start. @throws InputError when NVRTC
  /// does not compile for it
  void compile_for(int compute_capability);

  std::size_t size() const { return slots_.size(); } ///< processes

  std::size_t running() const;

  std::size_t restarts() const { return restarts_; }

  double compile_ms() const { return compile_ms_; }

  const CompileTally& tally() const { return tally_; }

  /// "NVRTC 13.0", or "nvcc 13.0.88, g++-12 12.2.0, glibc 2.36".
  /// @pre of nvcc: something was compiled by it
  std::string named(Compiler compiler) const;

  /// Version of the NVRTC in use.
  const std::string& toolkit() const { return toolkit_; }

  /// … and all that it may read beside a source, as a hash.
  const std::string& toolkit_headers() const { return headers_; }

private:
  struct Slot; // one process, and the next one in its place

  using Work = CompileQueue::Work;

  Slot* slot_of(std::uint64_t id) const;
  void end_unwanted(Slot& slot);
  bool wanted(const Slot& slot) const;
  std::string key_of(const CompileRequest& request);
  void allow_nvcc();
  void end_overdue(Slot& slot);
  void allow_for_pauses();
  void tell_span(const Slot& slot, const CompileWork& work, const CodeObject* code) const;
  ChildProcess start_compiler(const RunFolder& folder) const;
  void wait_for_hello(Slot& slot);
  void handle(Slot& slot, Message message);
  void check_capability(const Hello& hello) const;
  void greet(Slot& slot, const Hello& hello);
  void condemn(Slot& slot, const CodeObject& probed);
  void start_some();
  void give(Slot& slot, const Work& work);
  void serve(Slot& slot);
  void rest(Slot& slot, std::chrono::milliseconds pause);
  void start_again(Slot& slot);
  void lose(Slot& slot, CompilerEnd end, const std::string& how);
  void blame(Slot& slot, const Work& work, CompilerEnd end, CodeObject code);
  void starve(Slot& slot, const Work& work, CodeObject code);
  std::chrono::milliseconds limit() const;
  Clock::time_point end_of(const Slot& slot) const;

  CompilerSettings settings_;
  std::optional<RunFolder>
      own_cache_; ///< where no other is wanted: what is asked again is compiled once
  CompileQueue queue_;
  std::string toolkit_, headers_;
  std::vector<std::string> nvcc_arguments_; ///< of each process, once nvcc is needed
  std::string nvcc_;                        ///< what they are, as their first process says
  Hello first_hello_;
  Pauses pauses_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Work probe_; ///< the simplest kernel, once it is needed
  std::size_t restarts_ = 0, ended_at_start_ = 0, losses_in_a_row_ = 0, starved_in_a_row_ = 0;
  std::size_t compiled_ = 0;
  CompileTally tally_;
  double compile_ms_ = 0, longest_ms_ = 0;
};

} // namespace gridsmith
