// SPDX-License-Identifier: Apache-2.0
// A header of ours read back, as `run --header` and `--previous` do.
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::headers {

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    for (const Shipment& shipment : read_header(text_of(bytes, count))) {
      require(!shipment.kernel.empty(), "a kernel without a name");
      for (const Recording& recording : recordings_of(shipment))
        describe(recording);
    }
  });
}

} // namespace gridsmith::fuzz::headers
