// SPDX-License-Identifier: Apache-2.0
// In place of the bundled page where the build had no Node.js.
#include "gridsmith/results/report/page_text.hpp"

namespace gridsmith {

const PageText& page_text() {
  static constexpr PageText none;
  return none;
}

} // namespace gridsmith
