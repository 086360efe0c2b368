// SPDX-License-Identifier: Apache-2.0
// The figures are one program, since apart they would be a tenth of the whole build: benchmarks NAME [ARGUMENTS...].
#pragma once

#include <string>

namespace gridsmith {

/// One of its figures. Made before main begins, and never destroyed.
struct Bench {
  using Run = int (*)(int count, char** words); ///< as main; words[0] is the name

  Bench(std::string name, Run run);
};

} // namespace gridsmith
