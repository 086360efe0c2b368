// SPDX-License-Identifier: Apache-2.0
// Messages to the compilers of one node differ by some options and share what comes before and after
// them, the source and its headers. Both ends remember the last ones, and what a message has in common
// with one of them is not sent again.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <deque>

namespace gridsmith {

class SharedEnds {
public:
  /// For the other end's lengthen(), which must be given all of them, in this order.
  Bytes shorten(const Bytes& message);
  /// @throws ProtocolError for what shorten() cannot have made of these
  Bytes lengthen(const Bytes& shortened);

private:
  void remember(std::size_t number, const Bytes& message);

  std::deque<Bytes> last_; ///< newest of its kind each: kernels, references, device code
};

} // namespace gridsmith
