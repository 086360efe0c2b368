// SPDX-License-Identifier: Apache-2.0
// What a kernel is launched with by the host code of its file, as far as that is plain.
#pragma once

#include "gridsmith/kernels/host_code/host_values.hpp"
#include "gridsmith/kernels/host_code/launch_in_file.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

inline constexpr double largest_size = 1e9; ///< elements that a definition is drafted with

class LaunchValues {
public:
  /// @param tokens outlive this, as the headers' do
  /// @param kernel what a launch passes that does not fit its parameters is not followed
  LaunchValues(const Tokens& tokens, std::span<const Tokens> headers,
               std::optional<LaunchInFile> launch, const KernelSignature& kernel,
               std::map<std::string, std::int64_t> constants);

  /// As HostValues::run_with().
  void run_with(std::vector<std::string> arguments) { host_.run_with(std::move(arguments)); }

  /// From now on a name of the function that launches, what is passed for an argument, or a block's extent has this
  /// name.
  void say(const std::string& name, const std::string& as, double number);

  /// From now on a name is a number.
  void say_constant(const std::string& name, std::int64_t number) {
    host_.say_constant(name, number);
  }

  /// From now on sizeof() of a type is so many bytes.
  void say_bytes(const std::string& type, int bytes) { host_.say_bytes(type, bytes); }

  void say_argument(std::size_t i, const std::string& as, double number);
  /// @param alone no other block's extent, which has another name, is the same variable
  void say_block(std::size_t axis, const std::string& as, double number, bool alone);

  /// The extents as they are written: names of constants may be among them.
  std::array<std::string, 3> block_text() const { return texts_of(launch_.block); }

  std::array<std::string, 3> grid_text() const { return texts_of(launch_.grid); }

  /// `BLOCK` of `int threads = BLOCK; dim3 block(threads);`, where say() has said it; "": it is no name alone.
  std::string block_name(std::size_t axis) const;
  /// 1 to 1024 threads.
  std::optional<std::int64_t> block(std::size_t axis) const;
  /// @param block a number or a name that the block is from now on
  std::optional<HostValue> grid(std::size_t axis, const std::string& block) const;
  /// The kernel's arguments that a product or a sum of names has, of which the grid is.
  std::vector<std::size_t> arguments_in_grid(std::size_t axis) const;
  /// Dynamic bytes.
  std::optional<HostValue> shared() const;
  /// Of all blocks.
  std::optional<std::int64_t> threads() const;
  std::optional<HostValue> argument(std::size_t i) const;
  /// Of a struct that is passed by value.
  std::optional<HostValue> member(std::size_t i, const std::string& name) const;
  /// The elements that the file allocates for an argument, where all places say the same.
  /// @param bytes of an element
  std::optional<HostValue> allocated(std::size_t i, int bytes) const;

  bool is_allocated(std::size_t i) const; ///< whether or not it is plain
  /// The file fills it with zeros before the launch.
  bool is_zeroed(std::size_t i) const;

  /// "d_in+RADIUS": the launch passes a place inside of what is allocated; "": it does not.
  std::string place_inside(std::size_t i) const;

  /// Elsewhere in the file.
  std::optional<HostValue> value(std::span<const Token> expression, std::size_t place) const {
    return host_.value(expression, place);
  }

private:
  using Parts = std::vector<std::span<const Token>>;
  std::optional<HostValue> part(const Parts& parts, std::size_t i,
                                const std::optional<HostValue>& block = {}) const;
  std::vector<HostAllocation> allocations(std::size_t i) const;
  static std::array<std::string, 3> texts_of(const Parts& parts);

  HostValues host_;
  LaunchInFile launch_; ///< empty: there is none
  KernelSignature kernel_;
};

} // namespace gridsmith
