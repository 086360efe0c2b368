// SPDX-License-Identifier: Apache-2.0
// What tuner, compilers and workers say to each other: small typed messages, framed, over any byte
// stream. Nothing in them assumes one machine: no paths, no handles, no shared memory.
// Frame: 8 bytes little-endian length, then one CBOR document {"type": …, fields}.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gridsmith {

using Bytes = std::vector<std::uint8_t>;

// ---- from compilers and workers, first of all

/// Both sides of a conversation are of one version; anything else is refused in one line.
struct Hello {
  std::string version; ///< of Gridsmith
  std::string toolkit; ///< a compiler's: version of its NVRTC, "13.0"
  std::string headers; ///< a compiler's: known by names, sizes and times of the toolkit's files
  std::vector<int> capabilities = {}; ///< a compiler's: that it compiles for; empty: not known
  std::string nvcc = {}; ///< a compiler's: of nvcc and its headers; "": started without
};

template <Like<Hello> T>
void for_fields(T& v, auto&& visit) {
  visit("version", v.version);
  visit("toolkit", v.toolkit);
  visit("headers", v.headers);
  visit("capabilities", v.capabilities);
  visit("nvcc", v.nvcc);
}

// ---- tuner -> compiler

struct CompileJob {
  CompileRequest request;
  int compute_capability = 0; ///< 90 -> -arch=sm_90
  bool ptx = false;           ///< the PTX is wanted too, to be read by people
  bool more_follow = false;   ///< of the same source: what they have in common is worth keeping
};

template <Like<CompileJob> T>
void for_fields(T& v, auto&& visit) {
  visit("request", v.request);
  visit("compute_capability", v.compute_capability);
  visit("ptx", v.ptx);
  visit("more_follow", v.more_follow);
}

// ---- compiler -> tuner

/// What one compilation gave, known by its content. Without code there is an error.
struct CodeObject {
  std::shared_ptr<const Bytes> cubin; ///< none: it did not compile
  std::string kernel;                 ///< lowered (mangled) name
  std::string code_hash;              ///< of the machine code without names: equal code, equal hash
  CompileFacts facts; ///< as far as the cubin tells: registers, static shared, local, spills
  /// Of the kernel's parameters in order; none: not known.
  std::optional<std::vector<std::int64_t>> parameter_bytes;
  std::vector<std::string> variables; ///< in global and constant memory, by lowered name
  std::optional<std::string> error;   ///< first error line of the log, with its place
  bool of_machine =
      false;           ///< the error is this machine's (no memory …): another time it may compile
  std::string log;     ///< whole, at most 16 KiB
  std::string ptx;     ///< "" unless it was wanted
  std::string command; ///< the exact command line of nvcc's kind, for people
  std::string headers; ///< those it begins with were precompiled: "made" now, or "used"; "": not
  double ms = 0;       ///< wall time of the compilation; 0: nothing was compiled now
};

template <Like<CodeObject> T>
void for_fields(T& v, auto&& visit) {
  visit("cubin", v.cubin);
  visit("kernel", v.kernel);
  visit("code_hash", v.code_hash);
  visit("facts", v.facts);
  visit("parameter_bytes", v.parameter_bytes);
  visit("variables", v.variables);
  visit("error", v.error);
  visit("of_machine", v.of_machine);
  visit("log", v.log);
  visit("ptx", v.ptx);
  visit("command", v.command);
  visit("headers", v.headers);
  visit("ms", v.ms);
}

// ---- tuner -> worker

/// A kernel ready to be launched.
struct Launchable {
  std::shared_ptr<const Bytes> cubin;
  std::string kernel; ///< lowered name
  Geometry geometry;
};

template <Like<Launchable> T>
void for_fields(T& v, auto&& visit) {
  visit("cubin", v.cubin);
  visit("kernel", v.kernel);
  visit("geometry", v.geometry);
}

/// What outputs are compared with: a kernel, a file, formulas, or nothing. Formulas beside a kernel
/// check single elements of the kernel's answer.
struct ReferenceWork {
  std::optional<Launchable> kernel;
  std::vector<ReferenceArgument>
      arguments; ///< that it is passed, in its order; empty: as the tuned kernel
  /// The kernel is the default configuration, because the definition has no reference. What it
  /// gives is compared with only where nothing is wrong with it.
  bool default_configuration = false;
  /// Elements of the outputs that the kernel does not write are compared with nothing; else they are wrong.
  bool only_written = false;
  std::map<std::string, std::string> element;  ///< formulas by output (references.hpp)
  std::map<std::string, std::int64_t> extents; ///< that they name
  Bytes expected;                              ///< of a file: all outputs one after the other
};

template <Like<ReferenceWork> T>
void for_fields(T& v, auto&& visit) {
  visit("kernel", v.kernel);
  visit("arguments", v.arguments);
  visit("default_configuration", v.default_configuration);
  visit("only_written", v.only_written);
  visit("element", v.element);
  visit("extents", v.extents);
  visit("expected", v.expected);
}

/// First: make the context, the worker's own kernels and the counters ready, which takes as long as the
/// first compilations do. What needs no kernel is made ready before the code has come. Answered by
/// DeviceReady once it has.
struct UseDevice {
  int ordinal = 0;
  std::shared_ptr<const Bytes> device_code;     ///< cubin of the worker's own kernels
  std::vector<std::string> counters = {};       ///< opened ahead, metric names; empty: none
  std::vector<std::string> later_counters = {}; ///< planned ahead: those of the finals
  std::string chip = {};                        ///< for which they are; "": not known
  bool code_follows = false; ///< it is being compiled; the same is said again with it
};

template <Like<UseDevice> T>
void for_fields(T& v, auto&& visit) {
  visit("ordinal", v.ordinal);
  visit("device_code", v.device_code);
  visit("counters", v.counters);
  visit("later_counters", v.later_counters);
  visit("chip", v.chip);
  visit("code_follows", v.code_follows);
}

/// Make the data and the reference of one more work ready, beside those that are open: the problems
/// of a session, one after the other. Answered by WorkOpened.
struct OpenWork {
  std::uint64_t work = 0; ///< its number, of the tuner's choice; each once in a process
  std::string label;      ///< kernel name, for NVTX ranges
  std::vector<ArgumentSpec> arguments;
  std::uint64_t seed = 1;
  ReferenceWork reference;
  // Counters of the profiler:
  std::vector<std::string> counters;       ///< of a race, metric names; empty: not counted
  std::vector<std::string> final_counters; ///< of every other batch
  bool differences = false;                ///< how far each result is from what is expected …
  std::string accept = {};                 ///< … and the condition on that; "": tolerances decide
  bool energy = false;                     ///< of finalists and in checks, by the board's sensor
  Conditions conditions;
  bool measure_copy = false; ///< also measure the device-to-device copy bandwidth
};

template <Like<OpenWork> T>
void for_fields(T& v, auto&& visit) {
  visit("work", v.work);
  visit("label", v.label);
  visit("arguments", v.arguments);
  visit("seed", v.seed);
  visit("reference", v.reference);
  visit("counters", v.counters);
  visit("final_counters", v.final_counters);
  visit("differences", v.differences);
  visit("accept", v.accept);
  visit("energy", v.energy);
  visit("conditions", v.conditions);
  visit("measure_copy", v.measure_copy);
}

/// Once, first, in place of UseDevice: measure what the device reaches, one peak after the other.
struct MeasurePeaks {
  int ordinal = 0;
  std::shared_ptr<const Bytes> device_code; ///< cubin of the worker's own kernels
  std::shared_ptr<const Bytes> peak_code;   ///< … and of those that are measured
  std::vector<std::string> names;           ///< of peak_words; answered in this order
};

template <Like<MeasurePeaks> T>
void for_fields(T& v, auto&& visit) {
  visit("ordinal", v.ordinal);
  visit("device_code", v.device_code);
  visit("peak_code", v.peak_code);
  visit("names", v.names);
}

/// One configuration to be loaded and launched.
struct LaunchJob {
  std::uint64_t id = 0;
  std::string label; ///< the configuration as text, for NVTX and messages
  Launchable launchable;
};

template <Like<LaunchJob> T>
void for_fields(T& v, auto&& visit) {
  visit("id", v.id);
  visit("label", v.label);
  visit("launchable", v.launchable);
}

/// In which order the samples of a batch are taken.
enum class BatchOrder {
  one_by_one, ///< A A A B B B: each until it is settled or pruned
  rotating,   ///< A B C A B C, so that drift of clocks and temperature meets all alike
  mirrored,   ///< A B B A: linear drift cancels out of the difference of two
};

template <>
struct Words<BatchOrder> {
  static constexpr std::string_view kind = "batch order";
  static constexpr std::array<std::string_view, 3> list{"one_by_one", "rotating", "mirrored"};
};

/// What a profiler is to see of a configuration: launches between cudaProfilerStart and -Stop, after
/// others that leave the data as it was and the caches warm.
struct ProfilerLaunches {
  int warm_ups = 1;
  int launches = 1;
};

template <Like<ProfilerLaunches> T>
void for_fields(T& v, auto&& visit) {
  visit("warm_ups", v.warm_ups);
  visit("launches", v.launches);
}

/// Configurations measured together. In the mode `race` they are timed one by one against the best
/// so far, and batches that wait may be taken together; any other mode is verified with the second
/// seed and interleaved for the given rounds.
struct EvaluateBatch {
  std::uint64_t work = 0; ///< which is open
  Mode mode = Mode::race;
  std::vector<LaunchJob> jobs = {};
  std::optional<Sampling> sampling = {}; ///< other than the work's; of a race or one by one
  std::optional<double> best_ms = {};    ///< upper end of the best interval so far
  BatchOrder order = BatchOrder::one_by_one;
  int rounds = 15;               ///< stop condition of an interleaved batch
  std::uint64_t second_seed = 2; ///< of the data; of a race only for what leads
  /// Of the data of the second seed: DataSeed::change. Not 0: verified right behind another launch too.
  std::uint64_t change = 0;
  /// An interleaved batch: a few elements of the data change before each timed launch, so that a result
  /// that was kept is of no use.
  bool vary = false;
  /// Vectors that are read and written and are no output stay as the launch before left them. Of one job.
  bool keep_scratch = false;
  /// Set: launched for a profiler and for nothing else: not verified, not counted, not timed.
  std::optional<ProfilerLaunches> for_profiler = {};
  bool count = true; ///< a race: false leaves its counters for later …
  bool time = true;  ///< … and here they are: launched for its counters alone, verified before
};

template <Like<EvaluateBatch> T>
void for_fields(T& v, auto&& visit) {
  visit("work", v.work);
  visit("mode", v.mode);
  visit("jobs", v.jobs);
  visit("sampling", v.sampling);
  visit("best_ms", v.best_ms);
  visit("order", v.order);
  visit("rounds", v.rounds);
  visit("second_seed", v.second_seed);
  visit("change", v.change);
  visit("vary", v.vary);
  visit("keep_scratch", v.keep_scratch);
  visit("for_profiler", v.for_profiler);
  visit("count", v.count);
  visit("time", v.time);
}

/// The best so far became better; jobs waiting in the worker race against it.
struct BestSoFar {
  std::uint64_t work = 0;
  double best_ms = 0;
};

template <Like<BestSoFar> T>
void for_fields(T& v, auto&& visit) {
  visit("work", v.work);
  visit("best_ms", v.best_ms);
}

// ---- worker -> tuner

// Times "at" are of the worker's clock, in ms since its process started: what happened while the
// tuner was busy itself is told by them.

struct DeviceReady {
  double at_ms = 0;
};

template <Like<DeviceReady> T>
void for_fields(T& v, auto&& visit) {
  visit("at_ms", v.at_ms);
}

struct WorkOpened {
  std::uint64_t work = 0;
  std::vector<std::uint64_t> closed; ///< works that made room for it: to be opened again
  Device device;
  Peaks peaks;                                  ///< what was measured on the way
  std::optional<std::string> uncounted_because; ///< none: counters will be read
  std::optional<std::string> reference_problem; ///< one line: the reference kernel is wrong
  /// Of its answer, by formulas; none: there is not both a reference kernel and formulas.
  std::optional<std::uint64_t> elements_checked;
  /// One line: why the default configuration's output, which was to be compared with, is not.
  std::optional<std::string> unverified_because;
  std::optional<WrittenPart> only_written; ///< none: the reference's kernel writes all, or must
  double at_ms = 0;
};

template <Like<WorkOpened> T>
void for_fields(T& v, auto&& visit) {
  visit("work", v.work);
  visit("closed", v.closed);
  visit("device", v.device);
  visit("peaks", v.peaks);
  visit("uncounted_because", v.uncounted_because);
  visit("reference_problem", v.reference_problem);
  visit("elements_checked", v.elements_checked);
  visit("unverified_because", v.unverified_because);
  visit("only_written", v.only_written);
  visit("at_ms", v.at_ms);
}

/// The device or the work cannot be opened (no device, out of memory, a reference that faults): one line.
struct WorkRefused {
  std::string reason;
  bool no_device = false;
};

template <Like<WorkRefused> T>
void for_fields(T& v, auto&& visit) {
  visit("reason", v.reason);
  visit("no_device", v.no_device);
}

/// Said before every step that may kill the worker, so that the guilty one is known.
struct StageBegun {
  std::uint64_t id = 0;
  std::string stage; ///< "load", "verify", "time", "count", "meter", "warm up", "launch"
  double at_ms = 0;
};

template <Like<StageBegun> T>
void for_fields(T& v, auto&& visit) {
  visit("id", v.id);
  visit("stage", v.stage);
  visit("at_ms", v.at_ms);
}

/// One configuration is done, whatever its batch.
struct Executed {
  std::uint64_t id = 0;
  Execution execution;
  double at_ms = 0;
};

template <Like<Executed> T>
void for_fields(T& v, auto&& visit) {
  visit("id", v.id);
  visit("execution", v.execution);
  visit("at_ms", v.at_ms);
}

/// The context is lost (sticky error): the worker is about to end. The guilty one and why.
struct ContextLost {
  std::uint64_t id = 0;
  Status status = Status::runtime;
  std::string reason;
};

template <Like<ContextLost> T>
void for_fields(T& v, auto&& visit) {
  visit("id", v.id);
  visit("status", v.status);
  visit("reason", v.reason);
}

/// The answer for one name of MeasurePeaks: the peak, or one line why there is none.
struct PeakMeasured {
  std::string name;
  std::optional<Peak> peak;
  std::string reason;
};

template <Like<PeakMeasured> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("peak", v.peak);
  visit("reason", v.reason);
}

using Message = std::variant<Hello, CompileJob, CodeObject, OpenWork, EvaluateBatch, BestSoFar,
                             WorkOpened, WorkRefused, StageBegun, Executed, ContextLost,
                             MeasurePeaks, PeakMeasured, UseDevice, DeviceReady>;

/// One frame, length and document. @throws ProtocolError beyond 1 GiB.
Bytes encode(const Message& message);
/// @param document the frame without its length. Strings are made well-formed UTF-8.
/// @throws ProtocolError naming what is wrong.
Message decode(const Bytes& document);

class ProtocolError : public Error {
public:
  using Error::Error;
};

/// Blocking frames over a file descriptor, for the children. Nothing at end of stream. Strings are
/// as they were sent: a source need not be UTF-8.
std::optional<Message> read_message(int descriptor);
/// @throws ProtocolError when the other side is gone.
void write_message(int descriptor, const Message& message);

/// Collects bytes as they come and gives whole messages, for the tuner's poll loop. A length beyond
/// 256 MiB is refused at once; strings are made well-formed UTF-8: here the text of compilers,
/// drivers and kernels enters.
class MessageBuffer {
public:
  void append(const std::uint8_t* bytes, std::size_t count);
  /// @throws ProtocolError for a frame that is no message.
  std::optional<Message> next();
  /// The next one as it came, for somebody else. @throws ProtocolError for one that is too long.
  std::optional<Bytes> next_frame();
  /// All bytes not yet read, as text.
  std::string take_text();

  std::size_t unread() const { return bytes_.size() - read_; }

private:
  Bytes bytes_;
  std::size_t read_ = 0;
};

} // namespace gridsmith
