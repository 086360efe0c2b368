#include "gridsmith/search/models/roles.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

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

} // namespace

ParameterRole role_of(const Parameter& parameter) {
  if (!positive(parameter)) // extents are positive numbers
    return {parameter.values.size() == 2 ? Role::toggle : Role::other, std::nullopt};
  const std::string name = lower(parameter.name);
  if (const auto known = clblast_role(name))
    return *known;
  for (const Word& word : words)
    if (name.find(word.text) != std::string::npos)
      return {word.role, word.role == Role::other ? std::nullopt : axis_of(name)};
  return {parameter.values.size() == 2 ? Role::toggle : Role::other, std::nullopt};
}

} // namespace gridsmith
