// The fields of every message and of what travels in one, listed once for both directions:
// for_fields(value, visit) calls visit(name, member) for each, with a constant value when writing
// and a mutable one when reading.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <type_traits>

namespace gridsmith {

template <typename T, typename U>
concept Like = std::is_same_v<std::remove_const_t<T>, U>;

template <Like<Geometry> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("grid", v.grid);
  visit("block", v.block);
  visit("dynamic_shared_bytes", v.dynamic_shared_bytes);
}

template <Like<CompileFacts> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("registers_per_thread", v.registers_per_thread);
  visit("static_shared_bytes", v.static_shared_bytes);
  visit("local_bytes", v.local_bytes);
  visit("spill_store_bytes", v.spill_store_bytes);
  visit("spill_load_bytes", v.spill_load_bytes);
  visit("constant_bytes", v.constant_bytes);
  visit("max_threads_per_block", v.max_threads_per_block);
  visit("block_barriers", v.block_barriers);
}

template <Like<CompileRequest> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("source", v.source);
  visit("source_name", v.source_name);
  visit("include_directories", v.include_directories);
  visit("kernel", v.kernel);
  visit("options", v.options);
}

template <Like<BufferSpec> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("elements", v.elements);
  visit("access", v.access);
  visit("fill", v.fill);
  visit("fill_value", v.fill_value);
  visit("output", v.output);
  visit("constant_memory", v.constant_memory);
}

template <Like<ScalarSpec> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("value", v.value);
}

template <Like<ArgumentSpec> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("buffer", v.buffer);
  visit("scalar", v.scalar);
}

template <Like<Launchable> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("cubin", v.cubin);
  visit("kernel", v.kernel);
  visit("geometry", v.geometry);
}

template <Like<CompileJob> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("request", v.request);
  visit("compute_capability", v.compute_capability);
}

template <Like<CompileOutcome> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("ok", v.ok);
  visit("reason", v.reason);
  visit("log", v.log);
  visit("cubin", v.cubin);
  visit("kernel", v.kernel);
  visit("facts", v.facts);
  visit("ms", v.ms);
}

template <Like<CompilerHello> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("nvrtc_version", v.nvrtc_version);
}

template <Like<OpenWork> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("ordinal", v.ordinal);
  visit("label", v.label);
  visit("utilities", v.utilities);
  visit("arguments", v.arguments);
  visit("seed", v.seed);
  visit("reference_kernel", v.reference_kernel);
  visit("host_reference", v.host_reference);
  visit("problem", v.problem);
  visit("expected", v.expected);
  visit("absolute_tolerance", v.absolute_tolerance);
  visit("relative_tolerance", v.relative_tolerance);
  visit("counters", v.counters);
  visit("warm", v.warm);
  visit("interval", v.interval);
  visit("min_samples", v.min_samples);
  visit("max_samples", v.max_samples);
  visit("max_ms", v.max_ms);
  visit("racing", v.racing);
  visit("measure_copy", v.measure_copy);
}

template <Like<EvaluateJob> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("label", v.label);
  visit("launchable", v.launchable);
  visit("best_ms", v.best_ms);
}

template <Like<BestSoFar> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("best_ms", v.best_ms);
}

template <Like<FinalsJob> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("jobs", v.jobs);
  visit("rounds", v.rounds);
  visit("second_seed", v.second_seed);
}

template <Like<CloseWork> T, typename Visit>
void for_fields(T&, Visit&&) {
}

template <Like<WorkOpened> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("device", v.device);
  visit("uncounted_because", v.uncounted_because);
  visit("counter_passes", v.counter_passes);
  visit("start_ms", v.start_ms);
  visit("reference_problem", v.reference_problem);
}

template <Like<WorkRefused> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("reason", v.reason);
  visit("no_device", v.no_device);
}

template <Like<StageBegun> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("stage", v.stage);
}

template <Like<EvaluateOutcome> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("status", v.status);
  visit("reason", v.reason);
  visit("times_ms", v.times_ms);
  visit("raced_out", v.raced_out);
  visit("facts", v.facts);
  visit("counters", v.counters);
  visit("uncounted_because", v.uncounted_because);
  visit("sm_clock_mhz", v.sm_clock_mhz);
  visit("gpu_ms", v.gpu_ms);
  visit("verify_ms", v.verify_ms);
  visit("time_ms", v.time_ms);
  visit("count_ms", v.count_ms);
}

template <Like<FinalsOutcome> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("outcomes", v.outcomes);
}

template <Like<ContextLost> T, typename Visit>
void for_fields(T& v, Visit&& visit) {
  visit("id", v.id);
  visit("status", v.status);
  visit("reason", v.reason);
}

template <typename T>
concept Struct = requires(const T& value) {
  for_fields(value, [](const char*, const auto&) {});
};

} // namespace gridsmith
