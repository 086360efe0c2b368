// SPDX-License-Identifier: Apache-2.0
// What the tests of the worker have in common: programs, compiled cases, and a work to open.
#pragma once

#include "gridsmith/tests/gpu/worker_cases.hpp"
#include "gridsmith/tests/gpu/worker_driver.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gridsmith::testing {

class WorkerBench {
public:
  WorkerBench();

  const Device& device() const { return programs_.device; }

  const std::filesystem::path& worker() const { return programs_.worker; }

  /// In the order of the sources; as kernels named "scale" unless said.
  std::vector<CodeObject> compile(const std::vector<CompileRequest>& requests) {
    return compilers_.all(requests, device().compute_capability);
  }

  CodeObject compile(const std::string& source, const std::string& kernel = "scale") {
    return compile({CompileRequest{make_bundle({kernel + ".cu", source}), kernel, {}}}).front();
  }

  std::vector<CodeObject> compile(const std::vector<Case>& cases);

  /// The kernel that scales by 3, as reference of two vectors.
  OpenWork scale_work(bool counted, std::int64_t elements = n);

  /// The first device, with what this work counts.
  UseDevice device_for(const OpenWork& open) const {
    return {.ordinal = 0, .device_code = device_code_, .counters = open.counters};
  }

  Driver start(const OpenWork& open) const {
    return Driver::open(worker(), device_for(open), open);
  }

private:
  Programs programs_;
  Compilers compilers_;
  std::shared_ptr<const Bytes> device_code_;
};

Launchable launchable(const CodeObject& code, int threads);
LaunchJob job_of(std::uint64_t id, const std::string& label, const Launchable& launchable);
/// Numbered from 1.
std::vector<LaunchJob> jobs_of(const std::vector<Case>& cases,
                               const std::vector<CodeObject>& compiled);

} // namespace gridsmith::testing
