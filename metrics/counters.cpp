#include "metrics/counters.hpp"

namespace gridsmith {

double ideal_sectors_per_request(int element_bytes) {
  return 32.0 * element_bytes / 32.0;
}

} // namespace gridsmith
