// SPDX-License-Identifier: Apache-2.0
// What a GPU's lock file says of who has it: any user of the machine can have written it.
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"

namespace gridsmith::fuzz::gpu_locks {

void run(const std::uint8_t* bytes, std::size_t count) {
  file_with(text_of(bytes, count), "gridsmith-GPU-1.lock");
  const std::string said = GpuLock(folder(), "GPU-1").holder();
  require(!said.empty() && said == printable(said), "text that is not fit to be shown");
  require(said.find('\n') == std::string::npos && said.size() <= 3 * 120, "more than a short line");
}

} // namespace gridsmith::fuzz::gpu_locks
