// What tuner, compilers and workers say to each other: small typed messages, framed, over any byte
// stream. Nothing in them assumes one machine: no paths, no handles, no shared memory. Frame: 8
// bytes little-endian length, then one CBOR document {"type": …, fields}.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace gridsmith {

using Bytes = std::vector<std::uint8_t>;

// ---- tuner -> compiler
// ---------------------------------------------------------------------------------

struct CompileJob {
  std::uint64_t id = 0;
  CompileRequest request;
  int compute_capability = 0; ///< 90 -> -arch=sm_90
};

// ---- compiler -> tuner
// ---------------------------------------------------------------------------------

struct CompileOutcome {
  std::uint64_t id = 0;
  bool ok = false;
  std::string reason; ///< first error line of the log, with its place
  std::string log;    ///< whole, at most 16 KiB
  Bytes cubin;
  std::string kernel; ///< lowered (mangled) name
  CompileFacts
      facts; ///< as far as the cubin tells without a GPU: registers, static shared, local, spills
  double ms = 0; ///< wall time of the compilation
};

struct CompilerHello {
  std::string nvrtc_version; ///< "13.0"
};

// ---- tuner -> worker
// -----------------------------------------------------------------------------------

/// A kernel ready to be launched.
struct Launchable {
  Bytes cubin;
  std::string kernel; ///< lowered name
  Geometry geometry;
};

/// Once, first: choose the device, make the data, the reference and the counters ready.
struct OpenWork {
  int ordinal = 0;
  std::string label; ///< kernel name, for NVTX ranges
  Bytes utilities;   ///< cubin of tuner/worker/utilities.cu: fill, poison, compare, guards
  std::vector<ArgumentSpec> arguments;
  std::uint64_t seed = 1;
  std::optional<Launchable> reference_kernel;
  std::string host_reference; ///< name in kernels/references.hpp; spot checks a reference kernel
  std::vector<std::int64_t> problem; ///< extents, for host references
  Bytes expected;                    ///< reference from a file: all outputs one after the other
  double absolute_tolerance = 0, relative_tolerance = 0;
  std::vector<std::string> counters; ///< metric names; empty: not counted
  bool warm = false;
  bool racing = true; ///< false: nobody is dropped early
  double interval =
      0.01; ///< stop sampling when the 95 % interval of the median is within ± this fraction
  int min_samples = 5, max_samples = 50;
  double max_ms = 500;       ///< GPU time spent on timing one configuration, at most
  bool measure_copy = false; ///< also measure the device-to-device copy bandwidth
};

/// One configuration. `best_ms` is the upper end of the best interval so far (0: none): racing.
struct EvaluateJob {
  std::uint64_t id = 0;
  std::string label; ///< the configuration as text, for NVTX and messages
  Launchable launchable;
  double best_ms = 0;
};

/// The best so far became better; jobs waiting in the worker race against it.
struct BestSoFar {
  double best_ms = 0;
};

/// The finalists again: interleaved rounds, and verified with a second seed.
struct FinalsJob {
  std::vector<EvaluateJob> jobs;
  int rounds = 15;
  std::uint64_t second_seed = 2;
};

struct CloseWork {};

// ---- worker -> tuner
// -----------------------------------------------------------------------------------

struct WorkOpened {
  Device device;
  std::string uncounted_because; ///< "" when counters will be read
  std::size_t counter_passes = 0;
  double start_ms = 0; ///< from process start to ready
  std::string
      reference_problem; ///< "" or one line: the reference kernel disagrees with the host reference
};

/// The work cannot be opened (no device, out of memory, a reference that faults): one line.
struct WorkRefused {
  std::string reason;
  bool no_device = false;
};

/// Said before every step that may kill the worker, so that the guilty one is known.
struct StageBegun {
  std::uint64_t id = 0;
  std::string stage; ///< "load", "verify", "time", "count"
};

/// The part of a Measurement that the worker knows.
struct EvaluateOutcome {
  std::uint64_t id = 0;
  Status status = Status::runtime;
  std::string reason;
  std::vector<double> times_ms;
  bool raced_out = false;
  CompileFacts facts; ///< complete, from the loaded function
  CounterValues counters;
  std::string uncounted_because;
  double sm_clock_mhz = 0;
  double gpu_ms = 0, verify_ms = 0, time_ms = 0, count_ms = 0;
};

struct FinalsOutcome {
  std::vector<EvaluateOutcome> outcomes; ///< in the order of the jobs
};

/// The context is lost (sticky error): the worker is about to end. The guilty configuration and
/// why.
struct ContextLost {
  std::uint64_t id = 0;
  Status status = Status::runtime;
  std::string reason;
};

using Message = std::variant<CompileJob, CompileOutcome, CompilerHello, OpenWork, EvaluateJob,
                             BestSoFar, FinalsJob, CloseWork, WorkOpened, WorkRefused, StageBegun,
                             EvaluateOutcome, FinalsOutcome, ContextLost>;

/// One frame, length and document.
Bytes encode(const Message& message);
/// @param document the frame without its length. @throws ProtocolError naming what is wrong.
Message decode(const Bytes& document);

class ProtocolError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Blocking frames over a file descriptor, for the children. read_message: nothing at end of
/// stream.
std::optional<Message> read_message(int descriptor);
/// @throws ProtocolError when the other side is gone.
void write_message(int descriptor, const Message& message);

/// Collects bytes as they come and gives whole messages, for the tuner's poll loop.
class MessageBuffer {
public:
  void append(const std::uint8_t* bytes, std::size_t count);
  /// @throws ProtocolError for a frame that is no message.
  std::optional<Message> next();
  /// All bytes not yet read, as text.
  std::string take_text();

private:
  Bytes bytes_;
  std::size_t read_ = 0;
};

} // namespace gridsmith
