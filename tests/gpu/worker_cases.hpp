// SPDX-License-Identifier: Apache-2.0
// Small kernels that are right, wrong, or deadly, and what must come of each.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith::testing {

constexpr std::int64_t n = 1 << 22; // elements: 16 MiB

/// out = 3 * in, as the body of scale_source.
inline const std::string right = "if (i < n) out[i] = 3.0f * in[i];";

/// A kernel scale(in, out, n) with this body for one thread: i is its index.
std::string scale_source(const std::string& body, const std::string& qualifiers = "");
Geometry blocks_of(int threads);
ArgumentSpec vector_argument(const std::string& name, Access access, std::uint64_t elements,
                             bool output = false, ElementType type = ElementType::float32);
ArgumentSpec int_argument(const std::string& name, double value);

struct Case {
  std::string name, source;
  Geometry geometry = blocks_of(256);
  Status status = Status::correct;
  std::string reason = {}; ///< must be part of the execution's
  std::string kernel = "scale";
};

/// The worker survives these.
std::vector<Case> living_cases();
/// These cost it its context.
std::vector<Case> deadly_cases();

} // namespace gridsmith::testing
