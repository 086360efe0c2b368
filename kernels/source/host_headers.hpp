// SPDX-License-Identifier: Apache-2.0
// Headers of the host that kernels include, and CUB's one for all, which is half for the host. NVRTC can take none of
// them, and is given a text of ours in the place of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The text is what of it device code can use: none where NVRTC knows its names without it, or only the host has a use
/// for them.
struct HostHeader {
  std::string name; ///< "cstdint"
  std::string text;
};

const std::vector<HostHeader>& host_headers();
/// Of all of them, hex: what is compiled with others is compiled again.
const std::string& host_headers_hash();

/// The header that has a name which NVRTC does not know without it: "FLT_MAX" gives "cfloat"; "": none is known.
std::string_view host_header_of(std::string_view name);
/// Likewise of a name in std: "is_same" gives "type_traits".
std::string_view std_header_of(std::string_view name);

} // namespace gridsmith
