// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/formula_run.hpp"

namespace gridsmith {
namespace {

template <class T>
DeviceMemory on_device(const std::vector<T>& items, cudaStream_t stream) {
  if (items.empty())
    return {};
  DeviceMemory memory = allocate(items.size() * sizeof(T));
  check(cudaMemcpyAsync(memory.get(), items.data(), items.size() * sizeof(T),
                        cudaMemcpyHostToDevice, stream));
  return memory;
}

} // namespace

FormulaRun run_on_device(const DeviceKernels& kernels, const std::vector<FormulaStep>& program,
                         const std::vector<FormulaSource>& sources, ElementType type,
                         std::uint64_t count, void* to, std::chrono::nanoseconds limit) {
  const cudaStream_t stream = kernels.stream();
  const std::uint64_t registers = program.front().a;
  const std::uint64_t threads = kernels.formula_threads(count, registers);
  const DeviceMemory steps = on_device(program, stream), vectors = on_device(sources, stream);
  const DeviceMemory scratch = allocate(threads * registers * sizeof(FormulaRegister));
  const DeviceMemory outcome = on_device(std::vector<FormulaOutcome>(1), stream);
  kernels.formula({.elements = to,
                   .count = count,
                   .type = type,
                   .program = static_cast<const FormulaStep*>(steps.get()),
                   .sources = static_cast<const FormulaSource*>(vectors.get()),
                   .registers = static_cast<FormulaRegister*>(scratch.get()),
                   .threads = threads,
                   .limit_ns = static_cast<std::uint64_t>(limit.count()),
                   .outcome = static_cast<FormulaOutcome*>(outcome.get())});
  FormulaOutcome found;
  check(cudaMemcpyAsync(&found, outcome.get(), sizeof found, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  FormulaRun run{.late = found.late != 0, .no_value = {}};
  if (found.inverse_first != 0)
    run.no_value = ~found.inverse_first;
  return run;
}

} // namespace gridsmith
