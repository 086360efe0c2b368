// A pool of compiler processes, fed ahead of the GPU. A compiler that crashes or hangs costs one
// configuration and is replaced; what is asked ahead waits behind what is asked now.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace gridsmith {

struct CompilerSettings {
  std::filesystem::path program;
  std::optional<std::filesystem::path> nvrtc; ///< the library to use; none: the compiler finds one
  std::size_t processes = 1;
  int compute_capability = 0;
  bool no_cache = false;              ///< nothing compiled earlier is used
  std::filesystem::path cache_folder; ///< empty: none
  std::uint64_t cache_limit_bytes = 1ULL << 30;
  std::chrono::milliseconds first_limit{120'000}; ///< time-out until enough compilations were seen
  std::chrono::milliseconds least_limit{10'000};  ///< the adaptive time-out is never shorter
};

/// What became of a compilation; shared, because cubins are large.
struct Compiled {
  std::uint64_t id = 0;
  std::shared_ptr<const CodeObject> code; ///< without a cubin it has an error
};

class CompilerPool {
public:
  using Clock = std::chrono::steady_clock;

  /// Starts the processes and waits until the first has said its version.
  /// @throws HelperError: cannot be started, of another version, without NVRTC.
  explicit CompilerPool(CompilerSettings settings);
  ~CompilerPool();

  /// Asks for a compilation; it comes from take() under the same id. Ids are the caller's.
  void compile(std::uint64_t id, const CompileRequest& request);
  /// Compiles into the memory of the pool when nothing better is to do; never reported by take().
  void compile_ahead(const CompileRequest& request);
  /// No longer wanted: dropped when it has not begun, else not reported.
  void withdraw(std::uint64_t id);
  /// Those finished since the last call.
  std::vector<Compiled> take();

  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// Reads and sends whatever is possible, replaces what died or hangs.
  /// @throws HelperError as the constructor.
  void advance();
  /// When advance() must be called at the latest; max() when nothing runs.
  Clock::time_point deadline() const;

  std::size_t waiting() const { return urgent_.size(); }

  std::size_t running() const;

  std::size_t restarts() const { return restarts_; }

  double compile_ms() const { return compile_ms_; }

  /// Version of the NVRTC in use.
  const std::string& toolkit() const { return toolkit_; }

private:
  struct Work; // one compilation, maybe wanted by several ids
  struct Slot; // one process

  using Queue = std::deque<std::shared_ptr<Work>>;

  ChildProcess start_compiler() const;
  void wait_for_hello(Slot& slot);
  void handle(Slot& slot, Message message);
  void start_some();
  void give(Slot& slot, const std::shared_ptr<Work>& work);
  void finish(const std::shared_ptr<Work>& work, std::shared_ptr<const CodeObject> code);
  void serve(Slot& slot);
  void replace(Slot& slot);
  void lose(Slot& slot, Status why, const std::string& how);
  std::chrono::milliseconds limit() const;

  CompilerSettings settings_;
  CubinCache cache_;
  std::string toolkit_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<std::string, std::shared_ptr<Work>> by_key_;
  Queue urgent_, ahead_;
  std::vector<Compiled> done_;
  std::size_t restarts_ = 0, ended_at_start_ = 0;
  std::size_t compiled_ = 0;
  double compile_ms_ = 0, longest_ms_ = 0;
};

} // namespace gridsmith
