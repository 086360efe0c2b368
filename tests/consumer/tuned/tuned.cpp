// SPDX-License-Identifier: Apache-2.0
// Chooses a configuration of the transpose for a device and problems, measured and not.
#include "transpose_tuned.hpp"

#include <cstdio>

int main() {
  tuned::Device h200{};
  h200.compute_capability = 90;
  int chosen = 0;
  for (const long long extent : {8192, 5000}) {
    const auto choice = tuned::transpose::choose({extent, extent}, h200);
    chosen += choice ? 1 : 0;
    std::printf("%lldx%lld: %s\n", extent, extent, choice ? "chosen" : "nothing known");
  }
  return chosen > 0 ? 0 : 1;
}
