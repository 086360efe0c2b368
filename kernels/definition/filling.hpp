// SPDX-License-Identifier: Apache-2.0
// What filled buffers hold, on the host: the very bits that the worker makes on the device.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

struct Filling; // fill.hpp

/// What all data is made from.
struct DataSeed {
  std::uint64_t seed = 1;
  std::uint64_t change = 0; ///< of a few elements (fill.hpp); 0: none

  // NOLINTNEXTLINE(google-explicit-constructor): most data has no change
  constexpr DataSeed(std::uint64_t seed_value, std::uint64_t change_number = 0)
      : seed(seed_value), change(change_number) {}

  friend bool operator==(const DataSeed&, const DataSeed&) = default;
};

/// What the device needs to fill the buffer. `content` points into the spec.
/// @param number the argument's position among all arguments
/// @pre a file's content was read
Filling filling_of(const BufferSpec& spec, DataSeed seed, std::uint64_t number);

/// One buffer as filled from one seed.
class FilledBuffer {
public:
  /// @pre it reads no others; a file's content was read
  FilledBuffer(BufferSpec spec, DataSeed seed, std::uint64_t number);
  /// The buffer at this position among all arguments.
  /// @pre contents of files were read
  FilledBuffer(const std::vector<ArgumentSpec>& arguments, DataSeed seed, std::uint64_t number);

  /// Of an element, in the low bytes. @pre index < elements
  std::uint64_t bits(std::uint64_t index) const;
  /// The number behind them.
  double value(std::uint64_t index) const;
  /// All, as they lie in memory one after the other.
  std::string bytes() const;

private:
  struct Made;
  std::shared_ptr<const Made> made_;
};

/// Of a single element.
double filled_value(const BufferSpec& spec, DataSeed seed, std::uint64_t number,
                    std::uint64_t index);

} // namespace gridsmith
