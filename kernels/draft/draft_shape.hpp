// SPDX-License-Identifier: Apache-2.0
// How a drafted kernel is launched: its extents, block and grid, from its text, the launch in its file, and what a person
// says. What is guessed and what is missing on the way is noted.
#pragma once

#include "gridsmith/kernels/draft/draft.hpp"
#include "gridsmith/kernels/draft/kernel_use.hpp"
#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/host_code/kernel_launch.hpp"
#include "gridsmith/kernels/host_code/launch_values.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The arguments of draft_of(), which outlive it; what draws up the rest of the definition derives from it.
class DraftedShape {
public:
  DraftedShape(const ReadSource& source, const KernelSignature& kernel, const KernelChoice& choice,
               const std::optional<std::vector<ResolvedType>>& types);

protected:
  using Ordered = nlohmann::ordered_json;

  void check_wishes() const;

  const DraftWishes& wishes() const { return choice_.wishes; }

  /// @param option "--argument alpha=VALUE"
  void miss(const std::string& option, const std::string& text);
  std::string wished(std::size_t i) const;
  /// Of an expression of extents and tunables. @throws InputError: it is none
  HostValue wished_value(const std::string& text) const;
  void guess(const std::string& field, const std::string& text);
  bool is_choice(const std::string& name) const;
  /// The host's `Br` of `k<Br><<<…>>>` is the name of the template's parameter that is tuned.
  void say_templates();
  /// `blockIdx.x * BLOCK`, `__launch_bounds__(BLOCK)`
  void find_block_macros();
  /// An array of a number of elements, or of a constant that the launch's block is: it is made for that block.
  bool has_fixed_shared() const;
  std::optional<std::int64_t> usual_of(const std::string& tunable) const;

  bool used(std::size_t axis) const { return use_.axes[axis].threads || use_.axes[axis].blocks; }

  std::int64_t bound() const;
  void find_block();
  /// A number, or the name of what is tuned.
  std::string wished_block(std::size_t axis) const;
  std::string unknown_block(std::size_t axis) const;
  void set_block(std::size_t axis, bool free, std::int64_t usual, bool known);
  void tune_block(std::size_t axis, std::vector<std::int64_t> values, std::int64_t usual);
  /// `dim3 block(THREADS, THREADS)` is one number: the axis before this one that has it; 3: there is none.
  std::size_t same_before(std::size_t axis) const;
  /// What a scalar or a grid rests on that no definition computes from a block that is tuned.
  void hold_block();
  std::string reason_to_hold(const LaunchValues& said, const std::string& name) const;
  /// What the host has for the block's size, where that is tuned.
  void say_block(LaunchValues& launch) const;
  bool is_integer(const std::string& name) const;
  /// What the host passes for a size is at least 1.
  bool is_below_size(const std::string& name) const;
  void add_extent(const std::string& name);
  /// The host computes it from what it passes for others.
  bool is_made_of_others(std::size_t i) const;
  /// The scalar that a guard compares with.
  std::string scalar_in(const Polynomial& one) const;
  void find_extents();
  /// What the host passes for the extent has its name from here on.
  bool take_launched_size(std::size_t k);
  bool take_threads();
  bool kernel_has(const std::string& name) const;
  static bool is_size(const std::string& name, bool ends);
  std::string extent_of_axis(std::size_t axis, bool& sure);
  void find_grid();
  /// Of a guard's, or as the launch has them, which wins where both are not the same at all sizes.
  std::string launched_blocks(std::size_t axis, const std::string& by_guard, bool& sure);
  /// At the sizes and values that stand in the definition, and where each extent has a size of its own: guessed ones are
  /// often equal.
  bool same(const std::string& a, const std::string& b) const;
  /// @pre it is an expression: it has a number
  bool names_no_extent(const std::string& text) const;
  /// @param at sizes; empty: those that stand in the definition
  /// @param others of what is tuned another value than the usual
  std::optional<double> number_of_text(const std::string& text,
                                       std::span<const std::int64_t> at = {},
                                       bool others = false) const;
  static std::string bracketed(const std::string& text);
  bool is_tunable(const std::string& name) const;
  static bool names(const std::string& text, const std::string& name);
  static std::string name_of(const KernelParameter& parameter, std::size_t i);

  const ReadSource& source_;
  const KernelSignature& kernel_;
  const KernelChoice& choice_;
  std::vector<FieldGuess> guesses_;
  std::vector<std::string> missing_;
  std::vector<ArgumentType> types_;
  KernelLaunch found_;
  LaunchValues launch_; ///< of it
  std::map<std::string, std::int64_t> numbers_;
  std::map<std::string, std::string> template_names_; ///< by the host's
  std::map<std::string, std::size_t> block_axes_;     ///< by the name in the body
  std::array<bool, 3> grid_differs_{}; ///< the launch's is taken, and no guard gives it
  std::array<bool, 3> grid_guessed_{}, block_guessed_{}; ///< nothing gives it
  std::array<std::string, 3> block_names_, block_text_, axis_extents_;
  KernelUse use_;
  std::vector<std::string> extents_;
  std::vector<std::int64_t> sizes_;
  bool own_extent_ = false; ///< no argument of the kernel
  std::string size_guess_;
  std::vector<Tunable> block_parameters_;
  Ordered grid_, block_;
};

} // namespace gridsmith
