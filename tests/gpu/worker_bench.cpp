// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/gpu/worker_bench.hpp"

#include "gridsmith/metrics/catalogue/counter_sets.hpp"

namespace gridsmith::testing {

WorkerBench::WorkerBench()
    : programs_(find_programs()), compilers_(programs_.compiler),
      device_code_(compilers_.device_code(device().compute_capability)) {
}

std::vector<CodeObject> WorkerBench::compile(const std::vector<Case>& cases) {
  std::vector<CompileRequest> requests;
  for (const Case& one : cases)
    requests.push_back({make_bundle({one.name + ".cu", one.source}), one.kernel, {}});
  return compile(requests);
}

OpenWork WorkerBench::scale_work(bool counted, std::int64_t elements) {
  OpenWork open;
  open.label = "scale";
  const auto count = static_cast<std::uint64_t>(elements);
  open.arguments = {vector_argument("in", Access::read_only, count),
                    vector_argument("out", Access::write_only, count, true),
                    int_argument("n", static_cast<double>(elements))};
  open.reference.kernel = launchable(compile(scale_source(right)), 128);
  open.reference.kernel->geometry.grid[0] = (elements + 127) / 128;
  open.arguments[1].buffer->tolerance = {.absolute = 0, .relative = 1e-6};
  if (counted)
    open.counters = wanted_counters("default", device().chip).names;
  return open;
}

Launchable launchable(const CodeObject& code, int threads) {
  return {code.cubin, code.kernel, blocks_of(threads)};
}

LaunchJob job_of(std::uint64_t id, const std::string& label, const Launchable& launchable) {
  return {.id = id, .label = label, .launchable = launchable};
}

std::vector<LaunchJob> jobs_of(const std::vector<Case>& cases,
                               const std::vector<CodeObject>& compiled) {
  std::vector<LaunchJob> jobs;
  for (std::size_t i = 0; i < cases.size(); ++i)
    jobs.push_back(
        job_of(i + 1, cases[i].name, {compiled[i].cubin, compiled[i].kernel, cases[i].geometry}));
  return jobs;
}

} // namespace gridsmith::testing
