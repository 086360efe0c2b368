// SPDX-License-Identifier: Apache-2.0
// The page of a report before anything is filled in, as it was bundled when Gridsmith was built (page/,
// embed_page.mjs). A build without Node.js has none.
#pragma once

#include <string_view>

namespace gridsmith {

struct PageText {
  std::string_view html; ///< with {{title}} and its like where something belongs; "" no page
  std::string_view style, script;
  std::string_view notices; ///< licences of what the script brings
};

const PageText& page_text();

} // namespace gridsmith
