// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/roles.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

namespace gridsmith {
namespace {

struct Word {
  std::string_view text;
  Role role;
};

// The first word found in the lower-case name decides: work_per_thread must be met before thread,
// blocks_per_sm before block.
constexpr std::array words{
    Word{"unroll", Role::other},       Word{"per_sm", Role::other},
    Word{"per_mp", Role::other},       Word{"blocks", Role::other},
    Word{"strategy", Role::other},     Word{"stride", Role::other},
    Word{"per_thread", Role::tile},    Word{"tile", Role::tile},
    Word{"tiling", Role::tile},        Word{"items", Role::tile},
    Word{"iterations", Role::tile},    Word{"coarsen", Role::tile},
    Word{"wpt", Role::tile},           Word{"block_size", Role::block},
    Word{"blocksize", Role::block},    Word{"block_dim", Role::block},
    Word{"blockdim", Role::block},     Word{"block_x", Role::block},
    Word{"block_y", Role::block},      Word{"block_z", Role::block},
    Word{"work_group", Role::block},   Word{"workgroup", Role::block},
    Word{"wg_size", Role::block},      Word{"local_size", Role::block},
    Word{"local_work", Role::block},   Word{"threads", Role::block},
    Word{"thread_block", Role::block},
};

std::optional<std::size_t> axis_of(std::string_view name) {
  if (name.starts_with("z_"))
    return 2;
  const std::size_t size = name.size();
  if (size < 2 || name.back() < 'x' || name.back() > 'z')
    return std::nullopt;
  const bool apart = name[size - 2] == '_' || name.ends_with("sizex") || name.ends_with("sizey") ||
                     name.ends_with("sizez");
  if (!apart)
    return std::nullopt;
  return static_cast<std::size_t>(name.back() - 'x');
}

// Nugteren, CLBlast (IWOCL 2018), table of the GEMM parameters.
std::optional<ParameterRole> clblast_role(std::string_view name) {
  if (name == "mwg" || name == "nwg")
    return ParameterRole{Role::group_tile, name[0] == 'm' ? 0u : 1u};
  if (name == "mdimc" || name == "ndimc")
    return ParameterRole{Role::block, name[0] == 'm' ? 0u : 1u};
  return std::nullopt;
}

bool positive(const Parameter& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return to_number(value) > 0; });
}

constexpr double most_threads = 1024;   // of a block, on every CUDA device
constexpr std::size_t looked_at = 4096; // configurations
constexpr std::size_t most_axes = 3;

/// Positive whole numbers, more than one of them.
bool counts(const Parameter& parameter) {
  return parameter.values.size() > 1 && positive(parameter) &&
         std::all_of(parameter.values.begin(), parameter.values.end(), [](const Value& value) {
           return to_number(value) == std::floor(to_number(value));
         });
}

double largest(const Parameter& parameter) {
  double most = 0;
  for (const Value& value : parameter.values)
    most = std::max(most, to_number(value));
  return most;
}

/// The numbers of some configurations of a space, a row for each parameter that counts.
class Counts {
public:
  explicit Counts(const SearchSpace& space) : rows_(space.parameters().size()) {
    Random random(1); // the same of a space at each look
    const auto& parameters = space.parameters();
    std::vector<Position> place(parameters.size());
    for (const ConfigurationId id : space.sample(looked_at, random)) {
      space.positions(id, place);
      for (std::size_t p = 0; p < place.size(); ++p)
        rows_[p].push_back(to_number(parameters[p].values[place[p]]));
    }
    for (const Parameter& parameter : parameters)
      largest_.push_back(largest(parameter));
  }

  /// The threads of a block limit these: all that are allowed together are so many at most, and
  /// would be more without it.
  bool limited(std::span<const std::size_t> parameters) const {
    double free = 1, met = 0;
    for (const std::size_t p : parameters)
      free *= largest_[p];
    if (free <= most_threads)
      return false;
    for (std::size_t i = 0; i < rows_.front().size() && met <= most_threads; ++i) {
      double product = 1;
      for (const std::size_t p : parameters)
        product *= rows_[p][i];
      met = std::max(met, product);
    }
    return met <= most_threads && 2 * met > most_threads;
  }

private:
  std::vector<std::vector<double>> rows_;
  std::vector<double> largest_;
};

/// The parameters that a block's extents must be, in their order; none where the space does not say.
std::vector<std::size_t> block_of(const SearchSpace& space) {
  const auto& parameters = space.parameters();
  const Counts known(space);
  std::vector<std::size_t> block;
  for (std::size_t first = 0; first < parameters.size() && block.empty(); ++first)
    for (std::size_t p = first + 1; p < parameters.size() && block.size() < most_axes; ++p) {
      if (!counts(parameters[first]) || !counts(parameters[p]))
        continue;
      std::vector<std::size_t> with = block.empty() ? std::vector{first} : block;
      with.push_back(p);
      if (known.limited(with) && known.limited(std::array{first, p}))
        block = std::move(with);
    }
  return block;
}

/// A block's only extent: the one parameter in whole warps, up to 256 threads or more.
std::optional<std::size_t> line_of(const std::vector<Parameter>& parameters) {
  std::optional<std::size_t> found;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    const bool warps =
        parameter.values.size() > 2 && counts(parameter) &&
        std::all_of(parameter.values.begin(), parameter.values.end(),
                    [](const Value& value) { return std::fmod(to_number(value), 32) == 0; });
    if (!warps || largest(parameter) < 256 || largest(parameter) > most_threads)
      continue;
    if (found)
      return std::nullopt;
    found = p;
  }
  return found;
}

bool small_steps(const Parameter& parameter) {
  constexpr double most = 32;
  return parameter.values.size() > 2 && counts(parameter) && largest(parameter) <= most &&
         std::any_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return to_number(value) == 1; });
}

} // namespace

ParameterRole role_of(const Parameter& parameter) {
  if (!positive(parameter)) // extents are positive numbers
    return {parameter.values.size() == 2 ? Role::toggle : Role::other, std::nullopt};
  const std::string name = lower_case(parameter.name);
  if (const auto known = clblast_role(name))
    return *known;
  for (const Word& word : words)
    if (name.find(word.text) != std::string::npos)
      return {word.role, word.role == Role::other ? std::nullopt : axis_of(name)};
  return {parameter.values.size() == 2 ? Role::toggle : Role::other, std::nullopt};
}

std::vector<ParameterRole> roles_of(const SearchSpace& space) {
  const auto& parameters = space.parameters();
  std::vector<ParameterRole> roles;
  for (const Parameter& parameter : parameters)
    roles.push_back(role_of(parameter));
  const auto is = [](Role role) { return [role](const auto& one) { return one.role == role; }; };
  if (std::any_of(roles.begin(), roles.end(), is(Role::block)))
    return roles;
  std::vector<std::size_t> block = block_of(space);
  if (const auto line = block.empty() ? line_of(parameters) : std::nullopt)
    block.push_back(*line);
  for (std::size_t axis = 0; axis < block.size(); ++axis)
    roles[block[axis]] = {Role::block, axis};
  if (std::any_of(roles.begin(), roles.end(), is(Role::tile)))
    return roles;
  for (std::size_t p = 0, axis = 0; p < parameters.size() && axis < block.size(); ++p)
    if (roles[p].role == Role::other && small_steps(parameters[p]))
      roles[p] = {Role::tile, axis++};
  return roles;
}

} // namespace gridsmith
