// SPDX-License-Identifier: Apache-2.0
// The device that is wanted is not there.
#pragma once

#include "gridsmith/base/error.hpp"

namespace gridsmith {

/// There is no device, nor a recording to replay; or one was asked for that is not there. what() says
/// what there is.
class NoSuchDevice : public InputError {
public:
  using InputError::InputError;
};

} // namespace gridsmith
